"""`cannot-run` in code that the interpreter does not run: tests, and functions of plain Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.support import code, found, lint_files, marks

SELECT = ("cannot-run",)

MODEL = code(
    """
    import jax
    import jax.numpy as jnp


    class Diffusion:
        def __init__(self, steps):
            self.steps = steps

        def sample(self, x, key, scale=1.0):
            return x + scale * jax.random.normal(key, x.shape)

        def losses(self, x):
            return jnp.mean(x), x

        @staticmethod
        def scaled(x):
            return 2 * x

        @property
        def size(self):
            return self.steps

        @classmethod
        def made(cls, steps):
            return cls(steps)

        def __call__(self, x, key):
            return self.sample(x, key)


    def load(path, step=None):
        if step is None:
            raise ValueError(path)
        return path, step, {}


    def maybe(path):
        if path:
            return path, 1
        return None
    """
)

TEST = code(
    """
    import unittest
    from unittest.mock import patch

    import jax.numpy as jnp
    import pytest

    from model import Diffusion, load, maybe


    class TestDiffusion(unittest.TestCase):
        def setUp(self):
            with patch("model.jnp"):
                self.diffusion = Diffusion(steps=4)
            self.x = jnp.ones(3)

        def test_sample(self):
            self.diffusion.sample(self.x)  # ! cannot-run
            self.diffusion.sample(self.x, 1, 2.0)
            self.diffusion(self.x)  # ! cannot-run
            self.diffusion.scaled(self.x)
            self.diffusion.scaled(self.x, 2)  # ! cannot-run
            self.diffusion.size()
            self.diffusion.made(3)
            with self.assertRaises(TypeError):
                self.diffusion.sample(self.x)

        def test_losses(self):
            loss, aux, more = self.diffusion.losses(self.x)  # ! cannot-run
            loss, aux = self.diffusion.losses(self.x)


    def test_load():
        a, b = load("x")  # ! cannot-run
        a, b, c = load("x")
        a, b, c = maybe("x")
        with pytest.raises(TypeError):
            load()
        try:
            load()
        except TypeError:
            pass
    """
)


def lines(tmp_path: Path, files: dict[str, str], **options: bool) -> object:
    return found(lint_files(tmp_path, files, SELECT, **options))


def test_calls_in_tests(tmp_path: Path) -> None:
    findings = lint_files(tmp_path, {"model.py": MODEL, "test_model.py": TEST}, SELECT)
    assert found(findings) == marks(TEST)


NAMES = code(
    """
    import jax
    import jax.numpy as jnp

    rate = make_rate()  # ! cannot-run


    def build(kind, x):
        if kind == "a":
            from math import sqrt

            y = sqrt(x)
        elif kind == "b":
            y = sqrt(2 * x)  # ! cannot-run
        else:
            y = steps  # ! cannot-run
            steps = 1
        return jnp.asarray(y)


    def loops(batches):
        for batch in batches:
            if batch:
                print(last)
            last = batch
        while True:
            try:
                value = next(batches)
            except StopIteration:
                print(value)
                break


    def handled():
        try:
            return unicode
        except NameError:
            return str


    def counter():
        global count
        count = 1

        def inner():
            nonlocal total
            total = 2

        inner()
        total = 0 if count else total
        return [total for total in range(3)], __file__, later()


    def make_rate():
        return 0.1


    def later():
        return gone  # ! cannot-run
    """
)


def test_names_that_nothing_binds(tmp_path: Path) -> None:
    assert lines(tmp_path, {"a.py": NAMES}) == marks(NAMES)


def test_a_name_of_the_file_that_is_bound_further_down(tmp_path: Path) -> None:
    text = "import jax\n\nprint(vars(jax))\nstep = jax.jit(loss)  # ! cannot-run\nloss = abs\n"
    findings = lint_files(tmp_path, {"a.py": text}, SELECT)
    assert found(findings) == marks(text)
    assert "`NameError`" in findings[0].message


@pytest.mark.parametrize(
    "line", ["from math import *", "globals().update(gone=1)", "exec('gone = 1')"]
)
def test_names_that_may_be_bound_otherwise(tmp_path: Path, line: str) -> None:
    text = f"import jax\n{line}\n\n\ndef f():\n    return jax.numpy.asarray(gone)\n"
    assert lines(tmp_path, {"a.py": text}) == []


SUBMODULES = code(
    """
    import jax


    def sync():
        jax.experimental.multihost_utils.sync_global_devices("end")  # ! cannot-run


    def ravel(tree):
        return jax.flatten_util.ravel_pytree(tree)  # ! cannot-run


    def kinds():
        return jax.tree_util.tree_leaves(jax.scipy.special.logsumexp(1.0))
    """
)


def test_submodules_of_jax_that_nothing_loads(tmp_path: Path) -> None:
    assert lines(tmp_path, {"a.py": SUBMODULES}) == marks(SUBMODULES)


@pytest.mark.parametrize(
    ("first", "count"),
    [
        ("from jax.experimental import multihost_utils", 1),
        ("import orbax.checkpoint as ocp", 0),
        ("import optax", 1),
        ("import brax", 0),
        ("import chex", 2),
        ("from helper import x", 1),
    ],
)
def test_submodules_that_something_loads(tmp_path: Path, first: str, count: int) -> None:
    helper = "import jax\nfrom jax.experimental import multihost_utils\n\nx = jax.numpy.ones(1)\n"
    files = {"a.py": f"{first}\n{SUBMODULES}", "helper.py": helper}
    assert len(lint_files(tmp_path, files, SELECT)) == count


def test_modules_that_a_package_lacks(tmp_path: Path) -> None:
    text = code(
        """
        import jax
        from pkg.envs.gone import Env  # ! cannot-run
        from pkg.tools import plain
        from pkg._version import version
        from pkg.filled import anything

        try:
            from pkg.fast import kernel
        except ImportError:
            kernel = None


        def late():
            from pkg.envs.later import Env  # ! cannot-run
            from pkg.tools import missing  # ! cannot-run
            from .also_gone import x  # ! cannot-run

            return jax.jit(Env)
        """
    )
    files = {
        "pkg/envs/a.py": text,
        "pkg/envs/__init__.py": "",
        "pkg/tools/plain.py": "x = 1\n",
        "pkg/filled/__init__.py": "anything = 1\n",
    }
    assert lines(tmp_path, files) == marks(text)


def test_another_package_of_that_name_may_be_meant(tmp_path: Path) -> None:
    files = {
        "pkg/tests/test_a.py": "import jax\nfrom tests.common import x\n\njax.jit(x)\n",
        "tests/helper.py": "x = 1\n",
    }
    assert lines(tmp_path, files) == []
    (tmp_path / "pkg/pyproject.toml").touch()  # the project is called as its package
    (tmp_path / "tests/helper.py").unlink()
    (tmp_path / "tests").rmdir()
    text = "import jax\nfrom pkg.other import x\n\njax.jit(x)\n"
    assert lines(tmp_path, {"pkg/examples/a.py": text}) == []


def test_a_folder_that_is_called_as_a_library(tmp_path: Path) -> None:
    text = "import jax\nfrom layers.attention import x\n\njax.jit(x)\n"
    assert lines(tmp_path, {"pkg/models/layers/a.py": text, "pkg/__init__.py": ""}) == []
    assert lines(tmp_path / "other", {"pkg/models/layers/a.py": text}) == []


def test_one_import_that_fails_ends_a_file(tmp_path: Path) -> None:
    text = "import jax\nfrom pkg.gone import x\nfrom pkg.also import y\n\njax.jit(x)\n"
    files = {"pkg/a.py": text, "pkg/__init__.py": ""}
    assert lines(tmp_path, files) == [(2, "cannot-run")]


ATTRIBUTES = code(
    """
    from dataclasses import dataclass
    from typing import NamedTuple

    import jax
    from flax import nnx


    class Config(NamedTuple):
        width: int
        depth: int = 2


    @dataclass
    class Options:
        rate: float


    class Model(nnx.Module):
        scale = 2.0

        def __init__(self, config: Config, rngs):
            self.config = config
            self.embed = nnx.Embed(10, config.width, rngs=rngs)
            self.train()

        def __call__(self, x):
            return self.embed(x) * self.scale * self.offset  # ! cannot-run

        @property
        def size(self):
            return self.config.depth


    class Open:
        def __init__(self, **options):
            for name, value in options.items():
                setattr(self, name, value)


    class Part:
        def __init__(self):
            self.own = 1

        def run(self):
            return self.given_by_a_class_elsewhere


    def main():
        model = Model(Config(3), nnx.Rngs(0))
        print(model.size, model.head)  # ! cannot-run
        if hasattr(model, "tied"):
            print(model.tied)
        options = Options(0.1)
        print(options.rate, options.decay)  # ! cannot-run
        print(Open(rate=1).rate, Config(2)._replace(width=3))
        try:
            print(options.other)
        except AttributeError:
            pass
        return jax.jit(model)


    def annotated(options: Options):
        return options.speed
    """
)


RECORDS = """\
from dataclasses import dataclass
from typing import NamedTuple

from flax import nnx


class State(NamedTuple):
    step: int


class Size:
    def __init__(self, rows):
        self.rows = rows


class Grid(nnx.Module):
    def __init__(self, size):
        self.side = size.rows

    def area(self):
        return self.rows * self.side  # ! cannot-run


def moved(state: State):
    return state.replace(step=state.step + 1)  # ! cannot-run


def main():
    return Grid(Size(3)).area(), moved(State(0))
"""


def test_attributes_of_named_tuples_and_of_other_classes(tmp_path: Path) -> None:
    """What others set for themselves is none of this class; an annotated tuple is no other."""
    assert lines(tmp_path, {"a.py": RECORDS}) == marks(RECORDS)


def test_attributes_that_no_object_of_the_class_has(tmp_path: Path) -> None:
    assert lines(tmp_path, {"a.py": ATTRIBUTES}) == marks(ATTRIBUTES)
    also = lint_files(tmp_path, {"a.py": ATTRIBUTES}, SELECT, all=True)
    wanted = len(ATTRIBUTES.splitlines())
    assert [finding.line for finding in also if finding.severity == "info"] == [wanted]
