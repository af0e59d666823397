import jax
import jax.numpy as jnp
import optax


def init_backbone(key):
    k1, k2 = jax.random.split(key)
    return {"l1": jax.random.normal(k1, (6, 16)) * 0.4, "l2": jax.random.normal(k2, (16, 16)) * 0.3}


def features(params, x):
    return jax.nn.relu(jax.nn.relu(x @ params["l1"]) @ params["l2"])


def predict(params, x):
    return (features(params["backbone"], x) @ params["head"])[:, 0]


def loss_fn(params, x, y):
    return jnp.mean((predict(params, x) - y) ** 2)


def run_phase(params, tx, x, y, steps):
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state):
        loss, g = jax.value_and_grad(loss_fn)(params, x, y)
        updates, opt_state = tx.update(g, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    for _ in range(steps):
        params, opt_state, loss = step(params, opt_state)
    return params, float(loss)


def main():
    """Head first with a frozen backbone, then everything with a fresh optimizer."""
    kb, kh, kx = jax.random.split(jax.random.key(0), 3)
    params = {"backbone": init_backbone(kb), "head": jax.random.normal(kh, (16, 1)) * 0.1}
    x = jax.random.normal(kx, (64, 6))
    y = x[:, 0] * x[:, 1]
    labels = {"backbone": "frozen", "head": "train"}
    head_tx = optax.multi_transform(
        {"train": optax.adam(1e-2), "frozen": optax.set_to_zero()}, labels
    )
    params, first = run_phase(params, head_tx, x, y, 30)
    params, second = run_phase(params, optax.adamw(1e-3), x, y, 60)
    print("head only", first, "all", second)


if __name__ == "__main__":
    main()
