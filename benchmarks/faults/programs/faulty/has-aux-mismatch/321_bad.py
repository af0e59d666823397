import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Net(eqx.Module):
    layers: list
    norm: eqx.nn.BatchNorm

    def __init__(self, key):
        k1, k2 = jax.random.split(key)
        self.layers = [eqx.nn.Linear(4, 8, key=k1), eqx.nn.Linear(8, 2, key=k2)]
        self.norm = eqx.nn.BatchNorm(8, axis_name="batch", mode="batch")

    def __call__(self, x, state):
        x, state = self.norm(self.layers[0](x), state)
        return self.layers[1](jax.nn.relu(x)), state


def compute_loss(model, state, xs, ys):
    batched = jax.vmap(model, axis_name="batch", in_axes=(0, None), out_axes=(0, None))
    logits, state = batched(xs, state)
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, ys).mean()
    return loss, state


@eqx.filter_jit
def make_step(model, state, opt_state, tx, xs, ys):
    grad_fn = eqx.filter_value_and_grad(compute_loss, has_aux=True)
    loss, grads, state = grad_fn(model, state, xs, ys)
    updates, opt_state = tx.update(grads, opt_state, eqx.filter(model, eqx.is_array))
    return eqx.apply_updates(model, updates), state, opt_state, loss


def main():
    model, state = eqx.nn.make_with_state(Net)(jax.random.key(0))
    tx = optax.adamw(1e-2)
    opt_state = tx.init(eqx.filter(model, eqx.is_array))
    xs = jax.random.normal(jax.random.key(1), (32, 4))
    ys = (xs[:, 0] > 0).astype(jnp.int32)
    for _ in range(10):
        model, state, opt_state, loss = make_step(model, state, opt_state, tx, xs, ys)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
