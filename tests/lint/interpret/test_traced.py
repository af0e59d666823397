"""Which functions are traced, as `--why` tells it, and what it says of their names.

Each case is a small program; functions that are not named in what is expected are not traced there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gotcha_lint.config.settings import Settings
from gotcha_lint.views.why import Looked
from tests.lint.support import code, lint_files
from tests.lint.traced_forms import ONE_FILE

HEAD = """import functools
from functools import partial
import jax
import jax.numpy as jnp
from jax import lax
"""


def looked(folder: Path, files: Mapping[str, str], path: str, **options: object) -> Looked:
    """What the engine sees of one file of a small project."""
    (folder / "pyproject.toml").touch()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(HEAD + code(text), "utf-8")
    settings = Settings(**options)  # type: ignore[arg-type]
    found = Looked(str(folder / path), lambda _: settings)
    assert found.failures == []
    return found


def traced(folder: Path, files: Mapping[str, str], **options: object) -> dict[str, str]:
    """The traced functions of all files, described."""
    out: dict[str, str] = {}
    for path in files:
        for each in looked(folder, files, path, **options).explained():
            words = each.text.partition("\n")[0].removeprefix(f"{each.name}: ")
            if words.startswith("traced"):
                out[each.name.replace("<locals>.", "")] = words.removeprefix("traced ")
    return out


def names(folder: Path, text: str, line: str) -> dict[str, str]:
    """What the names hold of the function around the line with this text."""
    files = {"program.py": text}
    lines = (HEAD + code(text)).splitlines()
    number = next(n for n, each in enumerate(lines, 1) if line in each)
    said = looked(folder, files, "program.py").why(number)
    found = (each.split(None, 1) for each in said.splitlines() if each.startswith("    "))
    return {name: words for name, words in found if name != "because:"}


@pytest.mark.parametrize("name", ONE_FILE)
def test_one_file(tmp_path: Path, name: str) -> None:
    text, expected = ONE_FILE[name]
    assert traced(tmp_path, {"program.py": text}) == expected


def test_across_files(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .losses import loss\nfrom pkg.wrap import *\n",
        "pkg/losses.py": "def loss(params):\n    return params\n",
        "pkg/wrap.py": """
            def fast(function, n=None):
                return cached(function)

            def cached(function):
                return jax.jit(function)
            """,
        "pkg/trainer.py": """
            from .losses import loss as objective

            class Base:
                def __init__(self):
                    self.step = jax.jit(self._step)

                    self.update = jax.jit(self._update)

                def _step(self, params):
                    return params
            """,
        "train.py": """
            import pkg
            from pkg import fast, loss
            from pkg.trainer import Base

            class Mine(Base):
                def _step(self, params):
                    return loss(params)

                def _update(self, params):
                    return params

            def step(params):
                return params

            other = pkg.fast(step)
            """,
    }
    assert traced(tmp_path, files) == {
        "loss": "(jit)",
        "Base._step": "(jit), static: self",
        "Mine._step": "(jit), static: self",
        "Mine._update": "(jit), static: self",
        "step": "(jit)",
    }


def test_declared_wrapper(tmp_path: Path) -> None:
    program = """
        from ourlib import compiled

        @compiled
        def f(x):
            return x

        @compiled(static_argnums=1)
        def g(x, n):
            return x
        """
    facts = {"ourlib.compiled": {"like": "jax.jit"}}
    assert traced(tmp_path, {"program.py": program}, facts=facts) == {
        "f": "(jit)",
        "g": "(jit), static: n",
    }


def test_called_from_both_sides(tmp_path: Path) -> None:
    program = """
        @jax.jit
        def step(x):
            return shared(x) + only(x)

        def shared(x): return x
        def only(x): return x
        print(shared(3))
        print(step(jnp.ones(3)))
        """
    found = looked(tmp_path, {"program.py": program}, "program.py")
    hosted = {each.name for each in found.explained() if "also called from code" in each.text}
    assert hosted == {"shared"}


def test_hot_functions(tmp_path: Path) -> None:
    program = """
        def set_up(): return build()
        def build(): return 1
        def step(x): return inner(x)
        def inner(x): return x
        def layer(x): return x

        def main(batches):
            set_up()
            for batch in batches:
                step(batch)
            layer(3)
        """
    found = looked(tmp_path, {"program.py": program}, "program.py")
    hot = {each.name for each in found.explained() if "runs many times" in each.text}
    assert hot == {"step", "inner"}


def test_what_parameters_hold(tmp_path: Path) -> None:
    program = """
        class Config:
            size: int = 3

            def width(self):
                return self.size

        @partial(jax.jit, static_argnums=(1,))
        def step(x: jax.Array, cfg: Config, n: int, *, flag: bool = False):
            loss = helper(x, cfg)
            size = x.shape[0]
            return loss + size * n * cfg.width()

        def helper(x, cfg):
            doubled = x * 2
            return doubled.sum()

        def body(scale, carry, x):
            return carry * scale, x

        @jax.jit
        def outer(xs):
            scale = jnp.sum(xs)
            return lax.scan(partial(body, scale), jnp.ones(()), xs)

        step(jnp.ones(3), Config(), 4)
        outer(jnp.ones(3))
        """
    step = names(tmp_path, program, "size = x")
    assert step["x"] == "traced float32[3]"
    assert step["cfg"] == "Config object"
    assert step["n"] == "traced int32[], weak type"
    assert step["loss"].startswith("traced ")
    assert step["size"] == "3"
    helper = names(tmp_path, program, "doubled =")
    assert helper["x"] == "traced float32[3]"
    assert names(tmp_path, program, "return carry")["scale"].startswith("traced float32")


def test_kinds_of_objects(tmp_path: Path) -> None:
    program = """
        import optax
        import flax.linen as nn
        from flax import nnx

        class Net(nn.Module):
            @nn.compact
            def __call__(self, x):
                return nn.Dense(3)(x)

        def main(path, learning_rate):
            net = Net()
            key = jax.random.key(0)
            key, sub = jax.random.split(key)
            keys = jax.random.split(key, 4)
            tx = optax.chain(optax.clip(1.0), optax.adam(learning_rate))
            fast = jax.jit(net.apply)
            same = path == "x"
            images = jnp.zeros((8, 3))
        """
    main = names(tmp_path, program, "net = Net")
    expected = {
        "net": "Net object",
        "key": "random key",
        "sub": "random key",
        "keys": "random keys[4]",
        "tx": "optimizer",
        "fast": "jit of a function",
        "same": "bool",
        "images": "float32[8, 3]",
    }
    assert {name: main[name] for name in expected} == expected


@pytest.mark.parametrize(("ends", "fixed"), [("pass", False), ("return x", True)])
@pytest.mark.parametrize("line", ["x.at[0].set(1.0)", "x[0] = 1.0"])
def test_a_parameter_changed_for_the_caller_is_not_bound_again(
    tmp_path: Path, line: str, ends: str, fixed: bool
) -> None:
    program = HEAD + f"def fill(x):\n    {line}\n    {ends}\n\n\nfill(jnp.zeros(3))\n"
    found = lint_files(
        tmp_path, {"program.py": program}, ("discarded-update", "inplace-assignment")
    )
    assert [finding.fix is not None for finding in found] == [fixed]
