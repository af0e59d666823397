"""Training engine with a metrics recorder that a driver may read."""
import collections
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import optax


@dataclasses.dataclass
class StepMetrics:
    step: int
    values: dict


class MetricsRecorder:
    def __init__(self):
        self._buffer = []

    def record(self, step, values):
        self._buffer.append(StepMetrics(step, values))

    def latest(self):
        return self._buffer[-1] if self._buffer else None

    def history(self):
        return [(m.step, jax.device_get(m.values)) for m in self._buffer]


class TrainingEngine:
    def __init__(self, dim=64, vocab=4096, seed=0):
        self.tx = optax.sgd(1e-1)
        self.params = {"w": 0.02 * jax.random.normal(jax.random.PRNGKey(seed), (dim, vocab))}
        self.opt_state = self.tx.init(self.params)
        self.recorder = MetricsRecorder()
        self.step_count = 0
        self._step = jax.jit(self._train_step)

    def _train_step(self, params, opt_state, x, y):
        def loss_fn(p):
            logits = x @ p["w"]
            nll = optax.softmax_cross_entropy_with_integer_labels(logits, y)
            return nll.mean(), {"per_token_nll": nll, "logits_max": logits.max(0)}

        (loss, aux), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
        updates, opt_state = self.tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, {"loss": loss, **aux}

    def step(self, batch):
        self.params, self.opt_state, metrics = self._step(self.params, self.opt_state, *batch)
        self.recorder.record(self.step_count, metrics)
        self.step_count += 1


def stream(steps, batch=512, dim=64, vocab=4096, seed=1):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        yield (rng.normal(size=(batch, dim)).astype(np.float32),
               rng.integers(0, vocab, batch).astype(np.int32))


if __name__ == "__main__":
    engine = TrainingEngine()
    for i, batch in enumerate(stream(80)):
        engine.step(batch)
        if i % 40 == 39:
            print(i, "live bytes", sum(a.nbytes for a in jax.live_arrays()))
    print("loss", float(engine.recorder.latest().values["loss"]))
