"""Entropy-regularised policy gradient for a small language policy with legal-token masks."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState

VOCAB, HIDDEN = 20, 24


class TokenPolicy(nn.Module):
    @nn.compact
    def __call__(self, tokens, legal):
        x = nn.Embed(VOCAB, HIDDEN)(tokens)
        x = nn.relu(nn.Dense(HIDDEN)(x))
        logits = nn.Dense(VOCAB)(x)
        return jnp.where(legal, logits, -jnp.inf)


def entropy_from_logits(logits):
    logp = jax.nn.log_softmax(logits, axis=-1)
    p = jnp.exp(logp)
    safe_logp = jnp.where(p > 0, logp, 0.0)
    return -jnp.sum(p * safe_logp, axis=-1)


def token_log_prob(logits, actions):
    safe = jnp.where(jnp.isfinite(logits), logits, -1e9)
    logp = jax.nn.log_softmax(safe, axis=-1)
    return jnp.take_along_axis(logp, actions[..., None], axis=-1)[..., 0]


def pg_loss(params, apply_fn, batch, beta):
    logits = apply_fn(params, batch["tokens"], batch["legal"])
    logp = token_log_prob(logits, batch["actions"])
    pg = -jnp.mean(logp * batch["advantages"])
    ent = jnp.mean(entropy_from_logits(logits))
    return pg - beta * ent, ent


@jax.jit
def train_step(state, batch):
    (loss, ent), grads = jax.value_and_grad(pg_loss, has_aux=True)(
        state.params, state.apply_fn, batch, 0.01
    )
    return state.apply_gradients(grads=grads), {"loss": loss, "entropy": ent, "gnorm": optax.global_norm(grads)}


def make_batch(key, b=8, t=6):
    k1, k2, k3 = jax.random.split(key, 3)
    tokens = jax.random.randint(k1, (b, t), 0, VOCAB)
    legal = jnp.broadcast_to(jnp.arange(VOCAB) < 15, (b, t, VOCAB))
    return {
        "tokens": tokens,
        "legal": legal,
        "actions": jax.random.randint(k2, (b, t), 0, 15),
        "advantages": jax.random.normal(k3, (b, t)),
    }


if __name__ == "__main__":
    model = TokenPolicy()
    batch = make_batch(jax.random.key(0))
    params = model.init(jax.random.key(1), batch["tokens"], batch["legal"])
    state = TrainState.create(apply_fn=model.apply, params=params, tx=optax.adam(1e-3))
    state, metrics = train_step(state, batch)
    print({k: float(v) for k, v in metrics.items()})
