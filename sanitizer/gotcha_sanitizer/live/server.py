"""A server of one page, for one reader or a few: it shows a run while it goes on.

It answers GET alone, and reads nothing but the records. On this machine's own address it asks for
the right `Host`, so that no web page elsewhere can read it; on any other for a token in the path.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

from gotcha_sanitizer.live.follow import Follow, together
from gotcha_sanitizer.reporters import html
from gotcha_sanitizer.run.record import BadRecord

_LOOK = 0.5  # seconds between two looks at the records
_BUSY = 10  # times as long as a page takes to make, between two of them
_ALIVE = 15.0  # seconds between comments that keep a connection open


class Live:
    """The records, and the page that they give now."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._records = [Follow(path) for path in paths]
        self._lock = threading.Lock()
        self._page = ""
        self._cost = self._looked = 0.0
        self.version = self.readers = 0
        self.over = threading.Event()

    def look(self) -> int:
        """The number of the newest page. Raises BadRecord."""
        with self._lock:
            now = time.monotonic()
            if self._page and now - self._looked < max(_LOOK, _BUSY * self._cost):
                return self.version
            self._looked = now
            grown = [record.refresh() for record in self._records]
            if any(grown) or not self._page:
                self._page = html.render(together(self._records), live=True)
                self._cost = time.monotonic() - now
                self.version += 1
            return self.version

    def page(self) -> str:
        self.look()
        return self._page


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, live: Live, host: str, port: int) -> None:
        self.live = live
        self.local = _is_local(host)
        self.token = "" if self.local else secrets.token_urlsafe(16)
        super().__init__((host, port), _Handler)

    @property
    def url(self) -> str:
        host, port = str(self.server_address[0]), self.server_address[1]
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{port}/{self.token + '/' if self.token else ''}"

    def shutdown(self) -> None:
        self.live.over.set()
        super().shutdown()


class _Handler(BaseHTTPRequestHandler):
    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]
    server_version, sys_version = "gotcha", ""

    def do_GET(self) -> None:
        name = self._name()
        try:
            if name in ("", "page"):
                self._send(self.server.live.page().encode("utf-8"))
            elif name == "events":
                self._events()
            else:
                self.send_error(404)
        except BadRecord as error:
            self.send_error(500, "no record", str(error))
        except (BrokenPipeError, ConnectionResetError):
            pass  # the reader has closed the page

    def _name(self) -> str | None:
        """What is asked for; None where the reader has no right to it."""
        if self.server.local:
            host = self.headers.get("Host", "").rpartition(":")[0].strip("[]")
            return self.path[1:] if host == "localhost" or _is_local(host) else None
        token, _, name = self.path[1:].partition("/")
        return name if hmac.compare_digest(token.encode(), self.server.token.encode()) else None

    def _send(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self._common()
        self.wfile.write(body)

    def _common(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")  # the address may hold the token
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()

    def _events(self) -> None:
        """One message for each new page, until the reader leaves."""
        live = self.server.live
        shown, spoke = live.look(), time.monotonic()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self._common()
        self.wfile.write(b": the page is new\n\n")
        self.wfile.flush()
        live.readers += 1
        while not live.over.wait(_LOOK):
            now = time.monotonic()
            if (version := live.look()) != shown:
                shown, spoke = version, now
                self.wfile.write(f"data: {version}\n\n".encode())
                self.wfile.flush()
            elif now - spoke > _ALIVE:
                spoke = now
                self.wfile.write(b": alive\n\n")
                self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a token must not stand in a log."""


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
