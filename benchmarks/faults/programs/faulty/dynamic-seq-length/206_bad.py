"""Track query points through videos of a folder."""
import dataclasses
import time

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass(frozen=True)
class TrackerConfig:
    channels: int = 16
    chunk: int = 16
    max_points: int = 32


def init(key, cfg):
    return {"proj": jax.random.normal(key, (3, cfg.channels)) * 0.3}


def preprocess(frames):
    return frames.astype(np.float32) / 255.0 * 2.0 - 1.0


def features(params, frames):
    return jnp.tanh(jnp.einsum("thwc,cd->thwd", frames, params["proj"]))


@jax.jit
def model_apply(params, frames, query_points):
    feats = features(params, frames)
    query = feats[0, query_points[:, 0], query_points[:, 1]]
    cost = jnp.einsum("thwd,nd->nthw", feats, query)
    n, t, h, w = cost.shape
    prob = jax.nn.softmax(cost.reshape(n, t, h * w))
    ys, xs = jnp.meshgrid(jnp.arange(h), jnp.arange(w), indexing="ij")
    grid = jnp.stack([ys.ravel(), xs.ravel()], -1).astype(jnp.float32)
    return prob @ grid


def inference(params, frames, query_points, cfg):
    frames = preprocess(frames)
    return np.asarray(model_apply(params, frames, query_points))


def load_videos(n_videos, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(n_videos):
        t = int(rng.integers(20, 60))
        n = int(rng.integers(4, 20))
        frames = rng.integers(0, 255, (t, 32, 32, 3)).astype(np.uint8)
        yield frames, rng.integers(0, 32, (n, 2)).astype(np.int32)


def main():
    cfg = TrackerConfig()
    params = init(jax.random.PRNGKey(0), cfg)
    start = time.perf_counter()
    for frames, points in load_videos(8):
        tracks = inference(params, frames, points, cfg)
    print(tracks.shape, "programs", model_apply._cache_size(),
          round(time.perf_counter() - start, 2), "s")


if __name__ == "__main__":
    main()
