"""Reading the metrics of a step, one step late.

Wrong: `print(float(loss))` after each step: the device idles while Python prepares the next.
Wrong: no look at all: the host runs ahead without bound, and a NaN is found an hour later.
Right: step k is on its way before step k - 1 is read. (gotcha: host-read-every-step)
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import jax

from reference_trainer import metrics
from reference_trainer.config import Config
from reference_trainer.data.batch import Batch
from reference_trainer.run import replay
from reference_trainer.run.log import Log
from reference_trainer.train.state import TrainState
from reference_trainer.train.step import Metrics


class Sent(NamedTuple):
    """A step that is on its way."""

    number: int
    metrics: Metrics
    batch: Batch


class Reader:
    """Holds the newest step and reads the one before; also counts tokens and the time they take."""

    def __init__(self, config: Config, log: Log, folder: Path, tokens: float = 0.0):
        self._config, self._log, self._folder = config, log, folder
        self._sent: Sent | None = None
        self.tokens = tokens  # useful ones, in all
        self.pause()

    def sent(self, step: Sent, state: TrainState) -> None:
        """`step` was dispatched and gave `state`; NotFinite if the step before was not."""
        # gotcha: shows[host-read-every-step] what is read is one step old and has usually arrived
        before, self._sent = self._sent, step
        if before is not None:
            self._read(before, state)

    def catch_up(self, state: TrainState) -> None:
        """Wait for the newest step, before a save or at the end."""
        before, self._sent = self._sent, None
        if before is not None:
            self._read(before, state)

    def pause(self) -> None:
        """Time spent until now is not training time."""
        self._counted, self._flops, self._since = 0.0, 0.0, time.perf_counter()

    def _read(self, step: Sent, state: TrainState) -> None:
        found = jax.device_get(step.metrics)
        # gotcha: shows[non-finite-value] one look per step, at a value that is read anyway
        if not found.finite:
            self._refuse(step, found, state)
        self._count(step, found)
        run = self._config.run
        if step.number % run.log_every == 0 or step.number == run.steps:
            self._report(step.number, found)

    def _count(self, step: Sent, found: Metrics) -> None:
        targets, length = float(found.targets), step.batch.inputs.shape[1]
        steps = targets / len(self._config.model.heads)
        self.tokens += targets
        self._counted += targets
        self._flops += steps * metrics.flops_per_token(self._config, length)

    def _report(self, number: int, found: Metrics) -> None:
        seconds = max(time.perf_counter() - self._since, 1e-9)
        rate = self._counted / seconds
        used = metrics.utilisation(self._config, self._flops / seconds)
        values = {"loss": float(found.loss), "grad_norm": float(found.grad_norm)}
        values |= {"tokens": self.tokens, "tokens_per_second": rate}
        if used is not None:
            values["mfu"] = used[0]
        if "most in use" in (held := metrics.memory()):
            values["device_peak_bytes"] = held["most in use"]
        values["host_peak_bytes"] = metrics.host_memory()
        self._log.write(number, **values, peak=used[1] if used else "unknown")
        self._log.advance(number, f"loss {values['loss']:.3f}, {rate:,.0f} tokens/s")
        self.pause()

    def _refuse(self, step: Sent, found: Metrics, state: TrainState) -> None:
        """NotFinite. The step after it, already on its way, is in `state` and is counted."""
        newer, self._sent, bad = self._sent, None, [step]
        if newer is not None:
            after = jax.device_get(newer.metrics)
            if after.finite:
                self._count(newer, after)
            else:
                bad.append(newer)
        paths = [replay.keep(one.batch, one.number, self._folder) for one in bad]
        for one, path in zip(bad, paths, strict=True):
            self._log.write(one.number, tokens=self.tokens, not_finite=path.name)
        raise replay.not_finite(state, step, found, paths, self._config)
