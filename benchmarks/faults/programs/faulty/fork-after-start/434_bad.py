"""1-D FDTD run with detectors; frames are written by a pool after the simulation."""
import multiprocessing as mp
import os
import tempfile

import jax
import jax.numpy as jnp
import numpy as np


def gaussian_source(t, center=30.0, width=10.0):
    return jnp.exp(-((t - center) / width) ** 2)


def update_fields(fields, t, inv_eps):
    e, h = fields
    h = h + 0.5 * (jnp.roll(e, -1) - e)
    e = e + 0.5 * inv_eps * (h - jnp.roll(h, 1))
    e = e.at[20].add(gaussian_source(t))
    return (e, h), e


@jax.jit
def run_simulation(inv_eps, times):
    init = (jnp.zeros_like(inv_eps), jnp.zeros_like(inv_eps))
    return jax.lax.scan(lambda f, t: update_fields(f, t, inv_eps), init, times)


def write_frame(job):
    path, frame = job
    scaled = np.clip(127 + 127 * frame / (np.abs(frame).max() + 1e-9), 0, 255).astype(np.uint8)
    with open(path, "wb") as f:
        f.write(f"P5 {scaled.size} 1 255\n".encode() + scaled.tobytes())
    return os.path.getsize(path)


def plot_detector(frames, directory, num_workers=2):
    jobs = [(os.path.join(directory, f"{i:04d}.pgm"), f) for i, f in enumerate(frames)]
    with mp.Pool(num_workers) as pool:
        return pool.map(write_frame, jobs)


def main(cells=200, steps=120):
    inv_eps = jnp.ones(cells).at[120:].set(1 / 2.25)
    _, electric = run_simulation(inv_eps, jnp.arange(steps, dtype=jnp.float32))
    frames = np.asarray(electric)[::20]
    with tempfile.TemporaryDirectory() as directory:
        sizes = plot_detector(frames, directory)
    print("wrote", len(sizes), "frames", sum(sizes), "bytes")


if __name__ == "__main__":
    main()
