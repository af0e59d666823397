"""Which functions the analysis believes traced, and what it believes of their parameters.

Each case is a small program; functions that are not named in what is expected must not be traced.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gotcha_lint import engine
from gotcha_lint.analysis.sites import Body
from gotcha_lint.config.settings import Settings
from gotcha_lint.views import describe
from tests.lint.support import code, lint_files
from tests.lint.traced_forms import ONE_FILE

HEAD = """import functools
from functools import partial
import jax
import jax.numpy as jnp
from jax import lax
"""


def bodies(folder: Path, files: Mapping[str, str], **options: object) -> dict[str, Body]:
    """The analysed functions of a small project by qualified name."""
    (folder / "pyproject.toml").touch()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + code(text), "utf-8")
    paths = [str(folder / name) for name in files]
    settings = Settings(**options)  # type: ignore[arg-type]
    report = engine.lint(paths, lambda _: settings, keep=True)
    assert report.failures == [] and report.state is not None
    shard = report.state.pool.local()
    return {
        function.qualname.replace("<locals>.", ""): shard.bodies()[path, function.number]
        for path in paths
        for function in shard.models[path].functions
    }


def traced(folder: Path, files: Mapping[str, str], **options: object) -> dict[str, str]:
    """The traced functions, described."""
    return {
        name: describe.trace(body.trace).removeprefix("traced ")
        for name, body in bodies(folder, files, **options).items()
        if body.trace is not None
    }


def names(folder: Path, text: str) -> dict[str, dict[str, str]]:
    """What the names of each function hold, described."""
    return {
        function: {name: describe.value(value) for name, value in body.names.items()}
        for function, body in bodies(folder, {"program.py": text}).items()
    }


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
        """
    found = bodies(tmp_path, {"program.py": program})
    assert found["shared"].hosted and not found["shared"].only_traced
    assert found["only"].only_traced


def test_hot_functions(tmp_path: Path) -> None:
    program = """
        def set_up(): return build()
        def build(): return 1
        def step(x): return inner(x)
        def inner(x): return x
        def layer(x): return x

        def main(batches):
            set_up()
            for _ in (1, 2):
                layer(3)
            for batch in batches:
                step(batch)
        """
    found = bodies(tmp_path, {"program.py": program})
    assert {name for name, body in found.items() if body.hot} == {"step", "inner"}


def test_kinds_of_parameters(tmp_path: Path) -> None:
    program = """
        class Config:
            size: int = 3

            def width(self):
                return self.size

        @partial(jax.jit, static_argnums=(1,))
        def step(x: jax.Array, cfg: Config, n: int, mode="train", *, flag: bool = False):
            out = cfg.model.apply(x)
            loss = helper(x, cfg)
            size = x.shape[0]
            return out

        def helper(x, cfg):
            doubled = x * 2
            return doubled.sum()

        def body(scale, carry, x):
            return carry * scale, x

        @jax.jit
        def outer(xs):
            scale = jnp.sum(xs)
            return lax.scan(partial(body, scale), xs, xs)

        step(jnp.ones(3), Config(), 4)
        """
    found = names(tmp_path, program)
    step = found["step"]
    assert step["x"] == "traced array"
    assert step["cfg"] == "Config object"
    assert step["n"] == "traced array"  # the annotation is wrong: nothing makes it static
    assert step["mode"] == "traced value, perhaps"
    assert step["flag"] == "traced array, perhaps"
    assert step["out"] == "traced value, perhaps"
    assert step["loss"] == "traced array"
    assert step["size"] == "static int"
    assert found["helper"]["x"] == "traced array"
    assert found["helper"]["cfg"] == "Config object"
    assert found["body"]["scale"] == "traced array"


def test_unmapped_arguments(tmp_path: Path) -> None:
    program = """
        def f(x, n):
            return x * n

        g = jax.vmap(f, in_axes=(0, None))
        g(jnp.ones(3), 4)

        @partial(jax.vmap, in_axes=(0, None))
        def h(x, n):
            return x

        fast = jax.jit(h)
        """
    found = names(tmp_path, program)
    assert found["f"]["x"] == "traced array"
    assert found["f"]["n"] == "static int"
    assert found["h"] == {"x": "traced value", "n": "traced value"}


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
            params = net.init(key, jnp.ones(3))["params"]
            tx = optax.chain(optax.clip(1.0), optax.adam(learning_rate))
            injected = optax.inject_hyperparams(optax.adamw)(learning_rate=1e-3)
            state = tx.init(params)
            fast = jax.jit(net.apply)
            loss, grads = jax.value_and_grad(lambda p: 0.0)(params)
            (value, aux), more = jax.value_and_grad(lambda p: (0.0, p), has_aux=True)(params)
            rngs = nnx.Rngs(0)
            noise = rngs.noise()
            ref = jax.new_ref(jnp.zeros(3))
            same = path == "x"
            unknown = path > 3
            pairs = zip(*path)
        """
    main = names(tmp_path, program)["main"]
    expected = {
        "net": "Net object",
        "key": "random key",
        "sub": "random key",
        "keys": "random key",
        "params": "pytree of arrays",
        "tx": "optax.GradientTransformation object",
        "injected": "optax.GradientTransformation object",
        "state": "pytree of arrays",
        "loss": "array",
        "grads": "pytree of arrays",
        "value": "array",
        "aux": "pytree of arrays",
        "more": "pytree of arrays",
        "rngs": "flax.nnx.Rngs object",
        "noise": "random key",
        "ref": "jax.Ref object",
        "same": "static bool",
        "unknown": "",
        "pairs": "",
    }
    assert {name: main[name] for name in expected} == expected


def test_static_arguments_through_a_partial(tmp_path: Path) -> None:
    program = """
        @partial(jax.jit, static_argnames=["n"])
        def step(carry, x, n=3):
            return carry, x

        def run(xs):
            return lax.scan(partial(step, n=4), xs, xs)

        mapped = jax.shard_map(partial(step, n=5), mesh=None, in_specs=None, out_specs=None)
        mapped(jnp.ones(3), jnp.ones(3))
        """
    assert names(tmp_path, program)["step"]["n"] == "static int"


def test_methods_of_classes_below(tmp_path: Path) -> None:
    program = """
        class Base:
            @partial(jax.jit, static_argnums=0)
            def step(self, x):
                return self.loss(x)

            def loss(self, x):
                return 2 * x

        class Mine(Base):
            def loss(self, x):
                return x
        """
    found = traced(tmp_path, {"program.py": program})
    assert found["Base.loss"] == "(jit)"
    assert found["Mine.loss"] == "by convention (jit)"


def test_results_of_loops(tmp_path: Path) -> None:
    program = """
        def body(carry, key):
            total, number, table = carry
            return carry, number

        def turn(i, state):
            return state

        def main(xs, config):
            keys = jax.random.split(jax.random.key(0), 3)
            start = (jnp.zeros(3), 0, {"a": jnp.ones(2)})
            (total, number, table), ys = lax.scan(body, start, keys)
            inner = table["a"]
            count, array = lax.fori_loop(0, 3, turn, (1, jnp.ones(3)))
            state = lax.while_loop(lambda s: True, lambda s: s, jnp.ones(3))
        """
    found = names(tmp_path, program)
    main, body, turn = found["main"], found["body"], found["turn"]
    arrays = ("total", "number", "inner", "count", "array", "state")
    assert {main[name] for name in arrays} == {"array"}
    assert main["ys"] == ""
    assert body["number"] == "traced array" and body["key"] == "traced random key"
    assert turn == {"i": "traced array", "state": "traced (traced array, traced array)"}


def test_references_are_assignable(tmp_path: Path) -> None:
    program = """
        from jax.experimental import pallas as pl

        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[...]
            o_ref[0] += 1

        add = pl.pallas_call(kernel, out_shape=None)

        @jax.jit
        def f(x):
            ref = jax.new_ref(x)
            ref[0] = 1.0
            return ref[...]
        """
    assert lint_files(tmp_path, {"program.py": HEAD + code(program)}, ("inplace-assignment",)) == []
    assert names(tmp_path, program)["f"]["ref"] == "jax.Ref object"


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
