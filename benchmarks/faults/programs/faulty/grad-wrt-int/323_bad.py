import jax
import jax.numpy as jnp
import numpy as np

ALPHABET = "ACGT"


def one_hot_encode_sequence(seq):
    idx = np.array([ALPHABET.index(c) for c in seq])
    return np.eye(4, dtype=np.uint8)[idx]


def init_model(key, filters=6, width=5, outputs=2):
    kf, kd = jax.random.split(key)
    return {
        "filters": jax.random.normal(kf, (filters, width, 4)) * 0.5,
        "dense": jax.random.normal(kd, (filters, outputs)) * 0.5,
    }


def predict(params, x):
    width = params["filters"].shape[1]
    windows = jnp.stack([x[i : i + width] for i in range(x.shape[0] - width + 1)])
    act = jax.nn.relu(jnp.einsum("lwc,fwc->lf", windows, params["filters"]))
    return jax.nn.sigmoid(act.max(axis=0) @ params["dense"])


def saliency_map(params, x, class_index):
    return jax.grad(lambda s: predict(params, s)[class_index])(x)


def integrated_grad(params, x, class_index, steps=16):
    baseline = jnp.zeros_like(x)
    alphas = jnp.linspace(0.0, 1.0, steps)
    path = baseline + alphas[:, None, None] * (x - baseline)
    grads = jax.vmap(lambda s: saliency_map(params, s, class_index))(path)
    return (x - baseline) * grads.mean(axis=0)


def explain(params, seq, class_index=1):
    x = jnp.asarray(one_hot_encode_sequence(seq))
    ig = integrated_grad(params, x, class_index)
    sal = saliency_map(params, x, class_index)
    return float(ig.sum()), float(jnp.abs(sal).max())


def main():
    params = init_model(jax.random.key(0))
    rng = np.random.default_rng(1)
    seq = "".join(rng.choice(list(ALPHABET), 20))
    print("attribution", explain(params, seq))


if __name__ == "__main__":
    main()
