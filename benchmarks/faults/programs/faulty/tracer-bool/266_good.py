import jax
import jax.numpy as jnp
import optax


def init_head(key, d_in, d_out):
    w = jax.random.normal(key, (d_in, d_out)) / jnp.sqrt(d_in)
    return {"w": w, "b": jnp.zeros(d_out)}


def per_example_loss(params, x, y):
    logits = x @ params["w"] + params["b"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, y)


def weighted_loss(params, batch):
    losses = per_example_loss(params, batch["x"], batch["y"])
    weights = batch.get("weights")
    if weights is None:
        weights = jnp.ones_like(losses)
    return jnp.sum(losses * weights) / jnp.maximum(jnp.sum(weights), 1.0)


def build_update(tx):
    def update(params, opt_state, batch):
        loss, grads = jax.value_and_grad(weighted_loss)(params, batch)
        updates, opt_state = tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    return jax.jit(update)


def make_batches(key, n, with_weights):
    for i in range(n):
        kx, ky, key = jax.random.split(key, 3)
        batch = {
            "x": jax.random.normal(kx, (16, 8)),
            "y": jax.random.randint(ky, (16,), 0, 4),
        }
        if with_weights:
            batch["weights"] = jnp.where(jnp.arange(16) < 12, 1.0, 0.0)
        yield batch


def run(with_weights):
    key = jax.random.key(0)
    params = init_head(key, 8, 4)
    tx = optax.sgd(0.1)
    opt_state = tx.init(params)
    update = build_update(tx)
    for batch in make_batches(key, 3, with_weights):
        params, opt_state, loss = update(params, opt_state, batch)
    return float(loss)


if __name__ == "__main__":
    print("plain", run(False))
    print("weighted", run(True))
