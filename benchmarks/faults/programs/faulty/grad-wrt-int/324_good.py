import jax
import jax.numpy as jnp
import optax


def init(key, sizes=(4, 10, 1)):
    layers = []
    for k, d_in, d_out in zip(jax.random.split(key, 2), sizes[:-1], sizes[1:]):
        layers.append({"w": jax.random.normal(k, (d_in, d_out)) * 0.3, "b": jnp.zeros(d_out)})
    norm = {"scale": jnp.ones(sizes[1]), "offset": jnp.zeros(sizes[1])}
    ema = {"mean": jnp.zeros(sizes[1]), "counter": jnp.zeros((), jnp.int32)}
    return {"layers": layers, "norm": norm}, {"ema": ema}


def batch_norm(norm, ema, x, decay=0.99):
    mean = x.mean(0)
    out = norm["scale"] * (x - mean) / jnp.sqrt(x.var(0) + 1e-5) + norm["offset"]
    counter = ema["counter"] + 1
    return out, {"mean": decay * ema["mean"] + (1 - decay) * mean, "counter": counter}


def forward(variables, x):
    params, state = variables
    first, last = params["layers"]
    h, ema = batch_norm(params["norm"], state["ema"], x @ first["w"] + first["b"])
    return (jax.nn.relu(h) @ last["w"] + last["b"])[:, 0], {"ema": ema}


def loss_fn(params, state, x, y):
    pred, state = forward((params, state), x)
    return jnp.mean((pred - y) ** 2), state


def make_step(tx):
    grad_fn = jax.value_and_grad(loss_fn, has_aux=True)

    @jax.jit
    def step(params, state, opt_state, x, y):
        (loss, state), grads = grad_fn(params, state, x, y)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), state, opt_state, loss

    return step


def main():
    x = jax.random.normal(jax.random.key(1), (32, 4))
    y = x[:, 0] - x[:, 2]
    params, state = init(jax.random.key(0))
    tx = optax.adam(1e-2)
    opt_state, step = tx.init(params), make_step(tx)
    for _ in range(10):
        params, state, opt_state, loss = step(params, state, opt_state, x, y)
    print("loss", float(loss), "counter", int(state["ema"]["counter"]))


if __name__ == "__main__":
    main()
