"""Compare optimizer settings on a small variational circuit."""
import jax
import jax.numpy as jnp
import numpy as np
import optax

opt = optax.inject_hyperparams(optax.adam)(learning_rate=0.3)


def rotation(theta):
    c, s = jnp.cos(theta / 2), jnp.sin(theta / 2)
    return jnp.array([[c, -s], [s, c]])


def circuit(data, params):
    state = jnp.array([1.0, 0.0])
    for layer in params["weights"]:
        state = rotation(data) @ state
        state = rotation(layer) @ state
    return state[0] ** 2 - state[1] ** 2 + params["bias"]


def loss_fn(params, data, targets):
    predictions = jax.vmap(circuit, in_axes=(0, None))(data, params)
    return jnp.mean((targets - predictions) ** 2)


@jax.jit
def update_step(params, opt_state, data, targets):
    loss, grads = jax.value_and_grad(loss_fn)(params, data, targets)
    updates, opt_state = opt.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state, loss


def optimization(params, data, targets, learning_rate, steps):
    opt_state = opt.init(params)
    opt_state.hyperparams["learning_rate"] = jnp.float32(learning_rate)
    for _ in range(steps):
        params, opt_state, loss = update_step(params, opt_state, data, targets)
    return float(loss)


def initial_params(layers=4, seed=0):
    rng = np.random.default_rng(seed)
    return {"weights": jnp.asarray(rng.normal(size=layers), jnp.float32),
            "bias": jnp.zeros(())}


def compare(learning_rates, steps=40):
    data = jnp.linspace(-2, 2, 24)
    targets = jnp.sin(data)
    return {lr: round(optimization(initial_params(), data, targets, lr, steps), 4)
            for lr in learning_rates}


if __name__ == "__main__":
    print(compare([0.001, 0.003, 0.01]))
