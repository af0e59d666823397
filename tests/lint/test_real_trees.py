"""What must hold whatever the rules are, over libraries as they are installed."""

from __future__ import annotations

import random
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from gotcha_lint import engine
from gotcha_lint.config.settings import Settings
from gotcha_lint.finding import Finding

SETTINGS = Settings()
ROOT = Path(__file__).parents[2]
TREES = ("optax", "flax/linen", "flax/training")
ALONE = 20  # files: for each, all that it may depend on is read again


def installed(tree: str) -> Path:
    """Found without being imported."""
    package, _, below = tree.partition("/")
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / below


def findings_of(paths: list[str], *, screen: bool = True) -> list[Finding]:
    """Few in good code; so what only may hold is asked for, too."""
    settings = Settings(all=True)
    report = engine.lint(paths, lambda path: settings, screen=screen)
    assert report.failures == []
    return report.findings


@pytest.mark.slow
def test_the_screen_and_the_other_files_change_nothing(tmp_path):
    for tree in TREES:
        shutil.copytree(
            installed(tree), tmp_path / tree, ignore=shutil.ignore_patterns("__pycache__")
        )
    (tmp_path / "pyproject.toml").touch()  # else a folder above could be the project
    paths = sorted(map(str, tmp_path.rglob("*.py")))
    findings = findings_of(paths)
    assert len(findings) > 10
    assert findings_of(paths, screen=False) == findings
    for path in random.Random(0).sample(paths, ALONE):
        assert findings_of([path]) == [f for f in findings if f.path == path], path


EDITS = 16


def edited(text: str, chance: random.Random) -> str:
    """The text as somebody might leave it; it need not make sense, nor even be Python."""
    lines = text.splitlines(keepends=True)
    tops = [n for n, line in enumerate(lines) if line.startswith(("def ", "class ", "@"))]
    deep = [n for n, line in enumerate(lines) if line.startswith("    ") and line.strip()]
    at = chance.choice(tops or [0])
    match chance.randrange(8):
        case 0:
            lines.insert(at, "# a comment\n")
        case 1:
            lines.insert(
                at, "def added(x, fn=None):\n    return fn(x) if x > 0 else float(x)\n\n\n"
            )
        case 2 if deep:
            del lines[chance.choice(deep)]
        case 3:
            return text.replace("jax.jit", chance.choice(["jax.vmap", "jax.grad", "print"]))
        case 4:
            return text.replace("jnp.", "np.", chance.randrange(1, 20))
        case 5:
            return text.replace("def ", "@jax.jit\ndef ", 1) if text.startswith("def") else text
        case 6 if deep:
            where = chance.choice(deep)
            indent = lines[where][: len(lines[where]) - len(lines[where].lstrip())]
            lines.insert(where, f"{indent}key = jax.random.normal(key)\n")
        case _:
            return text.replace("return ", "return +", chance.randrange(1, 5))
    return "".join(lines)


@pytest.mark.slow
def test_what_is_kept_changes_nothing(tmp_path):
    """After each of a series of edits."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(installed("optax"), tmp_path / "optax", ignore=ignored)
    shutil.copytree(ROOT / "examples/flawed", tmp_path / "flawed")
    shutil.copytree(ROOT / "reference_trainer", tmp_path / "reference_trainer")
    (tmp_path / "pyproject.toml").touch()
    chance, kept = random.Random(0), engine.Kept()
    for number in range(EDITS):
        paths = sorted(map(str, tmp_path.rglob("*.py")))
        known = engine.lint(paths, lambda path: SETTINGS, kept=kept)
        fresh = engine.lint(paths, lambda path: SETTINGS)
        assert known.findings == fresh.findings, number
        assert known.failures == fresh.failures == []
        path = Path(chance.choice(paths))
        if number % 8 == 5:
            path.unlink()
        elif number % 8 == 7:
            path.with_name(f"new_{number}.py").write_text(path.read_text("utf-8"), "utf-8")
        else:
            path.write_text(edited(path.read_text("utf-8"), chance), "utf-8")
