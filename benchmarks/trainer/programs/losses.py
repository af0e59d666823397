"""Five losses of one run, as one of its processes: `losses dp|fsdp none|HOST:PORT,PROCESSES,ID`."""

from __future__ import annotations

import json
import sys

import jax

from benchmarks.trainer import cases
from reference_trainer import metrics, parallel
from reference_trainer.run import processes
from reference_trainer.train import loop
from reference_trainer.train import state as states


def main(kind: str, distributed: str) -> None:
    processes.connect(distributed)
    config = cases.small(width=128, depth=1, batch=8).replace(run={"parallel": kind})
    job = loop.prepare(config, cases.counting())
    jax.set_mesh(job.mesh)
    state = states.create(config, job.mesh)
    batches = [parallel.place(job.batches[i], job.mesh) for i in range(5)]
    compiled = job.step.lower(state, batches[0]).compile()
    losses = []
    for batch in batches:
        state, metric = compiled(state, batch)
        losses.append(metric.loss)
    losses = [float(loss) for loss in losses]
    print(json.dumps({"losses": losses, "bytes": metrics.memory(compiled)["arguments"]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
