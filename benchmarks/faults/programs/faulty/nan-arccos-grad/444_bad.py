"""Fit a categorical model to a target by the Bhattacharyya angle."""
import jax
import jax.numpy as jnp
import numpy as np
import optax


def angle(p, q):
    overlap = jnp.vdot(jnp.sqrt(p), jnp.sqrt(q))
    return jnp.arccos(jnp.clip(overlap, -1.0, 1.0))


class SimplexModel:
    def __init__(self, num_states, num_contexts, temperature=1.0):
        self.num_states = num_states
        self.num_contexts = num_contexts
        self.temperature = temperature

    def init(self, key):
        return {"logits": 0.1 * jax.random.normal(key, (self.num_contexts, self.num_states))}

    def __call__(self, params):
        return jax.nn.softmax(params["logits"] / self.temperature, axis=-1)


def make_step(model, tx, target):
    def cost(params):
        return jnp.mean(jax.vmap(angle)(model(params), target))

    @jax.jit
    def step(params, opt_state):
        value, grads = jax.value_and_grad(cost)(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, value, optax.global_norm(grads)

    return step


def pretrained_init(model, target, key, known):
    """Start from the target's own logits for the contexts that are known already."""
    params = model.init(key)
    logits = params["logits"].at[known].set(jnp.log(target[known]))
    return {"logits": logits}


def fit(model, target, steps, known=(0,), lr=0.05):
    tx = optax.adam(lr)
    params = pretrained_init(model, target, jax.random.key(0), jnp.asarray(known))
    opt_state = tx.init(params)
    step = make_step(model, tx, target)
    for _ in range(steps):
        params, opt_state, value, norm = step(params, opt_state)
    return params, value, norm


if __name__ == "__main__":
    target = np.random.default_rng(0).dirichlet(np.ones(4), size=3).astype(np.float32)
    target[0] = [0.25, 0.25, 0.25, 0.25]
    params, value, norm = fit(SimplexModel(4, 3), jnp.asarray(target), steps=100)
    print("mean angle", float(value), "gradient norm", float(norm))
