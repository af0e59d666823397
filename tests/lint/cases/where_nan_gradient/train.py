import jax
import jax.numpy as jnp

from .numbers import root_of_the_data, safe_root


def make_step(scale):
    def loss_fn(params, batch):
        spread = safe_root(jnp.var(params["w"]))
        return spread + jnp.sum(params["w"] * root_of_the_data(batch)), {"spread": spread}

    @jax.jit
    def step(params, batch):
        (loss, aux), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, batch)
        return jax.tree.map(lambda p, g: p - scale * g, params, grads), loss

    return step
