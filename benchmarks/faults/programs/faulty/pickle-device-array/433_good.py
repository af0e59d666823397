"""Serving sketch: a prefill process hands first tokens and caches to the decode loop."""
import dataclasses
import multiprocessing as mp

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass
class PrefillResult:
    tokens: object
    kv_cache: object
    length: int


def init_weights(seed=0, vocab=64, dim=32):
    rng = np.random.default_rng(seed)
    return {k: rng.normal(size=s).astype(np.float32) / np.sqrt(dim)
            for k, s in {"embed": (vocab, dim), "k": (dim, dim), "v": (dim, dim)}.items()}


@jax.jit
def prefill(weights, prompt):
    x = weights["embed"][prompt]
    k, v = x @ weights["k"], x @ weights["v"]
    att = jax.nn.softmax(x[-1] @ k.T / jnp.sqrt(k.shape[-1]))
    return jnp.argmax(weights["embed"] @ (att @ v)), jnp.stack([k, v])


class PrefillWorker:
    def __init__(self, seed):
        self.weights = init_weights(seed)

    def run(self, prompt):
        token, cache = prefill(self.weights, prompt)
        return PrefillResult(np.asarray(token), np.asarray(cache), len(prompt))


def serve(connection, seed):
    worker = PrefillWorker(seed)
    while True:
        prompt = connection.recv()
        if prompt is None:
            break
        connection.send(worker.run(prompt))


def main(num_prompts=3):
    ctx = mp.get_context("spawn")
    parent, child = ctx.Pipe()
    process = ctx.Process(target=serve, args=(child, 0))
    process.start()
    rng = np.random.default_rng(1)
    for _ in range(num_prompts):
        parent.send(rng.integers(0, 64, 16).astype(np.int32))
        result = parent.recv()
        print("token", int(result.tokens), "cache", type(result.kv_cache).__name__, result.kv_cache.shape)
    parent.send(None)
    process.join()


if __name__ == "__main__":
    main()
