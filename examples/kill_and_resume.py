"""The reference trainer: one run from start to end, one killed on the way and resumed.

    python examples/kill_and_resume.py FOLDER

Both end with the same weights, optimizer state and keys, bit for bit; if not, it exits with 1.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

STEPS, SAVED, KILLED = 24, 8, 13
SETTINGS = (
    *("--preset", "cpu_smoke", "--no-report"),
    *("model.width=64", "data.limit=300", "data.length=64", "data.batch=8"),
    *(f"run.steps={STEPS}", f"run.save_every={SAVED}", f"run.eval_every={STEPS}"),
)


def main() -> int:
    if len(sys.argv) == 4:
        return child(Path(sys.argv[2]), sys.argv[1], Path(sys.argv[3]))
    out = Path(sys.argv[1])
    print(f"  {STEPS} steps without a stop", flush=True)
    whole = started(out, "whole", "to-the-end")
    print(
        f"  the same, killed with SIGKILL after step {KILLED}; step {SAVED} was saved", flush=True
    )
    started(out, "killed", "dies")
    print("  the killed run, resumed", flush=True)
    resumed = started(out, "killed", "to-the-end")
    if whole is None or resumed is None:
        print("  a run did not end: the files *.log beside it say why")
        return 1
    same = whole["digest"] == resumed["digest"]
    answer = "bit for bit the same" if same else "NOT the same"
    print(f"  training steps compiled: {whole['compiled']}, recompiled: {whole['recompiled']}")
    print(f"  weights and optimizer state of both after step {resumed['step']}: {answer}")
    return int(not same)


def started(out: Path, name: str, how: str) -> dict[str, str | int] | None:
    """Runs a child; what it found out, or None."""
    results = out / f"{name}.json"
    results.unlink(missing_ok=True)
    command = [sys.executable, __file__, how, str(out / name), str(results)]
    with (out / f"{name}-{how}.log").open("w") as log:
        subprocess.run(command, stdout=log, stderr=log, check=False)
    return json.loads(results.read_text()) if results.exists() else None


def child(folder: Path, how: str, results: Path) -> int:
    """A run of the trainer's command line; with `dies` it kills itself like `kill -9`."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from reference_trainer.__main__ import main as trainer
    from reference_trainer.train import loop

    class Dies(loop.Stop):
        def requested(self, step: int) -> bool:
            if step == KILLED:
                while not (folder / "checkpoints" / str(SAVED)).is_dir():
                    time.sleep(0.05)  # it is saved in the background
                os.kill(os.getpid(), signal.SIGKILL)
            return super().requested(step)

    inner = loop.train

    def train(*args, **kwargs):
        result = inner(*args, **kwargs)
        found = {"digest": digest(result.state), "step": int(result.state.step)}
        found |= {"compiled": result.programs, "recompiled": result.recompiled}
        results.write_text(json.dumps(found))
        return result

    loop.train = train
    if how == "dies":
        loop.Stop = Dies
    cache = str(folder.parent / "programs")  # the three runs share compiled programs
    machine = ("--platform", "cpu", "--cache", cache)
    return trainer(["train", *SETTINGS, *machine, "--out", str(folder)])


def digest(state) -> str:
    """Of all bytes of a state."""
    import jax
    import numpy as np

    found = hashlib.sha256()
    for leaf in jax.tree.leaves(state):
        if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
        found.update(np.asarray(leaf).tobytes())
    return found.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
