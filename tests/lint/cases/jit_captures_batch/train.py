"""Loops that give their data to what another file makes."""

import jax.numpy as jnp
from makers import make_loss, make_step


def loss_of_each_batch(w, steps):
    for number in range(steps):
        batch = jnp.full(3, float(number))
        loss = make_loss(batch)  # ! jit-captures-batch
        print(loss(w))


def loss_of_one_batch(w, steps):
    batch = jnp.ones(3)
    loss = make_loss(batch)
    for _ in range(steps):
        print(loss(w))


def step_of_each_model(w, models):
    for model in models:
        step = make_step(model)
        print(step(w, jnp.ones(3)))


def losses_kept(w, steps):
    losses = [make_loss(jnp.full(3, float(number))) for number in range(steps)]
    return [loss(w) for loss in losses]
