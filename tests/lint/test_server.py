"""`gotcha-lint --server`: an editor's side of the Language Server Protocol, over pipes."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from gotcha_lint.home import page_url
from gotcha_lint.server.session import Session, let_go

LOSSES = "def loss(x):\n    if x > 0:\n        return x\n    return -x\n"
TRAIN = "import jax\nfrom losses import loss\n\nstep = jax.jit(loss)\n"
WIDE = 'import jax.numpy as jnp\n\nx = jnp.zeros(3)\ny = "😀"; x.at[0].set(1.0)\n'


class Editor:
    """Sends and receives messages; what the server tells unasked is kept until it is asked for."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "gotcha_lint", "--server"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder
        )
        self.folder, self.number, self.told = folder, 0, list[dict[str, Any]]()
        root = {"rootUri": folder.as_uri(), "processId": None, "capabilities": {}}
        self.capabilities = self.ask("initialize", root)["capabilities"]
        self.tell("initialized", {})

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def tell(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self.number and "method" not in message:
                assert "error" not in message, message
                return message["result"]
            self.told.append(message)

    def await_(self, method: str) -> Any:
        while True:
            for message in self.told:
                if message.get("method") == method:
                    self.told.remove(message)
                    return message["params"]
            self.told.append(self._receive())

    def diagnostics(self, name: str) -> list[dict[str, Any]]:
        """The next that are published of a file."""
        while True:
            found = self.await_("textDocument/publishDiagnostics")
            if found["uri"] == self.uri(name):
                return found["diagnostics"]

    def open(self, name: str) -> None:
        text = (self.folder / name).read_text("utf-8")
        item = {"uri": self.uri(name), "languageId": "python", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def change(self, name: str, text: str) -> None:
        document = {"uri": self.uri(name), "version": 2}
        changes = [{"text": text}]
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self.process.stdout
        length = 0
        while (line := self.process.stdout.readline()) != b"\r\n":
            assert line, "the server has ended"
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("")
    (folder / "losses.py").write_text(LOSSES)
    (folder / "train.py").write_text(TRAIN)
    (folder / "wide.py").write_text(WIDE, "utf-8")
    (folder / "generated_pb2.py").write_text(LOSSES)
    editor = Editor(folder)
    try:
        yield editor
    finally:
        editor.process.kill()
        editor.process.wait()


def test_findings_follow_what_is_typed_in_any_open_file(editor: Editor) -> None:
    editor.open("losses.py")
    (found,) = editor.diagnostics("losses.py")
    assert (found["code"], found["severity"], found["source"]) == ("traced-if", 1, "gotcha")
    assert found["range"]["start"] == {"line": 1, "character": 7}
    assert found.get("codeDescription", {}).get("href", "") == page_url("traced-if")
    (because,) = found["relatedInformation"]
    assert because["location"]["uri"] == editor.uri("train.py")

    editor.open("train.py")
    assert editor.diagnostics("train.py") == []
    editor.change("train.py", TRAIN.replace("jax.jit(loss)", "loss"))  # not saved
    while editor.diagnostics("losses.py"):
        pass
    editor.change("train.py", TRAIN)
    while not editor.diagnostics("losses.py"):
        pass


def test_fixes_and_comments(editor: Editor) -> None:
    editor.open("wide.py")
    (found,) = editor.diagnostics("wide.py")
    assert found["code"] == "discarded-update"
    # UTF-16 units: the letter before it has two.
    assert found["range"]["start"] == {"line": 3, "character": len('y = "😀"; ') + 1}
    params = {
        "textDocument": {"uri": editor.uri("wide.py")},
        "range": found["range"],
        "context": {"diagnostics": [found]},
    }
    fix, allow = editor.ask("textDocument/codeAction", params)
    assert fix["isPreferred"] and fix["kind"] == "quickfix"
    lines = WIDE.splitlines()
    for action, wanted in (
        (fix, 'y = "😀"; x = x.at[0].set(1.0)'),
        (allow, 'y = "😀"; x.at[0].set(1.0)  # gotcha: allow[discarded-update] '),
    ):
        ((uri, edits),) = action["edit"]["changes"].items()
        assert uri == editor.uri("wide.py")
        assert _edited(lines[3], edits) == wanted
    elsewhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
    assert editor.ask("textDocument/codeAction", params | {"range": elsewhere}) == []


def _edited(line: str, edits: list[dict[str, Any]]) -> str:
    data = line.encode("utf-16-le")
    for edit in sorted(edits, key=lambda e: -e["range"]["start"]["character"]):
        start, end = (2 * edit["range"][end]["character"] for end in ("start", "end"))
        data = data[:start] + edit["newText"].encode("utf-16-le") + data[end:]
    return data.decode("utf-16-le")


def test_hover_explains(editor: Editor) -> None:
    editor.open("losses.py")
    (found,) = editor.diagnostics("losses.py")
    place = {"textDocument": {"uri": editor.uri("losses.py")}, "position": found["range"]["start"]}
    shown = editor.ask("textDocument/hover", place)
    assert "traced-if" in shown["contents"]["value"]
    assert "## Instead" in shown["contents"]["value"]
    place["position"] = {"line": 0, "character": 0}
    assert editor.ask("textDocument/hover", place) is None


def test_the_configuration_holds_and_its_mistakes_are_told(editor: Editor) -> None:
    config = editor.folder / "gotcha.toml"
    config.write_text("ignore = ['traced-if']\n")
    editor.open("losses.py")
    assert editor.diagnostics("losses.py") == []
    config.write_text("selct = []\n")
    editor.change("losses.py", LOSSES + "\n")
    assert 'did you mean "select"' in editor.await_("window/showMessage")["message"]
    config.write_text("")
    editor.change("losses.py", LOSSES)
    assert len(editor.diagnostics("losses.py")) == 1


def test_a_file_that_is_closed_or_excluded_has_none(editor: Editor) -> None:
    (editor.folder / "gotcha.toml").write_text("extend-exclude = ['*_pb2.py']\n")
    editor.open("generated_pb2.py")
    assert editor.diagnostics("generated_pb2.py") == []
    editor.open("losses.py")
    assert len(editor.diagnostics("losses.py")) == 1
    editor.tell("textDocument/didClose", {"textDocument": {"uri": editor.uri("losses.py")}})
    assert editor.diagnostics("losses.py") == []


def test_it_ends_when_it_is_told_to(editor: Editor) -> None:
    editor.ask("shutdown", None)
    editor.tell("exit", None)
    assert editor.process.wait(20) == 0


def test_facts_of_the_configuration_hold_at_once(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    text = "import mylib\n\n\n@mylib.fast\ndef step(x):\n    return x if x > 0 else -x\n"
    path, session = str(tmp_path / "a.py"), Session()
    (tmp_path / "a.py").write_text(text)
    assert session.lint({path: text}) == {}
    (tmp_path / "gotcha.toml").write_text('[facts]\n"mylib.fast" = { like = "jax.jit" }\n')
    assert [f.name for f in session.lint({path: text})[path].findings] == ["traced-if"]


def test_no_tree_stays_in_memory(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    path, session = str(tmp_path / "losses.py"), Session()
    (tmp_path / "train.py").write_text(TRAIN)
    gc.collect()
    before = _trees()
    for number in range(3):
        found = session.lint({path: LOSSES + f"x = {number}\n"})
        assert [finding.name for finding in found[path].findings] == ["traced-if"]
        let_go()
        assert _trees() == before


def _trees() -> int:
    return sum(isinstance(thing, cst.Module) for thing in gc.get_objects())


def test_without_its_library(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['pygls'] = None; sys.modules['pygls.lsp.server'] = None\n"
        "from gotcha_lint.cli import main; sys.exit(main(['--server']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 2
    assert "pip install '.[server]'" in done.stderr
