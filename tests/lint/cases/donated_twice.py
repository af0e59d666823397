import jax
import jax.numpy as jnp

both = jax.jit(lambda p, q: (p, q), donate_argnums=(0, 1))
first = jax.jit(lambda p, q: p + q, donate_argnums=0)
second_by_name = jax.jit(lambda p, q: p + q, donate_argnames="q")
none = jax.jit(lambda p, q: p + q)


def same(x):
    return both(x, x)  # ! donated-twice


def donated_and_read(x):
    return first(x, x)  # ! donated-twice


def by_name(x):
    return second_by_name(x, q=x)  # ! donated-twice


def copied(x):
    return both(x, jnp.copy(x))


def not_donating(x):
    return none(x, x)


def numbers():
    size = 3
    return first(size, size)


def parts(state):
    return both(state.params, state.ema)


@jax.jit
def inside_a_trace(x):
    return both(x, x)


def average_is_the_parameters(params, loader):
    ema = params
    for batch in loader:
        params, ema = both(params, ema)  # ! donated-twice
        print(batch)


def target_is_the_network(agent, loader):
    target = agent.params
    for _ in loader:
        target = first(target, agent.params)  # ! donated-twice


def started_from_a_copy(params, loader):
    ema = jax.tree.map(jnp.copy, params)
    for _ in loader:
        params, ema = both(params, ema)


def replaced_before(params, grads):
    ema = params
    params = params - grads
    return both(params, ema)


def replaced_by_a_method(agent, loader):
    target = agent.params
    for batch in loader:
        agent.update(batch)
        target = first(target, agent.params)


def only_sometimes(params, other, resume):
    ema = other
    if resume:
        ema = params
    return both(params, ema)


def not_donating_either(params):
    ema = params
    return none(params, ema)


def read_by_another(params):
    old = params
    return none(old, both(params, jnp.copy(old)))


def not_in_the_first_turn(params, loader):
    best = params
    for number, batch in enumerate(loader):
        if number > 0:
            best = first(best, params)
        params = params + batch
