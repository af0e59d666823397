"""Monte-Carlo dropout uncertainty of a small surrogate."""
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx


class Surrogate(nnx.Module):
    def __init__(self, rngs, din=3, width=64, rate=0.3):
        self.inp = nnx.Linear(din, width, rngs=rngs)
        self.drop = nnx.Dropout(rate, rngs=rngs)
        self.out = nnx.Linear(width, 1, rngs=rngs)

    def __call__(self, x):
        return self.out(self.drop(nnx.gelu(self.inp(x))))[:, 0]


class UncertaintyEstimator:
    def __init__(self, model, samples=32):
        self.model = model
        self.samples = samples
        self._forward = nnx.jit(lambda model, x: model(x))

    def predict(self, x):
        draws = np.stack([np.asarray(self._forward(self.model, x))
                          for _ in range(self.samples)])
        return draws.mean(0), draws.std(0)


def acquire(estimator, candidates, k=3):
    mean, std = estimator.predict(candidates)
    score = mean + 2.0 * std
    return np.argsort(score)[-k:], std


def main():
    rng = np.random.default_rng(0)
    model = Surrogate(nnx.Rngs(0, dropout=1))
    candidates = rng.normal(size=(20, 3)).astype(np.float32)
    chosen, std = acquire(UncertaintyEstimator(model), candidates)
    print("chosen", chosen, "largest std", std.max())


if __name__ == "__main__":
    main()
