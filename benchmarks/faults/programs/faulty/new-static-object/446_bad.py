"""Evolving a population of linen networks: every path trains a mutated copy of its parent."""
import copy
import dataclasses
from functools import partial

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Path(nn.Module):
    widths: tuple
    classes: int

    @nn.compact
    def __call__(self, x):
        for w in self.widths:
            x = nn.relu(nn.Dense(w)(x))
        return nn.Dense(self.classes)(x)


@dataclasses.dataclass
class Member:
    hparams: dict
    params: dict
    score: float = -np.inf


def get_optimizer(hparams):
    return optax.chain(optax.clip_by_global_norm(1.0), optax.sgd(hparams["lr"], momentum=0.9))


@partial(jax.jit, static_argnames=("model", "optimizer"))
def train_step(params, opt_state, images, labels, model, optimizer):
    def loss_fn(p):
        logits = model.apply({"params": p}, images)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = jax.value_and_grad(loss_fn)(params)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


def train_path(member, data, num_steps=4):
    model = Path(widths=member.hparams["widths"], classes=3)
    optimizer = get_optimizer(member.hparams)
    params, opt_state = member.params, optimizer.init(member.params)
    images, labels = data
    for _ in range(num_steps):
        params, opt_state, loss = train_step(params, opt_state, images, labels, model, optimizer)
    return Member(member.hparams, params, -float(loss))


def mutate(member, rng):
    child = Member(copy.deepcopy(member.hparams), member.params)
    if rng.random() < 0.3:
        child.hparams["lr"] = float(rng.choice([0.05, 0.1]))
    return child


def evolve(data, generations, rng):
    hparams = {"widths": (16, 16), "lr": 0.1}
    params = Path(hparams["widths"], 3).init(jax.random.key(0), data[0][:1])["params"]
    best = Member(hparams, params)
    for _ in range(generations):
        best = max((train_path(mutate(best, rng), data) for _ in range(2)), key=lambda m: m.score)
    return best


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64, 6)).astype(np.float32)
    best = evolve((x, x[:, :3].argmax(-1).astype(np.int32)), 4, rng)
    print("best", best.hparams, best.score)
