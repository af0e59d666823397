"""The server: what the editor opens and changes is linted, a moment after the last key."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from gotcha_lint import __version__
from gotcha_lint.config import ConfigError
from gotcha_lint.options import UsageError
from gotcha_lint.server import translate
from gotcha_lint.server.session import Linted, Session, let_go

_PAUSE = 0.3  # seconds without a change before it lints
_STACK = 64 << 20  # bytes: LibCST parses on the stack of its thread


class Server(LanguageServer):
    """The protocol's side; the linter runs in one thread of its own."""

    def __init__(self) -> None:
        super().__init__("gotcha-lint", __version__)
        threading.stack_size(_STACK)
        self._worker = ThreadPoolExecutor(1, "gotcha-lint")
        self._session = Session()
        self._due: asyncio.Task[None] | None = None
        self._open: dict[str, str] = {}  # uris by path
        self._published: set[str] = set()
        self.linted: dict[str, Linted] = {}  # by uri
        self._told = ""

    def opened(self, uri: str) -> None:
        path = to_fs_path(uri)
        if path is not None:
            self._open[path] = uri

    def closed(self, uri: str) -> None:
        self._open.pop(to_fs_path(uri) or "", None)

    def lint_soon(self, pause: float = _PAUSE) -> None:
        """Lints all open files, unless something changes before."""
        if self._due is not None:
            self._due.cancel()
        self._due = asyncio.ensure_future(self._lint(pause))

    async def _lint(self, pause: float) -> None:
        await asyncio.sleep(pause)
        texts, versions = {}, {}
        for path, uri in self._open.items():
            document = self.workspace.get_text_document(uri)
            texts[path], versions[uri] = document.source, document.version
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._worker, self._session.lint, texts)
        except (ConfigError, UsageError) as error:
            self._tell(str(error))
            return
        finally:
            self._worker.submit(let_go)  # while the findings are shown
        self.linted = {self._open[p]: linted for p, linted in found.items() if p in self._open}
        for uri in versions | dict.fromkeys(self._published):
            linted = self.linted.get(uri)
            self.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(
                    uri=uri,
                    version=versions.get(uri),
                    diagnostics=translate.diagnostics(linted) if linted else [],
                )
            )
        self._published, self._told = set(self.linted), ""

    def _tell(self, text: str) -> None:
        """A mistake in the configuration is said once, not at each key."""
        if text != self._told:
            self._told = text
            message = lsp.ShowMessageParams(type=lsp.MessageType.Error, message=f"gotcha: {text}")
            self.window_show_message(message)


def make() -> Server:
    """A server with its answers."""
    server = Server()

    @server.feature(lsp.INITIALIZED)
    def initialized(params: lsp.InitializedParams) -> None:
        if server.workspace.root_path and os.path.isdir(server.workspace.root_path):
            os.chdir(server.workspace.root_path)  # paths in findings are shown from there

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(params: lsp.DidOpenTextDocumentParams) -> None:
        server.opened(params.text_document.uri)
        server.lint_soon(0)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        server.lint_soon()

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def did_save(params: lsp.DidSaveTextDocumentParams) -> None:
        server.lint_soon(0)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)
        server.lint_soon(0)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        linted = server.linted.get(params.text_document.uri)
        return translate.hover(linted, params.position) if linted else None

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
    )
    def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        linted = server.linted.get(uri)
        return translate.actions(linted, uri, params.range) if linted else []

    return server


def serve() -> int:
    """Speaks on standard input and output until the editor ends it.

    Both are closed then, so it is given its own; what is printed by mistake goes to standard error.
    """
    with (
        os.fdopen(os.dup(0), "rb") as received,
        os.fdopen(os.dup(1), "wb") as sent,
        contextlib.redirect_stdout(sys.stderr),
    ):
        make().start_io(received, sent)
    return 0
