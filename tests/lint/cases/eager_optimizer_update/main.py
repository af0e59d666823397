import jax
import optax

from .library import fit
from .parts import apply_all, apply_all_well, evaluate

tx = optax.adam(1e-3)
gradient = jax.jit(jax.grad(lambda p, b: (p * b).sum()))


def train(params, batches):
    state = tx.init(params)
    for number, batch in enumerate(batches):
        grads = gradient(params, batch)
        params, state = apply_all(tx, grads, state, params)
        params, state = apply_all_well(tx, grads, state, params)
        print(number)
    evaluate(tx, params, state)
    return fit(tx, params, batches)
