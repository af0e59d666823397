"""Which functions the analysis believes traced, and what it believes of their parameters.

Each case is a small program; functions that are not named in what is expected must not be traced.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gotcha_lint import engine
from gotcha_lint.analysis import describe
from gotcha_lint.analysis.sites import Body
from gotcha_lint.config import Settings
from tests.lint.support import code

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


ONE_FILE: dict[str, tuple[str, dict[str, str]]] = {
    "decorator": (
        """
        @jax.jit
        def f(x):
            return x

        def plain(x):
            return x
        """,
        {"f": "(jit)"},
    ),
    "decorator factory": (
        """
        @jax.jit(static_argnames=("n",))
        def f(x, n):
            return x

        @jax.jit(static_argnames=["n", "flag"])
        def g(x, n, flag):
            return x

        @jax.jit(static_argnames="n")
        def h(x, n):
            return x
        """,
        {
            "f": "(jit), static: n",
            "g": "(jit), static: flag, n",
            "h": "(jit), static: n",
        },
    ),
    "partial of jit": (
        """
        @partial(jax.jit, static_argnums=(1,))
        def f(x, n):
            return x

        @functools.partial(jax.jit, static_argnums=-1)
        def g(x, n):
            return x

        my_jit = partial(jax.jit, static_argnames="mode")

        @my_jit
        def h(x, mode):
            return x

        STATIC = ("mode",)

        @partial(jax.jit, static_argnames=STATIC)
        def i(x, mode):
            return x
        """,
        {
            "f": "(jit), static: n",
            "g": "(jit), static: n",
            "h": "(jit), static: mode",
            "i": "(jit), static: mode",
        },
    ),
    "bound to a name": (
        """
        def f(x, n):
            return x

        fast = jax.jit(f, static_argnums=1)
        """,
        {"f": "(jit), static: n"},
    ),
    "bound to an attribute": (
        """
        class Trainer:
            def __init__(self, model):
                self.model = model
                self.step = jax.jit(self._step, static_argnums=(1,))
                self.table = {"eval": jax.jit(self._eval)}

            def _step(self, params, size):
                return self._loss(params)

            def _loss(self, params):
                return params

            def _eval(self, params):
                return params

            def run(self, params):
                return self.step(params, 3)
        """,
        {
            "Trainer._step": "(jit), static: self, size",
            "Trainer._loss": "(jit)",
            "Trainer._eval": "(jit), static: self",
        },
    ),
    "lambda": (
        """
        f = jax.jit(lambda x: g(x))

        def g(x):
            return x

        def h(y):
            return jax.tree.map(lambda leaf: leaf + 1, y)
        """,
        {"<lambda>": "(jit)", "g": "(jit)"},
    ),
    "nested function": (
        """
        def make(model):
            @jax.jit
            def step(params, x):
                def loss(params):
                    return helper(params, x)
                return jax.grad(loss)(params)
            return step

        def helper(params, x):
            return params * x
        """,
        {"make.step": "(jit)", "make.step.loss": "(grad, jit)", "helper": "(grad, jit)"},
    ),
    "method": (
        """
        class Model:
            @partial(jax.jit, static_argnums=0)
            def step(self, x):
                return self.helper(x)

            def helper(self, x):
                return x

            @staticmethod
            @jax.jit
            def update(x):
                return x

            @classmethod
            @partial(jax.jit, static_argnums=(0,))
            def build(cls, x):
                return x
        """,
        {
            "Model.step": "(jit), static: self",
            "Model.helper": "(jit)",
            "Model.update": "(jit)",
            "Model.build": "(jit), static: cls",
        },
    ),
    "modules, by convention": (
        """
        import equinox as eqx
        import flax.linen as nn
        from flax import nnx

        class Base(nn.Module):
            pass

        class Dense(Base):
            @nn.compact
            def __call__(self, x):
                return self.helper(x)

            def helper(self, x):
                return x

        class Block(nnx.Module):
            def __init__(self, rngs):
                self.size = 3

            def __call__(self, x):
                return x

        class Linear(eqx.Module):
            def __call__(self, x):
                return x
        """,
        {
            "Dense.__call__": "by convention (module)",
            "Dense.helper": "by convention (module)",
            "Block.__call__": "by convention (module)",
            "Linear.__call__": "by convention (module)",
        },
    ),
    "modules, called from a step": (
        """
        import flax.linen as nn

        class Net(nn.Module):
            @nn.compact
            def __call__(self, x, train=False):
                return x

        net = Net()

        @jax.jit
        def step(params, x):
            return net.apply({"params": params}, x, train=True)

        def unused(x):
            return x
        """,
        {"Net.__call__": "(jit, module)", "step": "(jit)"},
    ),
    "nnx.jit, nn.jit, filter_jit": (
        """
        import equinox as eqx
        import flax.linen as nn
        from flax import nnx

        @nnx.jit
        def f(model, x):
            return x

        @nnx.jit(static_argnames="n")
        def g(model, n):
            return n

        @eqx.filter_jit
        def h(model, x):
            return x

        @eqx.filter_value_and_grad
        def loss(model, x):
            return x

        class Net(nn.Module):
            @nn.jit
            def __call__(self, x):
                return x

            @nn.remat
            def body(self, x):
                return x
        """,
        {
            "f": "(nnx.jit)",
            "g": "(nnx.jit), static: n",
            "h": "(jit)",
            "loss": "(value_and_grad)",
            "Net.__call__": "(module, nn.transform)",
            "Net.body": "(checkpoint)",
        },
    ),
    "grad, vmap, pmap, shard_map, checkpoint": (
        """
        from jax.experimental.shard_map import shard_map
        from jax.sharding import PartitionSpec as P

        def a(x): return x
        def b(x): return x
        def c(x): return x
        def d(x): return x
        def e(x): return x
        def f(x): return x
        def g(x): return x

        ga = jax.grad(a)
        gb = jax.value_and_grad(b, has_aux=True)
        gc = jax.vmap(c, in_axes=0)
        gd = jax.pmap(d, axis_name="i")
        ge = shard_map(e, mesh=None, in_specs=P(), out_specs=P())
        gf = jax.remat(f)

        @partial(jax.shard_map, mesh=None, in_specs=P(), out_specs=P())
        def h(x): return x

        @partial(jax.checkpoint, static_argnums=(1,))
        def i(x, n): return x
        """,
        {
            "a": "(grad)",
            "b": "(value_and_grad)",
            "c": "(vmap)",
            "d": "(pmap)",
            "e": "(shard_map)",
            "f": "(checkpoint)",
            "h": "(shard_map)",
            "i": "(checkpoint), static: n",
        },
    ),
    "custom_vjp": (
        """
        @jax.custom_vjp
        def f(x, y):
            return x * y

        def f_fwd(x, y):
            return f(x, y), (x, y)

        def f_bwd(res, g):
            return g, g

        f.defvjp(f_fwd, f_bwd)

        @partial(jax.custom_jvp, nondiff_argnums=(1,))
        def g(x, n):
            return x

        @g.defjvp
        def g_jvp(n, primals, tangents):
            return primals, tangents
        """,
        {
            "f": "(custom)",
            "f_fwd": "(custom)",
            "f_bwd": "(custom)",
            "g": "(custom), static: n",
            "g_jvp": "(custom)",
        },
    ),
    "control flow": (
        """
        def s(c, x): return c, x
        def t(x): return x
        def e(x): return x
        def b0(x): return x
        def b1(x): return x
        def cond(x): return x
        def body(x): return x
        def turn(i, x): return x
        def each(x): return x
        def both(a, b): return a

        def run(c, xs, i):
            c, _ = lax.scan(s, c, xs)
            c = jax.lax.cond(i, t, e, c)
            c = lax.switch(i, [b0, b1], c)
            c = lax.while_loop(cond, body, c)
            c = lax.fori_loop(0, 10, turn, c)
            c = lax.map(each, c)
            c = lax.associative_scan(both, c)
            return lax.while_loop(cond_fun=lambda x: x, body_fun=body, init_val=c)
        """,
        {
            "s": "(scan)",
            "t": "(cond)",
            "e": "(cond)",
            "b0": "(switch)",
            "b1": "(switch)",
            "cond": "(while)",
            "body": "(while)",
            "turn": "(fori)",
            "each": "(map)",
            "both": "(associative_scan)",
            "run.<lambda>": "(while)",
        },
    ),
    "wrappers of wrappers": (
        """
        def loss(params, x):
            return params

        step = jax.jit(jax.vmap(jax.grad(loss), in_axes=(None, 0)))

        @jax.jit
        @partial(jax.vmap, in_axes=(0, None))
        def f(x, y):
            return x

        @partial(jax.jit, static_argnames="n")
        @jax.named_call
        def g(x, n):
            return x
        """,
        {"loss": "(grad, jit, vmap)", "f": "(jit, vmap)", "g": "(jit), static: n"},
    ),
    "partial-bound arguments": (
        """
        def step(model, params, x, mode):
            return x

        fast = jax.jit(partial(step, "model", mode="train"))
        """,
        {"step": "(jit), static: mode, model"},
    ),
    "aliases": (
        """
        import jax as j
        import jax.numpy as np
        from jax import jit as compile_, vmap
        from jax.lax import scan as loop

        @compile_
        def f(x):
            return np.sum(x)

        @j.jit
        def g(x):
            return loop(body, x, None)

        def body(c, x):
            return c, x

        v = vmap(lambda x: x)
        """,
        {"f": "(jit)", "g": "(jit)", "body": "(jit, scan)", "<lambda>": "(vmap)"},
    ),
    "declared in a comment": (
        """
        def f(x, n):  # gotcha: traced
            return x

        # gotcha: static(n)
        def g(x, n):
            return x

        def h(x):  # gotcha: host
            return x

        compiled = jax.jit(h)
        """,
        {"f": "(jit)", "g": "(jit), static: n"},
    ),
    "host callbacks": (
        """
        def host(x):
            return x

        @jax.jit
        def f(x):
            jax.debug.callback(host, x)
            return jax.pure_callback(host, x, x)
        """,
        {"f": "(jit)"},
    ),
    "inferred wrappers": (
        """
        def named_jit(function, name):
            return jax.jit(function)

        def deeper(function):
            return named_jit(function, "x")

        def decorator(static):
            def wrap(function):
                return jax.jit(function, static_argnames=("n",))
            return wrap

        def checked(function):
            compiled = jax.jit(function)

            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                return compiled(*args, **kwargs)
            return wrapper

        def runs_it(function, x):
            return lax.scan(function, x, None)

        def step(x): return x
        def other(x): return x
        def body(c, x): return c, x

        fast = named_jit(step, "step")
        fast2 = deeper(other)
        result = runs_it(body, 1)

        @decorator("n")
        def f(x, n):
            return x

        @checked
        def g(x):
            return x
        """,
        {
            "step": "(jit)",
            "other": "(jit)",
            "body": "(scan)",
            "f": "(jit), static: n",
            "g": "(jit)",
        },
    ),
    "wrapper classes": (
        """
        class Compiled:
            def __init__(self, function):
                self.function = function
                self.fast = jax.jit(function)

            def __call__(self, x):
                return self.fast(x)

        class Lazy:
            def __init__(self, function):
                self.function = function

            def compile(self):
                return jax.jit(self.function)

        class Learner:
            def wrap(self, function):
                return jax.jit(function)

        def f(x): return x
        def g(x): return x
        def h(x): return x

        @Compiled
        def k(x): return x

        c = Compiled(f)
        l = Lazy(g)
        m = Learner().wrap(h)
        """,
        {"f": "(jit)", "g": "(jit)", "h": "(jit)", "k": "(jit)"},
    ),
    "pallas": (
        """
        from jax.experimental import pallas as pl

        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[...]

        def add(x):
            return pl.pallas_call(kernel, out_shape=x)(x)
        """,
        {"kernel": "(pallas)"},
    ),
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
                    raise NotImplementedError
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
                raise NotImplementedError

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
