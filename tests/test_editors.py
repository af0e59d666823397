"""The configurations in docs/editors.md: each starts our server, and Neovim shows what it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from gotcha_lint.server.serve import Options

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "editors.md").read_text("utf-8")
COMMAND = ["gotcha-lint", "--server"]


def _snippet(heading: str) -> str:
    """The first block of code below a heading."""
    part = PAGE.partition(f"## {heading}\n")[2]
    found = re.search(r"^```\w+[^\n]*\n(.*?)^```", part, re.M | re.S)
    assert found, heading
    return found[1]


def _known(options: dict[str, Any]) -> bool:
    """Does the server read each of them?"""
    return all(Options.of({key: True}) != Options.of({key: False}) for key in options)


def test_helix() -> None:
    table = tomllib.loads(_snippet("Helix"))
    server = table["language-server"]["gotcha"]
    assert [server["command"], *server["args"]] == COMMAND
    (language,) = table["language"]
    assert "gotcha" in language["language-servers"]


def test_zed() -> None:
    table = json.loads(_snippet("Zed"))
    server = table["lsp"]["gotcha"]
    assert [server["binary"]["path"], *server["binary"]["arguments"]] == COMMAND
    assert _known(server["initialization_options"])
    assert "gotcha" in table["languages"]["Python"]["language_servers"]


def test_jupyterlab() -> None:
    table = json.loads(_snippet("JupyterLab"))
    server = table["LanguageServerManager"]["language_servers"]["gotcha"]
    assert server["argv"] == COMMAND
    assert server["languages"] == ["python"]


def test_options_of_the_server() -> None:
    assert Options.of(None) == Options.of({"other": 1}) == Options()
    assert Options.of({"codeLens": False, "inlayHints": True}) == Options(False, True)
    for name in ("codeLens", "inlayHints", "workspaceDiagnostics"):
        assert f"`{name}`" in PAGE
        assert _known({name: True})


FAULTY = "import jax.numpy as jnp\n\nx = jnp.zeros(3)\nx.at[0].set(1.0)\n"
# What `vim.lsp.config` and `vim.lsp.enable` come to, for older versions too.
SESSION = """
local found = {}
%s
local config = vim.lsp.gotcha
vim.lsp.start_client({
  name = "gotcha", cmd = config.cmd, init_options = config.init_options,
  root_dir = vim.fn.getcwd(),
  on_attach = function() end,
  on_init = function(client) vim.lsp.buf_attach_client(0, client.id) end,
})
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 100)
for _, each in ipairs(vim.diagnostic.get(0)) do
  io.stdout:write(string.format("%%d %%s %%s\\n", each.lnum, each.code, each.source))
end
vim.cmd("qa!")
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not in the path")
def test_neovim(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "train.py").write_text(FAULTY)
    snippet = _snippet("Neovim")
    assert snippet.count("vim.lsp.enable(") == 1
    taken = snippet.replace('vim.lsp.config("gotcha", ', "vim.lsp.gotcha = (")
    taken = re.sub(r"vim\.lsp\.enable\(.*?\)", "", taken)
    script = tmp_path / "session.lua"
    script.write_text(SESSION % taken)
    bin = str(Path(sys.executable).parent)
    done = subprocess.run(
        ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "train.py", "-S", str(script)],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{bin}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "3 discarded-update gotcha" in done.stdout + done.stderr
