"""A model and a corpus small enough that a whole run takes a second or two."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from reference_trainer import parallel
from reference_trainer.config import Compute, Config, Data, Model, Optimizer, Run
from reference_trainer.data.batch import Batch, Corpus, Document
from reference_trainer.data.batching import Batches
from reference_trainer.model import backbone
from reference_trainer.train import loop
from reference_trainer.train import step as steps
from tests.cheap_compiles import CHEAP, PROGRAMS

ROOT = Path(__file__).parents[2]

TINY = Config(
    model=Model(
        features=(64,), heads=(64,), width=32, depth=2, pattern=("ssm", "attention"), head_width=8,
        state=8,
    ),
    compute=Compute(chunk=16, ssm_chunk=16),
    data=Data(source="files", paths=("made in the test",), length=64, batch=4, loader="simple"),
    optimizer=Optimizer(warmup=2),
    run=Run(steps=6, eval_every=3, save_every=3, log_every=1),
)  # fmt: skip
# One layer, for what does not depend on the layers: it compiles in half the time.
SMALL = TINY.replace(model={"pattern": ("attention",), "depth": 1})


def corpus(count: int = 60, seed: int = 0, vocabulary: int = 64) -> Corpus:
    """Documents of 5 to 60 steps, each a run of counting numbers: soon learned."""
    rng = np.random.default_rng(seed)
    documents = []
    for length in rng.integers(5, 60, count):
        counting_T1 = (rng.integers(1, vocabulary) + np.arange(length + 1))[:, None] % vocabulary
        counting_T1 = counting_T1.astype(np.int32)
        documents.append(Document(counting_T1[:-1], counting_T1[1:]))
    cut = count * 4 // 5
    return Corpus(documents[:cut], documents[cut:], "number", {"digest": f"{seed}/{count}"})


def environment(devices: int = 1) -> dict[str, str]:
    """For a process of its own, with so many CPU devices."""
    return os.environ | {
        "JAX_PLATFORMS": "cpu",
        "JAX_COMPILATION_CACHE_DIR": str(PROGRAMS),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.2",
        "XLA_FLAGS": f"{CHEAP} --xla_force_host_platform_device_count={devices}",
        "PYTHONPATH": str(ROOT),
    }


def printed(code: str, *args: str, devices: int = 1) -> Any:
    """The last line that a program prints, read as JSON; it runs on so many CPU devices."""
    command = [sys.executable, "-c", code, *args]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(devices), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


# Compiled whole: operation by operation, most of a test's time would go into small compiles.
init = jax.jit(backbone.init, static_argnames="config")
hidden = jax.jit(backbone.hidden, static_argnames="config")
gradients = jax.jit(steps.gradients, static_argnames="config")


def job(config: Config = TINY, **kwargs: Any) -> loop.Job:
    return loop.prepare(config, corpus(**kwargs))


def some_batch(config: Config = TINY, index: int = 0) -> Batch:
    """A batch on one device, for what runs on each of them."""
    batches = Batches(corpus().train, config.data, shuffle=True)
    return Batch(*map(jnp.asarray, batches[index]))


def abstract_batch(config: Config) -> Batch:
    """As `some_batch`, without arrays."""
    batch = parallel.abstract_batch(config, parallel.device_mesh())
    return Batch(*(jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) for leaf in batch))


def placed(batch: Batch) -> Batch:
    """On the mesh, for a step."""
    return parallel.place(batch, parallel.device_mesh())


def same(left: Any, right: Any) -> bool:
    """Bit by bit, structure and types included."""
    if jax.tree.structure(left) != jax.tree.structure(right):
        return False
    pairs = zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True)
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


def temporary_bytes(lowered: Any) -> int:
    """What the compiled program needs besides its arguments and results."""
    return lowered.compile().memory_analysis().temp_size_in_bytes


def run(config: Config, folder: Path, resume: bool = False) -> loop.Result:
    """Train, from the start or from the newest checkpoint of the folder."""
    from reference_trainer.run import start

    return loop.train(job(config), folder, start.find(folder, "always") if resume else None)
