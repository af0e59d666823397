import jax
import optax

tx = optax.adam(1e-3)


def in_the_loop(params, batches, gradient):
    for batch in batches:
        opt_state = tx.init(params)  # ! optimizer-reinitialised
        updates, opt_state = tx.update(gradient(params, batch), opt_state, params)
        params = optax.apply_updates(params, updates)
    return params


@jax.jit
def in_the_step(params, grads):
    state = tx.init(params)  # ! optimizer-reinitialised
    updates, _ = tx.update(grads, state, params)
    return optax.apply_updates(params, updates)


def before_the_loop(params, batches, gradient):
    opt_state = tx.init(params)
    for batch in batches:
        updates, opt_state = tx.update(gradient(params, batch), opt_state, params)
        params = optax.apply_updates(params, updates)
    return params


def each_run(seeds, make, batches, gradient):
    for seed in seeds:
        params = make(seed)
        opt_state = tx.init(params)
        for batch in batches:
            updates, opt_state = tx.update(gradient(params, batch), opt_state, params)
            params = optax.apply_updates(params, updates)


@jax.jit
def whole_training_in_one_program(params, grads):
    def one(carry, grad):
        params, state = carry
        updates, state = tx.update(grad, state, params)
        return (optax.apply_updates(params, updates), state), None

    state = tx.init(params)
    (params, state), _ = jax.lax.scan(one, (params, state), grads)
    return params


def only_once(params, batches, gradient):
    opt_state = None
    for batch in batches:
        if opt_state is None:
            opt_state = tx.init(params)
        updates, opt_state = tx.update(gradient(params, batch), opt_state, params)


@jax.jit
def unrolled(params, grads):
    state = tx.init(params)
    for grad in grads:
        updates, state = tx.update(grad, state, params)
        params = optax.apply_updates(params, updates)
    return params
