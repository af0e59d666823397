"""The server: what the editor opens and changes is linted, a moment after the last key."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from gotcha_lint import __version__
from gotcha_lint.config.options import UsageError
from gotcha_lint.config.settings import ConfigError
from gotcha_lint.server import translate
from gotcha_lint.server.details import Details
from gotcha_lint.server.session import Linted, Session

_PAUSE = 0.3  # seconds without a change before it lints
_STACK = 64 << 20  # bytes: LibCST parses on the stack of its thread
_NOTEBOOKS = lsp.NotebookDocumentSyncOptions(
    notebook_selector=[
        lsp.NotebookDocumentFilterWithNotebook(
            notebook="jupyter-notebook", cells=[lsp.NotebookCellLanguage(language="python")]
        )
    ]
)


@dataclass(frozen=True)
class Options:
    """The `initializationOptions` of an editor."""

    code_lens: bool = True
    inlay_hints: bool = False
    workspace_diagnostics: bool = False

    @classmethod
    def of(cls, given: object) -> Options:
        """Unknown keys are left alone: an editor may send more."""
        table = given if isinstance(given, Mapping) else {}
        keys = {
            "code_lens": "codeLens",
            "inlay_hints": "inlayHints",
            "workspace_diagnostics": "workspaceDiagnostics",
        }
        found = {name: table[key] for name, key in keys.items() if key in table}
        return cls(**{name: bool(value) for name, value in found.items()})


class Server(LanguageServer):
    """The protocol's side; the linter runs in one thread of its own."""

    def __init__(self) -> None:
        super().__init__("gotcha-lint", __version__, notebook_document_sync=_NOTEBOOKS)
        threading.stack_size(_STACK)
        self._worker = ThreadPoolExecutor(1, "gotcha-lint")
        self._session = Session()
        self._due: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()  # an answer waits: lint without a pause
        self._open: dict[str, str] = {}  # uris of files and notebooks, by path
        self._published: set[str] = set()
        self._linted: dict[str, Linted] = {}  # by path
        self._told = ""
        self.options = Options()
        self.refreshes = False  # the editor asks again when it is told to

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
        self._hurry.clear()
        self._due = asyncio.ensure_future(self._lint(pause))

    async def settled(self) -> None:
        """Waits until what was typed last is linted: positions are those of the text then.

        Many requests wait at once, so none of them starts or cancels a run.
        """
        while self._due is not None and not self._due.done():
            self._hurry.set()
            await asyncio.wait({self._due})

    async def linted(self, uri: str) -> tuple[Linted | None, int | None]:
        """A document as it is now, and which cell of a notebook it is."""
        await self.settled()
        path, cell = self._place(uri)
        return self._linted.get(path), cell

    async def details(self, uri: str) -> tuple[Details | None, int | None]:
        """What is known of a document besides its findings, and which cell it is."""
        await self.settled()
        path, cell = self._place(uri)
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._worker, self._session.details, path)
        except (ConfigError, UsageError) as error:
            self._tell(str(error))
            return None, cell
        return found, cell

    def uri_of(self, name: str, cell: int | None) -> str:
        """The address of a file as findings name it, or of one of its cells."""
        path = os.path.abspath(name)
        uri = self._open.get(path)
        if uri is None:
            return Path(path).as_uri()
        cells = self._cells(uri)
        return cells[cell - 1] if cell is not None and cell <= len(cells) else uri

    def _place(self, uri: str) -> tuple[str, int | None]:
        """The path of a document, and the number of its cell."""
        notebook = self.workspace.get_notebook_document(cell_uri=uri)
        if notebook is None:
            return to_fs_path(uri) or "", None
        return to_fs_path(notebook.uri) or "", self._cells(notebook.uri).index(uri) + 1

    def _cells(self, uri: str) -> list[str]:
        """The addresses of the code cells of a notebook."""
        notebook = self.workspace.get_notebook_document(notebook_uri=uri)
        code = lsp.NotebookCellKind.Code
        return [cell.document for cell in notebook.cells if cell.kind == code] if notebook else []

    def _text(self, uri: str) -> str:
        """The text of a file; of a notebook, as it would be on disk."""
        cells = self._cells(uri)
        if not cells and self.workspace.get_notebook_document(notebook_uri=uri) is None:
            return self.workspace.get_text_document(uri).source
        known = self.workspace.text_documents  # a cell in another language is not sent
        texts = [known[cell].source if cell in known else "" for cell in cells]
        rows = [{"cell_type": "code", "source": text, "metadata": {}} for text in texts]
        return json.dumps({"cells": rows, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    def _version(self, uri: str) -> int | None:
        known = self.workspace.text_documents.get(uri)
        return known.version if known is not None else None

    async def _lint(self, pause: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._hurry.wait(), pause)
        texts = {path: self._text(uri) for path, uri in self._open.items()}
        shown = [cell for uri in self._open.values() for cell in (self._cells(uri) or [uri])]
        versions = {uri: self._version(uri) for uri in shown}
        folders = self._folders() if self.options.workspace_diagnostics else []
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._worker, self._session.lint, texts, folders)
        except (ConfigError, UsageError) as error:
            self._tell(str(error))
            return
        self._linted = found
        by_uri: dict[str, list[lsp.Diagnostic]] = {}
        for linted in found.values():
            by_uri |= translate.diagnostics(linted, self.uri_of)
        for uri in versions | dict.fromkeys(self._published) | by_uri:
            self.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(
                    uri=uri, version=versions.get(uri), diagnostics=by_uri.get(uri, [])
                )
            )
        self._published, self._told = set(by_uri), ""
        if self.refreshes and self.options.code_lens:
            self.workspace_code_lens_refresh(None)

    def _folders(self) -> list[str]:
        paths = (to_fs_path(folder.uri) for folder in self.workspace.folders.values())
        return [path for path in paths if path and os.path.isdir(path)]

    def _tell(self, text: str) -> None:
        """A mistake in the configuration is said once, not at each key."""
        if text != self._told:
            self._told = text
            message = lsp.ShowMessageParams(type=lsp.MessageType.Error, message=f"gotcha: {text}")
            self.window_show_message(message)


def make() -> Server:
    """A server with its answers."""
    server = Server()

    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        server.options = Options.of(params.initialization_options)
        workspace = params.capabilities.workspace
        lens = workspace.code_lens if workspace else None
        server.refreshes = bool(lens and lens.refresh_support)

    @server.feature(lsp.INITIALIZED)
    async def initialized(params: lsp.InitializedParams) -> None:
        if server.workspace.root_path and os.path.isdir(server.workspace.root_path):
            os.chdir(server.workspace.root_path)  # paths in findings are shown from there
        if server.options.workspace_diagnostics:
            server.lint_soon(0)

    _documents(server)
    _answers(server)
    return server


def _documents(server: Server) -> None:
    """What the editor opens, changes and closes."""

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

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
    async def notebook_did_open(params: lsp.DidOpenNotebookDocumentParams) -> None:
        server.opened(params.notebook_document.uri)
        server.lint_soon(0)

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
    async def notebook_did_change(params: lsp.DidChangeNotebookDocumentParams) -> None:
        server.lint_soon()

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)
    async def notebook_did_close(params: lsp.DidCloseNotebookDocumentParams) -> None:
        server.closed(params.notebook_document.uri)
        server.lint_soon(0)


def _answers(server: Server) -> None:
    """What the editor asks for."""

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        linted, cell = await server.linted(params.text_document.uri)
        details, _ = await server.details(params.text_document.uri)
        return translate.hover(linted, details, params.position, cell)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        if not server.options.code_lens:
            return []
        details, cell = await server.details(params.text_document.uri)
        return translate.lenses(details, cell) if details else []

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hint(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        if not server.options.inlay_hints:
            return []
        details, cell = await server.details(params.text_document.uri)
        return translate.hints(details, params.range, cell) if details else []

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(
            code_action_kinds=[lsp.CodeActionKind.QuickFix, translate.FIX_ALL],
        ),
    )
    async def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        linted, cell = await server.linted(params.text_document.uri)
        only = params.context.only
        kinds = None if only is None else [getattr(each, "value", each) for each in only]
        return translate.actions(linted, server.uri_of, params.range, cell, kinds) if linted else []


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
