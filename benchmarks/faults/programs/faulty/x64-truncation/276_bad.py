import jax
import jax.numpy as jnp
import numpy as np


class HashGridEncoder:
    """Positional code of integer cells: one weight for every byte of the cell id."""

    def __init__(self, num_bytes=4, table_size=1 << 12, features=2, seed=0):
        self.num_bytes = num_bytes
        self.table = 1e-2 * jax.random.normal(
            jax.random.key(seed), (table_size, features)
        )

    def byte_weights(self):
        place = 256 ** jnp.arange(1, self.num_bytes + 1)
        return (1 / place).astype(jnp.float32)

    def __call__(self, cells):
        weights = self.byte_weights()
        digits = jnp.stack(
            [(cells >> (8 * i)) & 255 for i in range(self.num_bytes)], axis=-1
        )
        code = digits.astype(jnp.float32) @ weights
        feats = self.table[cells % self.table.shape[0]]
        return jnp.concatenate([feats, code[:, None]], axis=-1)


def init_mlp(key, d_in, width=16):
    k1, k2 = jax.random.split(key)
    return {
        "w1": jax.random.normal(k1, (d_in, width)) * 0.3,
        "w2": jax.random.normal(k2, (width, 1)) * 0.3,
    }


def density(params, x):
    return jax.nn.softplus(jnp.tanh(x @ params["w1"]) @ params["w2"])[:, 0]


def main():
    enc = HashGridEncoder()
    cells = jnp.asarray(np.random.default_rng(0).integers(0, 2**30, size=32))
    x = enc(cells)
    params = init_mlp(jax.random.key(1), x.shape[-1])
    sigma = jax.jit(density)(params, x)
    print("weights", enc.byte_weights(), "finite densities", int(jnp.isfinite(sigma).sum()))


if __name__ == "__main__":
    main()
