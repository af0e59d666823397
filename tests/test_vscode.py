"""The extension for Visual Studio Code: its package, its texts, and (slow) its own tests."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
EXTENSION = ROOT / "editors" / "vscode"
PACKAGE = json.loads((EXTENSION / "package.json").read_text("utf-8"))


def _vsix() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vsix", EXTENSION / "vsix.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_package_has_the_files_that_an_editor_needs(tmp_path: Path) -> None:
    built = tmp_path / "extension.js"
    built.write_text("exports.activate = () => {};\n")
    vsix = _vsix()
    packed = vsix.pack(built, tmp_path / "one")
    assert packed.name == f"gotcha-lint-{PACKAGE['version']}.vsix"
    assert packed.read_bytes() == vsix.pack(built, tmp_path / "two").read_bytes()
    with zipfile.ZipFile(packed) as archive:
        shipped = json.loads(archive.read("extension/package.json"))
        main = "extension/" + shipped["main"].removeprefix("./")
        assert archive.read(main) == built.read_bytes()
        assert not {"private", "scripts", "devDependencies"} & shipped.keys()
        manifest = ET.fromstring(archive.read("extension.vsixmanifest"))
        names = set(archive.namelist())
        types = archive.read("[Content_Types].xml").decode()
    space = {"v": "http://schemas.microsoft.com/developer/vsx-schema/2011"}
    identity = manifest.find(".//v:Identity", space)
    assert identity is not None
    assert (identity.get("Id"), identity.get("Version")) == (PACKAGE["name"], PACKAGE["version"])
    assets = {asset.get("Path") for asset in manifest.iterfind(".//v:Asset", space)}
    assert assets <= names
    endings = {Path(name).suffix for name in names - {"[Content_Types].xml"}}
    assert all(f'Extension="{ending}"' in types for ending in endings)


def test_its_version_is_that_of_the_linter() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert PACKAGE["version"] == project["version"]


def test_its_page_names_every_command_and_setting() -> None:
    text = (EXTENSION / "README.md").read_text("utf-8")
    contributed = PACKAGE["contributes"]
    for command in contributed["commands"]:
        assert f"{command['category']}: {command['title']}" in text
    for setting in contributed["configuration"]["properties"]:
        assert f"`{setting}`" in text or setting == "gotcha.trace.server"


def test_every_command_is_registered() -> None:
    source = (EXTENSION / "src" / "extension.ts").read_text("utf-8")
    for command in PACKAGE["contributes"]["commands"]:
        assert f'registerCommand("{command["command"]}"' in source


def test_packages_are_named_with_exact_versions() -> None:
    versions = [*PACKAGE["devDependencies"].values(), *PACKAGE.get("dependencies", {}).values()]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not in the path")
def test_it_builds_and_passes_its_own_tests(tmp_path: Path) -> None:
    folder = tmp_path / "vscode"
    ours = shutil.ignore_patterns("node_modules", "dist")
    shutil.copytree(EXTENSION, folder, ignore=ours)
    program = tmp_path / "train.py"
    program.write_text(
        "import jax, numpy\n\nstep = jax.jit(lambda x: 2 * x)\nfor n in 2, 3:\n"
        "    step(numpy.ones(n))\n"
    )
    record = tmp_path / "run.jsonl"
    run = ["-m", "gotcha_sanitizer.cli", "run", "--quiet", "--log-path", str(record), str(program)]
    environment = os.environ | {"GOTCHA_PYTHON": sys.executable, "GOTCHA_RECORD": str(record)}
    for command in (
        [sys.executable, *run],
        ["npm", "install", "--no-package-lock", "--no-audit", "--no-fund"],
        ["npm", "run", "check"],
        ["npm", "run", "build"],
        ["npm", "test"],
    ):
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert "# pass 12" in done.stdout
    assert (folder / "dist" / "extension.js").stat().st_size > 100_000
