import jax
import jax.numpy as jnp
import numpy as np
import optax

SPECIAL = ["<pad>", "<unk>", "<bos>"]


class Tokenizer:
    def __init__(self, corpus):
        words = sorted({w for line in corpus for w in line.split()})
        self.stoi = {w: i + len(SPECIAL) for i, w in enumerate(words)}

    @property
    def num_words(self):
        return len(self.stoi)

    def encode(self, line, length):
        ids = [2] + [self.stoi.get(w, 1) for w in line.split()]
        return (ids + [0] * length)[:length]


def init_params(key, vocab_size, dim, classes):
    ke, kw = jax.random.split(key)
    return {
        "embedding": jax.random.normal(ke, (vocab_size, dim)) * 0.1,
        "w": jax.random.normal(kw, (dim, classes)) * 0.1,
    }


def logits_fn(params, ids):
    vecs = params["embedding"][ids]
    mask = (ids > 0)[..., None]
    pooled = jnp.sum(vecs * mask, 1) / jnp.maximum(jnp.sum(mask, 1), 1)
    return pooled @ params["w"]


@jax.jit
def step(params, ids, labels):
    def loss(p):
        return optax.softmax_cross_entropy_with_integer_labels(
            logits_fn(p, ids), labels
        ).mean()

    value, g = jax.value_and_grad(loss)(params)
    return jax.tree.map(lambda p, d: p - 0.5 * d, params, g), value


def main():
    corpus = ["good film", "bad film", "great plot", "poor plot", "the worst"]
    labels = jnp.array([1, 0, 1, 0, 0])
    tok = Tokenizer(corpus)
    ids = jnp.asarray(np.array([tok.encode(line, 4) for line in corpus]))
    params = init_params(jax.random.key(0), tok.num_words + len(SPECIAL), 8, 2)
    for _ in range(50):
        params, value = step(params, ids, labels)
    rows = params["embedding"].shape[0]
    print("loss", float(value), "ids beyond the table:", int((ids >= rows).sum()))


if __name__ == "__main__":
    main()
