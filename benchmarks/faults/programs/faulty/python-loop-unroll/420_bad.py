"""Small linen language model with gradient accumulation inside the train step."""
import functools
import time

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

CFG = dict(vocab=64, width=16, layers=2, seq=16, accum_steps=24, micro_batch=2, lr=1e-3)


class MixerLM(nn.Module):
    vocab: int
    width: int
    layers: int

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(self.vocab, self.width)(tokens)
        for _ in range(self.layers):
            h = nn.LayerNorm()(x)
            causal = jnp.cumsum(h, axis=1) / (1 + jnp.arange(h.shape[1]))[:, None]
            x = x + nn.Dense(self.width)(nn.gelu(nn.Dense(2 * self.width)(causal)))
        return nn.Dense(self.vocab)(x)


def lm_loss(params, model, tokens):
    logits = model.apply({"params": params}, tokens[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


@functools.partial(jax.jit, static_argnames=("model", "tx", "accum_steps"))
def train_step(params, opt_state, batch, model, tx, accum_steps):
    micro = batch.reshape((accum_steps, -1) + batch.shape[1:])
    grad_fn = jax.value_and_grad(lm_loss)
    loss, grads = grad_fn(params, model, micro[0])
    for i in range(1, accum_steps):
        l, g = grad_fn(params, model, micro[i])
        loss = loss + l
        grads = jax.tree.map(jnp.add, grads, g)
    grads = jax.tree.map(lambda g: g / accum_steps, grads)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss / accum_steps


def main(cfg):
    model = MixerLM(cfg["vocab"], cfg["width"], cfg["layers"])
    tx = optax.adam(cfg["lr"])
    params = model.init(jax.random.key(0), jnp.zeros((1, cfg["seq"]), jnp.int32))["params"]
    opt_state = tx.init(params)
    rng = np.random.default_rng(0)
    shape = (cfg["accum_steps"] * cfg["micro_batch"], cfg["seq"] + 1)
    tic = time.perf_counter()
    for step in range(3):
        batch = rng.integers(0, cfg["vocab"], shape).astype(np.int32)
        params, opt_state, loss = train_step(params, opt_state, batch, model, tx, cfg["accum_steps"])
        loss.block_until_ready()
        if step == 0:
            print("first step took", round(time.perf_counter() - tic, 1))
    print("loss", float(loss))


if __name__ == "__main__":
    main(CFG)
