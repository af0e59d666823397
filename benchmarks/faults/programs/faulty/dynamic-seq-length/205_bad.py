"""Continuous batching: one forward pass over the scheduled tokens of each step."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

VOCAB, WIDTH, MAX_TOKENS = 256, 64, 128


@dataclasses.dataclass
class Request:
    prompt: list
    output: list = dataclasses.field(default_factory=list)
    prefilled: bool = False

    def scheduled(self):
        if not self.prefilled:
            return self.prompt
        return self.output[-1:]


def init_weights(key):
    k1, k2 = jax.random.split(key)
    return {"embed": jax.random.normal(k1, (VOCAB, WIDTH)) * 0.1,
            "head": jax.random.normal(k2, (WIDTH, VOCAB)) * 0.1}


@jax.jit
def forward(weights, token_ids, last_index):
    hidden = jnp.tanh(weights["embed"][token_ids])
    return jnp.argmax(hidden[last_index] @ weights["head"], axis=-1)


def token_paddings(limit):
    return [2**p for p in range(4, int(np.log2(limit)) + 1)]


class ModelRunner:
    def __init__(self, weights, max_requests=8):
        self.weights = weights
        self.paddings = token_paddings(MAX_TOKENS)
        self.max_requests = max_requests

    def prepare(self, requests):
        chunks = [np.asarray(r.scheduled(), np.int32) for r in requests]
        lengths = np.array([len(c) for c in chunks])
        tokens = np.concatenate(chunks)
        last = np.cumsum(lengths) - 1
        return tokens, last

    def step(self, requests):
        tokens, last = self.prepare(requests)
        sampled = np.asarray(forward(self.weights, tokens, last))
        for r, t in zip(requests, sampled):
            r.prefilled = True
            r.output.append(int(t))


def serve(runner, waiting, steps=14):
    running = []
    for i in range(steps):
        if waiting and len(running) < runner.max_requests:
            running.append(waiting.pop())
        runner.step(running)
        running = [r for r in running if len(r.output) < 6]


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    reqs = [Request(list(rng.integers(0, VOCAB, n))) for n in rng.integers(3, 40, 12)]
    serve(ModelRunner(init_weights(jax.random.PRNGKey(0))), reqs)
    print("forward programs", forward._cache_size())
