"""What is shipped: the wheel and the sdist hold both tools, their pages and schemas."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gotcha_lint import __version__
from gotcha_lint.registry import rules

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert list(folder.glob("*.tar.gz"))
    return next(folder.glob("*.whl"))


def test_wheel(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.partition("/")[0] for name in names if "dist-info" not in name} == {
        "gotcha_lint",
        "gotcha_sanitizer",
        "gotcha_sanitizer.pth",
        "gotcha_sanitizer.start",
        "reference_trainer",
    }
    for info in rules().values():
        if info.module:
            assert f"gotcha_lint/pages/{info.name}.md" in names
            assert info.module.replace(".", "/") + ".py" in names
    assert "gotcha_lint/schemas/findings.json" in names
    assert "gotcha_sanitizer/schemas/run.json" in names
    assert "gotcha_sanitizer/reporters/_page/style.css" in names
    metadata = next(name for name in names if name.endswith("entry_points.txt"))
    assert "gotcha-sanitize = gotcha_sanitizer.cli:main" in (
        zipfile.ZipFile(wheel).read(metadata).decode()
    )


def test_wheel_needs_little(wheel):
    archive = zipfile.ZipFile(wheel)
    metadata = next(n for n in archive.namelist() if n.endswith("METADATA"))
    needs = re.findall(
        r"^Requires-Dist: ([\w-]+)(?!.*extra)", archive.read(metadata).decode(), re.M
    )
    assert sorted(needs) == ["click", "libcst", "pathspec", "rich"]


def test_the_readme_of_the_package_needs_no_repository_beside_it(wheel):
    archive = zipfile.ZipFile(wheel)
    metadata = next(n for n in archive.namelist() if n.endswith("METADATA"))
    text = archive.read(metadata).decode().partition("\n\n")[2]
    here = (ROOT / "README.md").read_text("utf-8")
    assert not re.findall(r"\]\((?!https://|#)[^)]*\)", text)
    assert text.splitlines()[0] == here.splitlines()[0] == "# gotcha"


def test_the_readme_of_the_package_with_a_home():
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    here = (ROOT / "README.md").read_text("utf-8")
    text = module.absolute(here, "https://h/gotcha")
    assert len(re.findall(r"\]\(", text)) == len(re.findall(r"\]\(", here)) > 10
    assert not re.findall(r"\]\((?!https://|#)[^)]*\)", text)
    paths = re.findall(r"\]\(https://h/gotcha/(?:blob|raw)/main/([^)#]+)", text)
    assert len(paths) > 10 and all((ROOT / path).exists() for path in paths)
    assert "![" not in re.sub(r"!\[[^\]]*\]\(https://h/gotcha/raw/", "", text)
    assert "](" not in re.sub(r"\]\((?:https://|#)", "", module.absolute(here, ""))


def test_a_clean_clone_runs_without_installing():
    env = os.environ | {"PYTHONPATH": "lint"}
    command = [sys.executable, "-m", "gotcha_lint", "--version"]
    shown = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True)
    assert __version__ in shown.stdout


def test_the_linter_never_imports_jax():
    code = """
import sys
from gotcha_lint import engine, registry
from gotcha_lint.config.settings import Settings
engine.lint(["a.py"], lambda p: Settings(), overlay={"a.py": b"import jax"})
sys.exit(bool({"jax", "numpy", "gotcha_sanitizer"} & set(sys.modules)))
"""
    env = os.environ | {"PYTHONPATH": str(ROOT / "lint")}
    assert subprocess.run([sys.executable, "-c", code], env=env).returncode == 0


@pytest.mark.parametrize("option", ["--version", "--help", "--list-rules", "--explain=traced-if"])
def test_start_up_is_light(option):
    code = f"""
import sys
from gotcha_lint.cli import main
try:
    main([{option!r}])
except SystemExit:
    pass
sys.exit(bool({{"libcst", "rich", "pathspec"}} & set(sys.modules)))
"""
    env = os.environ | {"PYTHONPATH": str(ROOT / "lint")}
    assert (
        subprocess.run([sys.executable, "-c", code], env=env, capture_output=True).returncode == 0
    )


def _sources() -> list[str]:
    """What git tracks; where there is no git, all but hidden, made and kept files."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode == 0:
        return tracked.stdout.splitlines()
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    made = {"__pycache__", "site", "dist"}
    return [
        str(path)
        for path in found
        if not any(part in made or part.startswith(".") for part in path.parts)
    ]


def test_nothing_names_a_machine_or_a_registry():
    """No lock files, no addresses of package registries, no paths of the machine that made it."""
    for name in _sources():
        assert not re.search(r"(^|/)(uv|poetry|pdm|pixi)\.lock$", name)
        text = (ROOT / name).read_bytes()
        assert not re.search(rb"index[-]url|--find[-]links|https?://[^\s\"]+/simple\b", text)


def test_pages_are_up_to_date():
    command = [sys.executable, "docs/generate.py", "--check"]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(str(ROOT / d) for d in ("lint", "sanitizer"))}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_hooks_are_ours():
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    assert "id: gotcha-lint" in text
    assert "types_or: [python, pyi, jupyter]" in text


def test_the_citation_names_this_version():
    yaml = pytest.importorskip("yaml")
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == __version__
    assert cited["cff-version"] == "1.2.0" and cited["authors"] and cited["license"] == "MIT"
