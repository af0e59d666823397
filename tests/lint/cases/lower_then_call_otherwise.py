"""Functions that are lowered in one way and called in another."""

import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx


@jax.jit
def step(state, batch):
    return state + batch


def warmed_up(state, batches):
    step.lower(state, batches[0]).compile()  # ! lower-then-call-otherwise


def train(state, batches):
    for batch in batches:
        state = step(state, batch=batch)
    return state


if __name__ == "__main__":
    warmed_up(jnp.ones(3), [jnp.ones(3)])
    train(jnp.ones(3), [jnp.ones(3)])


@jax.jit
def traced_alone(state, batch):
    return state * batch


@jax.jit
def outer(state, batch):
    return traced_alone(state, batch=batch)


def warm_traced(state, batch):
    traced_alone.lower(state, batch).compile()
    return outer(state, batch)


def local(f, x, y):
    g = jax.jit(lambda x, y: x * y)
    _ = g.lower(x, y=y).compile()  # ! lower-then-call-otherwise
    return g(x, y)


def in_two_lines(x, y):
    g = jax.jit(lambda x, y: x * y)
    lowered = g.lower(x, y)
    print(lowered.as_text())
    lowered.compile()  # ! lower-then-call-otherwise
    return g(y=y, x=x)


def only_looked_at(x, y):
    g = jax.jit(lambda x, y: x * y)
    compiled = g.lower(x, y).compile()  # ! lower-then-call-otherwise
    print(compiled.memory_analysis(), compiled.cost_analysis())
    return g(x, y=y)


def looked_at_at_once(x, y):
    g = jax.jit(lambda x, y: x * y)
    flops = g.lower(x, y).compile().cost_analysis()["flops"]  # ! lower-then-call-otherwise
    return flops, g(x, y=y)


def called_alike(x, y):
    g = jax.jit(lambda x, y: x * y)
    g.lower(x, y).compile()
    return g(x, y)


def names_in_another_order(x, y):
    g = jax.jit(lambda x, y: x * y)
    g.lower(x=x, y=y).compile()
    return g(y=y, x=x)


def executable_called(x, y):
    g = jax.jit(lambda x, y: x * y)
    compiled = g.lower(x, y).compile()
    return compiled(x, y), g(x, y=y)


def executable_in_its_place(x, y):
    g = jax.jit(lambda x, y: x * y)
    g = g.lower(x, y=y).compile()
    return g(x, y=y)


def executable_given_back(x, y):
    g = jax.jit(lambda x, y: x * y)
    compiled = g.lower(x, y).compile()
    print(g(x, y=y))
    return compiled


def executable_kept(table, x, y):
    g = jax.jit(lambda x, y: x * y)
    table["g"] = g.lower(x, y).compile()
    return g(x, y=y)


def both_ways(x, y):
    g = jax.jit(lambda x, y: x * y)
    g.lower(x, y).compile()
    return g(x, y), g(x, y=y)


def unknown_arguments(args, x, y):
    g = jax.jit(lambda x, y: x * y)
    g.lower(*args).compile()
    return g(x, y=y)


def another_number(x, y):
    g = jax.jit(lambda x, y=2, z=3: x * y * z)
    g.lower(x, y).compile()
    return g(x, y, z=4)


def other_names(x, y):
    g = jax.jit(lambda x, y=2, z=3: x * y * z)
    g.lower(x, y=y).compile()
    return g(x, z=y)


def two_functions(x, y):
    g = jax.jit(lambda x, y: x * y)
    g.lower(x, y).compile()
    g = jax.jit(lambda x, y: x + y)
    return g(x, y=y)


def another_of_that_name(x, y):
    step = jax.jit(lambda x, y: x * y)
    return step(x, y)


def only_lowered(x, y):
    g = jax.jit(lambda x, y: x * y)
    print(g.lower(x, y).as_text())
    return g(x, y=y)


def words(x, y):
    pattern = "ABC".lower().compile()
    return pattern


def of_equinox(x, y):
    g = eqx.filter_jit(lambda x, y: x * y)
    g.lower(x, y).compile()
    return g(x, y=y)


def of_nnx(model, x):
    g = nnx.jit(lambda model, x: model(x))
    g.lower(model, x).compile()  # ! lower-then-call-otherwise
    return g(model, x=x)


def with_options(x, y):
    g = jax.jit(lambda x, y: x * y)
    fast = {"xla_cpu_enable_fast_math": True}
    g.lower(x, y).compile(compiler_options=fast)  # ! lower-then-call-otherwise
    return g(x, y)


def with_options_and_called(x, y):
    g = jax.jit(lambda x, y: x * y)
    fast = g.lower(x, y).compile(compiler_options={"xla_cpu_enable_fast_math": True})
    return fast(x, y), g(x, y)


def with_options_compared(x, y):
    g = jax.jit(lambda x, y: x * y)
    fast = g.lower(x, y).compile(compiler_options={"xla_cpu_enable_fast_math": True})
    print(fast.cost_analysis())
    return g(x, y)


def without_options(x, y):
    g = jax.jit(lambda x, y: x * y)
    g.lower(x, y).compile(compiler_options=None)
    g.lower(x, y).compile({})
    return g(x, y)


def with_unknown_options(x, y, options):
    g = jax.jit(lambda x, y: x * y)
    g.lower(x, y).compile(options)
    return g(x, y)


def dumped(x, y, folder):
    g = jax.jit(lambda x, y: x * y)
    g.lower(x, y).compile({"xla_dump_to": folder, "xla_dump_hlo_as_text": True})
    return g(x, y)


class Trainer:
    def __init__(self, update, example):
        self.update = jax.jit(lambda state, batch: state + batch)
        self.update.lower(example, example).compile()  # ! lower-then-call-otherwise

    def run(self, state, batch):
        return self.update(state, batch=batch)


Trainer(None, jnp.ones(3)).run(jnp.ones(3), jnp.ones(3))


class Careful:
    def __init__(self, example):
        self.update = jax.jit(lambda state, batch: state + batch)
        self.fast = self.update.lower(example, example).compile()

    def run(self, state, batch):
        return self.fast(state, batch) if batch.any() else self.update(state, batch=batch)


class Replaced:
    def __init__(self, example):
        self.update = jax.jit(lambda state, batch: state + batch)
        self.update.lower(example, example).compile()

    def slow(self):
        self.update = lambda state, batch: jnp.zeros(3)

    def run(self, state, batch):
        return self.update(state, batch=batch)


def one_or_the_other(x, y, dump):
    g = jax.jit(lambda x, y: x * y)
    if dump:
        g.lower(x, y).compile()
    elif x is not y:
        return g(x, y=y)
    else:
        return g(y, y=x)


def dump_and_leave(x, y, dump):
    g = jax.jit(lambda x, y: x * y)
    if dump:
        print(g.lower(x, y).compile().as_text())
        return None
    return g(x, y=y)


def dump_and_go_on(x, y, dump):
    g = jax.jit(lambda x, y: x * y)
    if dump:
        print(g.lower(x, y).compile().as_text())  # ! lower-then-call-otherwise
    return g(x, y=y)


def warm_within(x, y, warm):
    g = jax.jit(lambda x, y: x * y)
    if warm:
        g.lower(x, y).compile()  # ! lower-then-call-otherwise
        for _ in range(3):
            x = g(x, y=y)
        return x
    return y
