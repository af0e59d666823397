"""Character model in nnx with a training loop class."""
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import optax
from flax import nnx


@dataclass
class TrainConfig:
    vocab: int = 24
    dim: int = 16
    lr: float = 3e-3
    steps: int = 30
    block: int = 12


class CharModel(nnx.Module):
    def __init__(self, cfg: TrainConfig, rngs: nnx.Rngs):
        self.embed = nnx.Embed(cfg.vocab, cfg.dim, rngs=rngs)
        self.mix = nnx.Linear(2 * cfg.dim, cfg.dim, rngs=rngs)
        self.head = nnx.Linear(cfg.dim, cfg.vocab, rngs=rngs)

    def __call__(self, tokens):
        x = self.embed(tokens)
        prev = jnp.pad(x, ((0, 0), (1, 0), (0, 0)))[:, :-1]
        return self.head(nnx.gelu(self.mix(jnp.concatenate([x, prev], -1))))


def loss_fn(model, batch):
    logits = model(batch[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, batch[:, 1:]).mean()


@nnx.jit
def train_step(model, optimizer, metrics, batch):
    loss, grads = nnx.value_and_grad(loss_fn)(model, batch)
    metrics.update(loss=loss)
    optimizer.update(model, grads)


class Loop:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = CharModel(cfg, nnx.Rngs(0))
        self.optimizer = nnx.Optimizer(self.model, optax.adamw(cfg.lr), wrt=nnx.Param)
        self.metrics = nnx.MultiMetric(loss=nnx.metrics.Average("loss"))

    def batches(self):
        key = jax.random.key(0)
        for i in range(self.cfg.steps):
            start = jax.random.randint(jax.random.fold_in(key, i), (16, 1), 0, self.cfg.vocab)
            yield (start + jnp.arange(self.cfg.block)) % self.cfg.vocab

    def run(self):
        for i, batch in enumerate(self.batches()):
            train_step(self.model, self.optimizer, self.metrics, batch)
            if (i + 1) % 10 == 0:
                print(i + 1, float(self.metrics.compute()["loss"]))
                self.metrics.reset()


if __name__ == "__main__":
    Loop(TrainConfig()).run()
