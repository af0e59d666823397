"""The same key at every look at a model in training, so that the looks can be compared."""

import jax
import matplotlib.pyplot as plt
import numpy as np


def train(model, step_of, loader, key, held_out):
    key, sample_key, evaluate_key = jax.random.split(key, 3)
    for step, batch in zip(range(10_000), loader, strict=False):
        key, step_key = jax.random.split(key)
        model = step_of(model, batch, step_key)
        if step % 500 == 0 or step == 9_999:
            sample = np.asarray(jax.random.normal(sample_key, (3,)) * model)
            plt.plot(sample)
        if step % 100 == 0:
            total = 0.0
            for batch in held_out:
                total += model.loss(batch, jax.random.uniform(evaluate_key))
            print(step, total)
    return model
