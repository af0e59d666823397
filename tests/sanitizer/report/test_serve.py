"""The live page: new events arrive, and nobody else may read it."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gotcha_sanitizer.live.follow import Follow
from gotcha_sanitizer.live.server import Live, Server
from gotcha_sanitizer.run.record import BadRecord
from tests.browser import HEADLESS, needs_browser
from tests.sanitizer import records


def test_a_record_is_followed(tmp_path: Path):
    path = records.write(tmp_path / "run.jsonl", [records.start(), records.program(1, 1.0)])
    follow = Follow(path)
    assert follow.refresh() and follow.run.count("programs") == 1
    assert not follow.refresh()
    line = json.dumps(records.program(2, 2.0))
    with path.open("a") as file:
        file.write(line[:50])
        file.flush()
        assert not follow.refresh()  # half a line
        file.write(line[50:] + "\n")
    assert follow.refresh() and follow.run.count("programs") == 2
    new = records.write(tmp_path / "new", [records.start(), records.program(7, 1.0)])
    new.replace(path)  # it was folded
    assert follow.refresh() and follow.run.count("programs") == 1
    path.write_text("no event\n")
    with pytest.raises(BadRecord):
        follow.refresh()
    with pytest.raises(BadRecord):
        Follow(tmp_path / "none").refresh()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return records.write(tmp_path / "run.jsonl", [records.start(), records.program(1, 1.0)])


@pytest.fixture
def serve(path: Path) -> Iterator[Callable[[str], Server]]:
    begun: list[Server] = []

    def start(host: str = "127.0.0.1") -> Server:
        server = Server(Live([path]), host, 0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        begun.append(server)
        return server

    yield start
    for server in begun:
        server.shutdown()
        server.server_close()


def get(url: str, **headers: str) -> Any:
    return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60)


def refused(url: str, **headers: str) -> int:
    with pytest.raises(urllib.error.HTTPError) as error:
        get(url, **headers)
    error.value.close()
    return error.value.code


def test_the_page_and_its_events(serve: Callable[..., Server], path: Path):
    server = serve()
    with get(server.url) as answer:
        page = answer.read().decode()
    assert "EventSource" in page and "connect-src 'self'" in page
    assert "is still running" in page
    with get(server.url + "events") as events:
        assert events.headers["Content-Type"] == "text/event-stream"
        assert events.readline().startswith(b":")
        with path.open("a") as file:
            file.write(json.dumps(records.finding()) + "\n")
        lines = iter(events.readline, b"")
        assert next(line for line in lines if line.startswith(b"data:")) == b"data: 2\n"
    with get(server.url + "page") as answer:
        assert "pad to a few fixed sizes" in answer.read().decode()


def test_who_may_not_read_it(serve: Callable[..., Server]):
    server = serve()
    assert refused(server.url, Host="evil.example:80") == 404  # a name that leads here
    assert refused(server.url + "etc/passwd") == 404
    with get(server.url, Host="localhost:1") as answer:
        assert answer.status == 200
    everywhere = serve("0.0.0.0")
    port = everywhere.server_address[1]
    assert len(everywhere.token) > 20
    assert refused(f"http://127.0.0.1:{port}/") == 404
    assert refused(f"http://127.0.0.1:{port}/wrong/page") == 404
    with get(f"http://127.0.0.1:{port}/{everywhere.token}/page") as answer:
        assert answer.status == 200 and answer.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.slow
@needs_browser
def test_a_browser_renews_the_page(serve: Callable[..., Server], path: Path, tmp_path: Path):
    """It runs our script, hears of the new event, and asks for the page once more."""
    server = serve()
    asked: list[float] = []
    page = server.live.page
    server.live.page = lambda: (asked.append(time.monotonic()), page())[1]  # type: ignore[method-assign]
    command = [*HEADLESS, f"--user-data-dir={tmp_path / 'profile'}", "--remote-debugging-port=0"]
    environ = os.environ | {"HOME": str(tmp_path)}
    null = subprocess.DEVNULL
    browser = subprocess.Popen([*command, server.url], env=environ, stdout=null, stderr=null)
    try:
        _until(lambda: len(asked) == 1)
        _until(lambda: server.live.readers == 1)
        with path.open("a") as file:
            file.write(json.dumps(records.finding()) + "\n")
        _until(lambda: len(asked) == 2)
    finally:
        browser.terminate()
        browser.wait(60)


def _until(true: Callable[[], bool]) -> None:
    for _ in range(600):
        if true():
            return
        time.sleep(0.1)
    raise AssertionError("it took too long")
