"""From the start of Python to the end of the first step: `first_step CONFIG CACHE_FOLDER`."""

from __future__ import annotations

import json
import sys
import time


def main(config: str, folder: str) -> None:
    began = time.perf_counter()
    import jax

    from benchmarks.trainer import cases
    from reference_trainer import parallel
    from reference_trainer.run import flags
    from reference_trainer.run.settings import from_json

    flags.keep_programs(folder)
    jax.set_mesh(parallel.device_mesh())
    jax.block_until_ready(cases.Training(from_json(json.loads(config)))())
    taken = {"wall": time.perf_counter() - began, "cpu": time.process_time()}
    print(json.dumps(taken))


if __name__ == "__main__":
    main(*sys.argv[1:])
