"""The flag steers what is drawn, not dropout."""

from flax import linen as nn


class VAE(nn.Module):
    @nn.compact
    def __call__(self, x, train=False):
        mu = nn.Dense(3)(x)
        if train:
            mu = mu + nn.initializers.normal()(self.make_rng("dropout"), mu.shape)
        return mu


net = VAE()


def validation_fn(params, x, rng):
    return net.apply({"params": params}, x, rngs={"dropout": rng}, train=True)


def evaluate(model, params, x, rng):
    # The encoder has to sample its posterior here, so train is on.
    return model.apply({"params": params}, x, rngs={"dropout": rng}, train=True)
