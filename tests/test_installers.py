"""The built wheel and the hook with the tools that people use: uvx, pipx, pre-commit, prek.

The files that CI systems read are checked by their public schemas, and the packages by twine.

The tools come from the package index, once; what they install comes from a folder of wheels,
so their own settings for an index do not matter.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# The schemas that check-jsonschema brings, by the name of the file that docs/ci.md shows.
SCHEMAS = {
    ".gitlab-ci.yml": ("vendor.gitlab-ci", "--data-transform", "gitlab-ci"),
    "compiles.yml": ("vendor.github-workflows",),
    "gotcha.yml": ("vendor.github-workflows",),
}
FAULTY = "import jax.numpy as jnp\n\nx = jnp.zeros(3)\nx.at[0].set(1.0)\n"
BUILD = ("hatchling", "editables")

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Installers:
    bin: Path
    wheels: Path
    wheel: Path
    home: Path

    def __call__(self, name: str, *args: str, cwd: Path | None = None) -> tuple[int, str]:
        """The exit code, and what was printed."""
        links = str(self.wheels)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "UV_"))} | {
            "HOME": str(self.home),
            "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}",
            **{"UV_NO_INDEX": "1", "UV_FIND_LINKS": links, "UV_PYTHON_DOWNLOADS": "never"},
            **{"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": links, "PIP_CONFIG_FILE": os.devnull},
        }
        done = subprocess.run(
            [str(self.bin / name), *args],
            cwd=cwd or self.home,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
        )
        return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def installers(tmp_path_factory: pytest.TempPathFactory) -> Installers:
    folder = tmp_path_factory.mktemp("installers")
    wheels, home = folder / "wheels", folder / "home"
    home.mkdir()
    _quietly(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    (wheel,) = folder.glob("*.whl")
    _quietly(sys.executable, "-m", "pip", "wheel", "-q", "-w", str(wheels), str(wheel), *BUILD)
    _quietly(sys.executable, "-m", "venv", str(folder / "venv"))
    bin = folder / "venv" / "bin"
    pip = (str(bin / "python"), "-m", "pip", "install", "-q")
    _quietly(*pip, "uv", "pipx", "pre-commit", "prek", "twine", "check-jsonschema")
    return Installers(bin, wheels, wheel, home)


def _quietly(*command: str, **env: str) -> None:
    env = os.environ | env
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """The repository of a stranger."""
    folder = tmp_path / "sample"
    folder.mkdir()
    (folder / "train.py").write_text(FAULTY)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


def test_uvx(installers: Installers, sample: Path) -> None:
    run = ("--from", str(installers.wheel), "gotcha-lint", "train.py")
    code, text = installers("uvx", "--python", sys.executable, *run, cwd=sample)
    assert code == 1, text
    assert "train.py:4:1: error[discarded-update]" in text


def test_pipx(installers: Installers, sample: Path) -> None:
    run = ("--spec", str(installers.wheel), "gotcha-lint", "train.py")
    code, text = installers("pipx", "run", "--python", sys.executable, *run, cwd=sample)
    assert code == 1, text
    assert "train.py:4:1: error[discarded-update]" in text


@pytest.mark.parametrize("runner", ["pre-commit", "prek"])
def test_hook(installers: Installers, sample: Path, runner: str) -> None:
    code, text = installers(runner, "try-repo", str(ROOT), "gotcha-lint", "--all-files", cwd=sample)
    assert code == 1, text
    assert "train.py:4:1: error[discarded-update]" in text
    (sample / "train.py").write_text(FAULTY.replace("x.at", "x = x.at"))
    subprocess.run(["git", "add", "."], cwd=sample, check=True)
    code, text = installers(runner, "try-repo", str(ROOT), "gotcha-lint", "--all-files", cwd=sample)
    assert code == 0, text


def test_files_for_ci_follow_their_public_schemas(installers: Installers, tmp_path: Path) -> None:
    files = {ROOT / "action.yml": ("vendor.github-actions",)}
    files[ROOT / "CITATION.cff"] = ("vendor.citation-file-format",)
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    for title, text in re.findall(r'^```yaml title="([^"]+)"\n(.*?)^```', page, re.M | re.S):
        if schema := SCHEMAS.get(Path(title).name):
            file = tmp_path / f"{len(files)}.yml"
            file.write_text(text, "utf-8")
            files[file] = schema
    assert len(files) == 7
    for file, schema in files.items():
        code, text = installers("check-jsonschema", "--builtin-schema", *schema, str(file))
        assert code == 0, text
    wrong = tmp_path / "wrong.yml"
    wrong.write_text((ROOT / "action.yml").read_text("utf-8").replace("shell: bash", "", 1))
    code, text = installers(
        "check-jsonschema", "--builtin-schema", "vendor.github-actions", str(wrong)
    )
    assert code == 1, text


def test_packages_are_reproducible_and_in_order(installers: Installers, tmp_path: Path) -> None:
    """Wheel and sdist are the same bytes at another time, in another zone, with other hashes."""
    made: list[dict[str, str]] = []
    for name, zone in ("one", "UTC"), ("two", "Asia/Tokyo"):
        folder = tmp_path / name
        command = (sys.executable, "-m", "hatchling", "build", "-d", str(folder))
        _quietly(*command, TZ=zone, PYTHONHASHSEED=str(len(made)))
        made.append({f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in folder.iterdir()})
    assert made[0] == made[1]
    assert {Path(name).suffix for name in made[0]} == {".whl", ".gz"}
    files = (str(file) for file in (tmp_path / "one").iterdir())
    code, text = installers("twine", "check", "--strict", *files)
    assert code == 0, text


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13", "3.14"])
def test_each_python(installers: Installers, sample: Path, tmp_path: Path, version: str) -> None:
    """The wheel in a fresh environment: both commands start, and a program runs unchanged."""
    find = ["bash", "tests/find_python.sh", version]
    python = subprocess.run(find, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    if not python:
        pytest.skip(f"there is no Python {version} here")
    fresh = tmp_path / "fresh"
    _quietly(python, "-m", "venv", str(fresh))
    bin = fresh / "bin"
    _quietly(str(bin / "python"), "-m", "pip", "install", "-q", str(installers.wheel))
    here = Installers(bin, installers.wheels, installers.wheel, installers.home)
    code, text = here("gotcha-lint", "train.py", cwd=sample)
    assert code == 1 and "train.py:4:1: error[discarded-update]" in text, text
    code, text = here("gotcha-lint", "--explain", "discarded-update")
    assert code == 0 and "## Instead" not in text and "Instead" in text, text
    code, text = here("gotcha-sanitize", "--help")
    assert code == 0, text
    strict = ("python", "-X", "dev", "-W", "error", "-m", "gotcha_lint", "--no-cache", "--quiet")
    code, text = here(*strict, "--output-format", "concise", "train.py", cwd=sample)
    assert code == 1 and len(text.splitlines()) == 1, text
    code, text = here("python", "-X", "dev", "-W", "error", "-c", "import gotcha_sanitizer")
    assert (code, text) == (0, "")
