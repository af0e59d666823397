"""Text tower of a small contrastive model with learned positions (equinox)."""
import equinox as eqx
import jax
import jax.numpy as jnp


class TextConfig(eqx.Module):
    vocab_size: int = 64
    hidden: int = 16
    max_positions: int = 12
    layers: int = 2


class TextEmbeddings(eqx.Module):
    token: jax.Array
    position: jax.Array

    def __init__(self, cfg, key):
        k1, k2 = jax.random.split(key)
        self.token = 0.5 * jax.random.normal(k1, (cfg.vocab_size, cfg.hidden))
        self.position = 0.5 * jax.random.normal(k2, (cfg.max_positions, cfg.hidden))

    def __call__(self, ids):
        positions = jnp.arange(ids.shape[0])
        return self.token[ids] + self.position[positions]


class Block(eqx.Module):
    attn: eqx.nn.MultiheadAttention
    mlp: eqx.nn.MLP

    def __init__(self, cfg, key):
        k1, k2 = jax.random.split(key)
        self.attn = eqx.nn.MultiheadAttention(2, cfg.hidden, key=k1)
        self.mlp = eqx.nn.MLP(cfg.hidden, cfg.hidden, 2 * cfg.hidden, 1, key=k2)

    def __call__(self, x):
        x = x + self.attn(x, x, x)
        return x + jax.vmap(self.mlp)(x)


class TextTower(eqx.Module):
    embed: TextEmbeddings
    blocks: list

    def __init__(self, cfg, key):
        k0, *ks = jax.random.split(key, cfg.layers + 1)
        self.embed = TextEmbeddings(cfg, k0)
        self.blocks = [Block(cfg, k) for k in ks]

    def __call__(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return x.mean(0) / jnp.linalg.norm(x.mean(0))


@eqx.filter_jit
def encode(model, batch):
    return jax.vmap(model)(batch)


def prepare(captions, pad_to):
    rows = [c[:pad_to] + [0] * (pad_to - len(c)) for c in captions]
    return jnp.array(rows)


if __name__ == "__main__":
    cfg = TextConfig()
    model = TextTower(cfg, jax.random.key(0))
    captions = [list(range(1, 21)), list(range(1, 12)) + list(range(20, 11, -1))]
    batch = prepare(captions, max(len(c) for c in captions))
    z = encode(model, batch)
    print("tokens", batch.shape[1], "positions", cfg.max_positions, "similarity", float(z[0] @ z[1]))
    first, second = model.embed(batch[0]), model.embed(batch[0])
    pos = first - model.embed.token[batch[0]]
    print("rows of positions that equal the last:", int(jnp.all(jnp.isclose(pos, pos[-1], atol=1e-6), 1).sum()))
