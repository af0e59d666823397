"""Seq2seq fine-tuning data: longest sequence rounded up to a few bucket sizes."""
import bisect
from dataclasses import dataclass, field

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclass
class Collator:
    buckets: tuple = (16, 32)
    batch_size: int = 8
    pad_id: int = 0
    shapes: set = field(default_factory=set)

    def __call__(self, examples):
        longest = max(len(e) for e in examples)
        length = self.buckets[bisect.bisect_left(self.buckets, longest)]
        ids = np.full((self.batch_size, length), self.pad_id, np.int32)
        for row, e in enumerate(examples):
            ids[row, : len(e)] = e
        self.shapes.add(ids.shape)
        return {"ids": ids, "mask": (ids != self.pad_id).astype(np.float32)}


class Encoder(nn.Module):
    vocab: int = 50
    width: int = 16

    @nn.compact
    def __call__(self, ids, mask):
        x = nn.Embed(self.vocab, self.width)(ids) * mask[..., None]
        ctx = x.sum(1, keepdims=True) / jnp.maximum(mask.sum(1), 1.0)[:, None, None]
        return nn.Dense(self.vocab)(nn.gelu(nn.Dense(self.width)(x + ctx)))


def make_train_step(model, tx):
    @jax.jit
    def train_step(params, opt_state, batch):
        def loss_fn(p):
            logits = model.apply(p, batch["ids"], batch["mask"])
            ce = optax.softmax_cross_entropy_with_integer_labels(logits, batch["ids"])
            return jnp.sum(ce * batch["mask"]) / jnp.sum(batch["mask"])

        loss, grads = jax.value_and_grad(loss_fn)(params)
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    return train_step


def main(num_examples=100):
    rng = np.random.default_rng(0)
    data = [rng.integers(1, 50, n) for n in np.sort(rng.integers(5, 33, num_examples))]
    collate, model, tx = Collator(), Encoder(), optax.adam(1e-2)
    first = collate(data[:8])
    params = model.init(jax.random.key(0), first["ids"], first["mask"])
    opt_state, step = tx.init(params), make_train_step(model, tx)
    for i in range(0, len(data), collate.batch_size):
        params, opt_state, loss = step(params, opt_state, collate(data[i:i + collate.batch_size]))
    print("loss", float(loss), "programs", step._cache_size(), "shapes", sorted(collate.shapes))


if __name__ == "__main__":
    main()
