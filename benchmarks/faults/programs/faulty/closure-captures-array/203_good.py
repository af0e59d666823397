"""Language-model scoring of a held-out set at every checkpoint."""
from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


class TinyLM(nn.Module):
    vocab: int = 512
    width: int = 128

    @nn.compact
    def __call__(self, tokens):
        h = nn.Embed(self.vocab, self.width)(tokens)
        h = nn.relu(nn.Dense(4 * self.width)(h))
        h = nn.Dense(self.width)(h)
        return nn.Dense(self.vocab)(h)


model = TinyLM()
tx = optax.adamw(3e-4)


def token_nll(params, tokens):
    logits = model.apply(params, tokens[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:])


@jax.jit
def train_step(params, opt_state, tokens):
    loss, grads = jax.value_and_grad(lambda p: token_nll(p, tokens).mean())(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


score = jax.jit(token_nll)


def evaluate(params, batches):
    total, count = 0.0, 0
    for tokens in batches:
        nll = score(params, tokens)
        total += nll.sum()
        count += nll.size
    return float(np.exp(float(total) / count))


def random_batches(seed, n, batch=16, length=33, vocab=512):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, vocab, (batch, length)).astype(np.int32) for _ in range(n)]


def main(checkpoints=4, steps_per_checkpoint=5):
    params = model.init(jax.random.PRNGKey(0), jnp.zeros((1, 32), jnp.int32))
    opt_state = tx.init(params)
    held_out = random_batches(99, 3)
    for ckpt in range(checkpoints):
        for tokens in random_batches(ckpt, steps_per_checkpoint):
            params, opt_state, loss = train_step(params, opt_state, tokens)
        print(f"checkpoint {ckpt} ppl {evaluate(params, held_out):.2f}")


if __name__ == "__main__":
    main()
