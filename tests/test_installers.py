"""The built wheel and the hook with the installers that people use: uvx, pipx, pre-commit, prek.

The installers come from the package index, once; what they install comes from a folder of wheels,
so their own settings for an index do not matter.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
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
    _quietly(*pip, "uv", "pipx", "pre-commit", "prek")
    return Installers(bin, wheels, wheel, home)


def _quietly(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
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
