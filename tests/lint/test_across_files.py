"""Wrappers and factories that stand in another file."""

from __future__ import annotations

from pathlib import Path

from gotcha_lint import engine
from gotcha_lint.config.settings import Settings
from tests.lint.support import lint_files

STEPS = """
import jax

def compiled(fn):
    return jax.jit(fn, donate_argnums=0)

def fixed(fn):
    return jax.jit(fn, static_argnames=("sizes",))
"""

TRAIN = """
import jax.numpy as jnp
from steps import compiled, fixed

def update(params, x):
    return params - x

def pad(x, sizes):
    return x

step, padded = compiled(update), fixed(pad)

def main(params, x):
    new = step(params, x)
    padded(x, sizes=[1, 2])
    return new, params
"""


def test_a_rule_finds_what_its_word_stands_for_elsewhere(tmp_path):
    """Neither `donate_argnums` nor `static_argnames` is in the file that has the faults."""
    found = lint_files(tmp_path, {"steps.py": STEPS, "train.py": TRAIN})
    wanted = [
        ("train.py", 15, "unhashable-static-argument"),
        ("train.py", 16, "use-after-donation"),
    ]
    assert [(f.path.rpartition("/")[2], f.line, f.name) for f in found] == wanted


OPTIONS = """
import jax

def fast(fn, **options):
    return jax.jit(fn, **options)
"""

CALLS = """
from steps import fast

def update(params, x):
    return params - x

def pad(x, sizes):
    return x

def crop(x, sizes):
    return x

def roll(x, sizes):
    return x

step = fast(update, donate_argnums=0)
padded = fast(pad, static_argnames=("sizes",))
plain = fast(crop)
unknown = fast(roll, static_argnames=["sizes" for _ in range(1)])

def main(params, x):
    new = step(params, x)
    padded(x, sizes=[1, 2])
    plain(x, sizes=[1, 2])
    unknown(x, sizes=[1, 2])
    return new, params
"""


def test_options_are_handed_on(tmp_path):
    found = lint_files(tmp_path, {"steps.py": OPTIONS, "train.py": CALLS})
    wanted = [
        ("train.py", 23, "unhashable-static-argument"),
        ("train.py", 26, "use-after-donation"),
    ]
    assert [(f.path.rpartition("/")[2], f.line, f.name) for f in found] == wanted


def test_a_star_import_brings_the_libraries_that_the_other_file_imports(tmp_path):
    """Its `jax` and `jnp` too; not what `__all__` leaves out, nor names that begin with `_`."""
    tools = "import jax\nimport jax as _jax\nimport jax.numpy as jnp\n"
    uses = "from tools import *\n\n\n@jax.jit\ndef f(x):\n    return jnp.arange(x)\n"
    old = "from tools import *\n\nold = jax.tree_map\nhidden = _jax.tree_map\n"
    files = {"tools.py": tools, "uses.py": uses, "old.py": old, "again.py": "from uses import *\n"}
    files["deep.py"] = "from again import *\n\nold = jax.tree_map\n"
    found = [(Path(f.path).name, f.line, f.name) for f in lint_files(tmp_path, files)]
    assert found == [
        ("deep.py", 3, "removed-api"),
        ("old.py", 3, "removed-api"),
        ("uses.py", 6, "traced-shape"),
    ]
    files["tools.py"] += "__all__ = ['jnp']\n"
    assert not lint_files(tmp_path, files)


def test_a_file_is_named_from_wherever(tmp_path: Path, monkeypatch):
    """An editor gives the whole path, a terminal a short one: the file that jits is found."""
    write = {
        "main.py": "import jax\nfrom helper import f\n\ng = jax.jit(f)\n",
        "helper.py": "def f(x):\n    return float(x)\n",
        "pyproject.toml": "",
    }
    for name, text in write.items():
        (tmp_path / name).write_text(text)
    settings = Settings(select=("host-cast-of-tracer",))
    for working in (tmp_path, tmp_path.parent):
        monkeypatch.chdir(working)
        for path in (tmp_path / "helper.py", (tmp_path / "helper.py").relative_to(working)):
            report = engine.lint([str(path)], lambda _: settings)
            assert [(f.path, f.line) for f in report.findings] == [(str(path), 2)]


def test_a_package_of_the_project_named_as_a_library(tmp_path: Path):
    """Inside `aqt/jax/` an import of `jax` means JAX: only a script's own folder is searched."""
    model = "import jax\n\n\n@jax.jit\ndef f(x):\n    return float(x)\n"
    files = {"aqt/__init__.py": "", "aqt/jax/__init__.py": "", "aqt/jax/model.py": model}
    assert [(f.path.rpartition("/")[2], f.line) for f in lint_files(tmp_path, files)] == [
        ("model.py", 6)
    ]


def test_a_module_beside_a_folder_named_as_a_library(tmp_path: Path):
    """In `plugins/run.py`, too, the engine takes `jax` for JAX, and not for `plugins/jax/`."""
    run = """
import jax


def main(batches):
    total = 0.0
    for batch in batches:
        total = jax.jit(lambda x, y: x + y)(total, batch)
    return total
"""
    files = {"plugins/__init__.py": "", "plugins/jax/__init__.py": "X = 1\n"}
    files |= {"plugins/jax/state.py": run, "plugins/run.py": run}
    found = lint_files(tmp_path, files, select=("jit-in-loop", "cannot-run"))
    assert [(Path(f.path).name, f.line, f.name) for f in found] == [
        ("state.py", 8, "jit-in-loop"),
        ("run.py", 8, "jit-in-loop"),
    ]


def test_a_module_of_a_package_named_as_one_of_python(tmp_path: Path):
    """In `pack/train.py`, `import math` is no `pack/math.py`."""
    train = """
import math

import jax

step = jax.jit(lambda x: x / math.sqrt(2.0))
size = math.prod((2, 3))
step(1.0)
"""
    files = {"pack/__init__.py": "", "pack/math.py": "import jax\n\nhalf = 0.5\n"}
    files["pack/train.py"] = train
    assert lint_files(tmp_path, files, select=("cannot-run",), all=True) == []


CYCLE = {
    "net/__init__.py": "from net.model import Base\nfrom net.staged import Staged\n",
    "net/model.py": """
from typing import TYPE_CHECKING
import jax

if TYPE_CHECKING:
    from net.staged import Staged

class Base:
    pass
""",
    "net/staged.py": """
import jax
from net.model import Base, Other

class Staged(Base):
    pass
""",
}


def test_modules_that_import_each_other_lack_no_name_that_comes_later(tmp_path: Path):
    found = lint_files(tmp_path, CYCLE)
    assert [(f.name, f.line) for f in found] == [("cannot-run", 3)]
    assert "`Other`" in found[0].message
