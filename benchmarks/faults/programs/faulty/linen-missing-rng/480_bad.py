"""U-Net reconstruction workload: model init and forward for the training harness."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class ConvBlock(nn.Module):
    channels: int
    rate: float

    @nn.compact
    def __call__(self, x, train):
        x = nn.Conv(self.channels, (3, 3), use_bias=False)(x)
        x = nn.leaky_relu(nn.GroupNorm(num_groups=2)(x), negative_slope=0.2)
        return nn.Dropout(self.rate, deterministic=not train)(x)


class UNet(nn.Module):
    channels: int = 4
    dropout_rate: float = 0.0

    @nn.compact
    def __call__(self, x, train=True):
        down = ConvBlock(self.channels, self.dropout_rate)(x[..., None], train)
        pooled = nn.avg_pool(down, (2, 2), (2, 2))
        mid = ConvBlock(2 * self.channels, self.dropout_rate)(pooled, train)
        up = nn.ConvTranspose(self.channels, (2, 2), (2, 2))(mid)
        x = ConvBlock(self.channels, self.dropout_rate)(jnp.concatenate([down, up], -1), train)
        return nn.Conv(1, (1, 1))(x)[..., 0]


class Workload:
    def init_model_fn(self, rng, dropout_rate=None):
        self.model = UNet(dropout_rate=dropout_rate or 0.0)
        params_rng, dropout_rng = jax.random.split(rng)
        rngs = {"params": params_rng, "dropout": dropout_rng}
        variables = jax.jit(self.model.init)(rngs, jnp.zeros((1, 16, 16)))
        return variables["params"]

    def model_fn(self, params, images, rng, train):
        return self.model.apply({"params": params}, images, train=train)

    def loss_fn(self, params, batch, rng):
        return jnp.mean(jnp.abs(self.model_fn(params, batch["inputs"], rng, True) - batch["targets"]))


def run_trial(workload, hparams, batches, rng):
    init_rng, rng = jax.random.split(rng)
    params = workload.init_model_fn(init_rng, hparams["dropout_rate"])
    opt = optax.nadamw(hparams["lr"])
    state = opt.init(params)

    @jax.jit
    def update(params, state, batch, rng):
        loss, g = jax.value_and_grad(workload.loss_fn)(params, batch, rng)
        updates, state = opt.update(g, state, params)
        return optax.apply_updates(params, updates), state, loss

    for i, batch in enumerate(batches):
        params, state, loss = update(params, state, batch, jax.random.fold_in(rng, i))
    return float(loss)


if __name__ == "__main__":
    x = jax.random.normal(jax.random.key(0), (3, 2, 16, 16))
    batches = [{"inputs": b, "targets": 0.5 * b} for b in x]
    search_space = [{"lr": 1e-3, "dropout_rate": 0.0}, {"lr": 3e-3, "dropout_rate": 0.1}]
    for hparams in search_space:
        print(hparams, run_trial(Workload(), hparams, batches, jax.random.key(1)))
