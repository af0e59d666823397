"""Programs with every way in which a function comes to be traced, and what is expected of each."""

from __future__ import annotations

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
        {"Net.__call__": "(jit)", "step": "(jit)"},
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
            "Net.__call__": "(jit)",
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
            "f": "(custom_vjp)",
            "g": "(custom_jvp)",
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
            "cond": "(while_loop)",
            "body": "(while_loop)",
            "turn": "(fori_loop)",
            "each": "(map)",
            "both": "(associative_scan)",
            "run.<lambda>": "(while_loop)",
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
        {"f": "(declared)", "g": "(declared), static: n"},
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
        {"f": "(jit)", "h": "(jit)", "k": "(jit)"},
    ),
    "decorators that may be given their function later": (
        """
        def timed(function=None, name=None, plain=False):
            if function is None:
                return partial(timed, name=name)

            def inner(*args):
                return function(*args)

            if plain:
                return function
            return inner

        def counted(function=None, *, start=0):
            def decorator(function):
                def inner(*args):
                    return function(*args)

                return inner

            if function is not None:
                return decorator(function)
            return decorator

        def compiled(function=None, **options):
            if function is None:
                return partial(compiled, **options)
            return jax.jit(function, **options)

        @timed
        @jax.jit
        def norm(x):
            return x

        @compiled(donate_argnums=0)
        def power(x):
            return x

        @compiled
        def double(x):
            return length(x)

        @timed
        def length(x):
            return x

        @timed(name="of files")
        def save(path):
            return path

        @counted
        def load(path):
            return path

        @counted(start=1)
        def size(x):
            return x

        @jax.jit
        def step(x):
            return norm(x) + size(x)

        def main(path):
            save(path)
            load(path)
        """,
        {
            "norm": "(jit)",
            "power": "(jit)",
            "double": "(jit)",
            "length": "(jit)",
            "size": "(jit)",
            "step": "(jit)",
            "timed.inner": "(jit)",
            "counted.decorator.inner": "(jit)",
        },
    ),
    "compiled in its own place": (
        """
        class Workflow:
            @classmethod
            def compile(cls):
                cls.step = jax.jit(cls.step, static_argnums=(0,))

            def step(self, x):
                return x

        class Other(Workflow):
            @classmethod
            def compile(cls):
                super().compile()

        def train(workflow):
            return workflow.step(1)

        Workflow.compile()
        train(Workflow())
        """,
        {"Workflow.step": "(jit), static: self"},
    ),
    "pallas": (
        """
        from jax.experimental import pallas as pl

        def kernel(x_ref, o_ref):
            o_ref[...] = x_ref[...]

            @partial(lax.fori_loop, 0, 10, init_val=None)
            def turn(i, carry):
                return carry

            @pl.when(pl.program_id(0) == 0)
            def first():
                pass

        def add(x):
            return pl.pallas_call(partial(kernel), out_shape=x)(x)
        """,
        {
            "kernel.turn": "(fori_loop)",
        },
    ),
}
