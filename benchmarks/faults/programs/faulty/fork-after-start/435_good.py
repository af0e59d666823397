"""Profile likelihoods by simulated annealing; a run can be resumed from its folder."""
import json
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import jax
import jax.numpy as jnp
import numpy as np

DATA = np.random.default_rng(0).normal(0.3, 1.0, 200)


@jax.jit
def chi2(params, data):
    mu, log_s = params
    return jnp.sum(((data - mu) / jnp.exp(log_s)) ** 2) + 2 * data.size * log_s


def chi2_numpy(mu, log_s):
    return float(np.sum(((DATA - mu) / np.exp(log_s)) ** 2) + 2 * DATA.size * log_s)


def anneal(task):
    mu, log_s, seed = task
    rng = np.random.default_rng(seed)
    best = chi2_numpy(mu, log_s)
    for temperature in np.geomspace(1.0, 0.01, 40):
        trial = log_s + temperature * 0.2 * rng.normal()
        value = chi2_numpy(mu, trial)
        if value < best:
            log_s, best = trial, value
    return {"mu": mu, "log_s": log_s, "chi2": best}


class Run:
    def __init__(self, folder, workers=2):
        self.path = os.path.join(folder, "state.json")
        self.workers = workers

    def load(self):
        with open(self.path) as f:
            points = json.load(f)
        for p in points:
            p["grad"] = np.asarray(jax.grad(chi2)((p["mu"], p["log_s"]), DATA)).tolist()
        return points

    def start(self):
        points = self.load() if os.path.exists(self.path) else [
            {"mu": float(m), "log_s": 0.5} for m in np.linspace(0.0, 0.6, 4)]
        tasks = [(p["mu"], p["log_s"], i) for i, p in enumerate(points)]
        with ProcessPoolExecutor(max_workers=self.workers, mp_context=get_context("spawn")) as pool:
            points = list(pool.map(anneal, tasks))
        with open(self.path, "w") as f:
            json.dump(points, f)
        return points


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        Run(folder).start()
        points = Run(folder).start()
    print("profile", [round(p["chi2"], 2) for p in points])
