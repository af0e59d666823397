"""Patch classifier with dropout in equinox: train, then report test accuracy."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class PatchNet(eqx.Module):
    embed: eqx.nn.Linear
    drop1: eqx.nn.Dropout
    hidden: eqx.nn.Linear
    drop2: eqx.nn.Dropout
    head: eqx.nn.Linear

    def __init__(self, classes, key):
        k1, k2, k3 = jax.random.split(key, 3)
        self.embed = eqx.nn.Linear(16, 32, key=k1)
        self.drop1 = eqx.nn.Dropout(0.5)
        self.hidden = eqx.nn.Linear(32, 32, key=k2)
        self.drop2 = eqx.nn.Dropout(0.5)
        self.head = eqx.nn.Linear(32, classes, key=k3)

    def __call__(self, patches, *, key):
        k1, k2 = jax.random.split(key)
        h = jax.nn.relu(jax.vmap(self.embed)(patches)).mean(0)
        h = jax.nn.relu(self.hidden(self.drop1(h, key=k1)))
        return self.head(self.drop2(h, key=k2))


def batch_logits(model, images, key):
    keys = jax.random.split(key, images.shape[0])
    return jax.vmap(lambda im, k: model(im, key=k))(images, keys)


@eqx.filter_jit
def make_step(model, opt_state, opt, images, labels, key):
    @eqx.filter_value_and_grad
    def loss_fn(model):
        logits = batch_logits(model, images, key)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = loss_fn(model)
    updates, opt_state = opt.update(grads, opt_state)
    return eqx.apply_updates(model, updates), opt_state, loss


@eqx.filter_jit
def predict(model, images, key):
    return batch_logits(model, images, key).argmax(-1)


def evaluate(model, images, labels, key):
    predictions = predict(model, images, key)
    return jnp.mean(predictions == labels)


def make_data(key, n=128):
    k1, k2 = jax.random.split(key)
    labels = jax.random.randint(k1, (n,), 0, 4)
    proto = jax.random.normal(jax.random.key(5), (4, 16))
    return proto[labels][:, None] * 0.6 + jax.random.normal(k2, (n, 9, 16)), labels


if __name__ == "__main__":
    key, model_key = jax.random.split(jax.random.key(0))
    model = PatchNet(4, model_key)
    opt = optax.adam(3e-3)
    opt_state = opt.init(eqx.filter(model, eqx.is_array))
    for i in range(80):
        key, data_key, drop_key = jax.random.split(key, 3)
        model, opt_state, loss = make_step(model, opt_state, opt, *make_data(data_key), drop_key)
    images, labels = make_data(jax.random.key(77), 512)
    accs = [float(evaluate(model, images, labels, jax.random.key(i))) for i in range(3)]
    print("loss", loss, "test accuracy, three evaluations", accs)
