"""Reading the metrics of a step, one step late.

Wrong: `print(float(loss))` after each step: the device idles while Python prepares the next.
Wrong: no look at all: the host runs ahead without bound, and a NaN is found an hour later.
Right: step k is on its way before step k - 1 is read. (gotcha: host-read-every-step)
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple, NoReturn

import jax
import numpy as np

from reference_trainer import metrics
from reference_trainer.config import Config
from reference_trainer.data.batch import Batch
from reference_trainer.run import replay
from reference_trainer.run.log import Log
from reference_trainer.run.replay import Step
from reference_trainer.train.state import TrainState
from reference_trainer.train.step import Metrics


class Sent(NamedTuple):
    """A step that is on its way, or several in one call (`run.fused`)."""

    number: int  # of the last one
    metrics: Metrics
    batch: Batch


def _steps(sent: Sent) -> list[Step]:
    """Waits for them."""
    rows = np.atleast_2d(np.stack(jax.device_get(sent.metrics), axis=-1)).tolist()
    numbers, length = (
        range(sent.number - len(rows) + 1, sent.number + 1),
        sent.batch.inputs.shape[-2],
    )
    return [Step(number, length, *row) for number, row in zip(numbers, rows, strict=True)]


def _batch(calls: list[Sent], number: int) -> Batch:
    """Of one step."""
    sent = next(call for call in calls if number <= call.number)
    if not sent.metrics.loss.ndim:
        return sent.batch
    return Batch(*(leaf[number - sent.number - 1] for leaf in sent.batch))


class Reader:
    """Holds the newest step and reads the one before; also counts tokens and the time they take."""

    def __init__(self, config: Config, log: Log, folder: Path, tokens: float = 0.0):
        self._config, self._log, self._folder = config, log, folder
        self._sent: Sent | None = None
        self.tokens = tokens  # useful ones, in all
        self.pause()

    def sent(self, call: Sent | None, state: TrainState) -> None:
        """`call` was dispatched and gave `state`; NotFinite if the one before was not.

        None waits for the newest, before a save or at the end.
        """
        # gotcha: shows[host-read-every-step] what is read is one step old and has usually arrived
        before, self._sent = self._sent, call
        if before is not None:
            self._read(before, state)

    def pause(self) -> None:
        """Time spent until now is not training time."""
        self._counted, self._flops, self._since = 0.0, 0.0, time.perf_counter()

    def _read(self, sent: Sent, state: TrainState) -> None:
        """NotFinite; those on their way meanwhile, which are in `state`, are counted too."""
        calls, steps = [sent], _steps(sent)
        # gotcha: shows[non-finite-value] one look per step, at a value that is read anyway
        if not all(step.finite for step in steps) and self._sent is not None:
            calls.append(self._sent)
            steps += _steps(self._sent)
            self._sent = None
        bad = [step for step in steps if not step.finite]
        for step in steps:
            if step.finite:
                self._count(step)
        if bad:
            self._refuse(bad, calls, state)
        self._report(steps)

    def _count(self, step: Step) -> None:
        tokens = step.targets / len(self._config.model.heads)
        self.tokens += step.targets
        self._counted += step.targets
        self._flops += tokens * metrics.flops_per_token(self._config, step.length)

    def _report(self, steps: list[Step]) -> None:
        run = self._config.run
        due = [s for s in steps if s.number % run.log_every == 0 or s.number == run.steps]
        if not due:
            return
        seconds = max(time.perf_counter() - self._since, 1e-9)
        rate = self._counted / seconds
        used = metrics.utilisation(self._config, self._flops / seconds)
        values = {"tokens": self.tokens, "tokens_per_second": rate}
        if used is not None:
            values["mfu"] = used[0]
        if "most in use" in (held := metrics.memory()):
            values["device_peak_bytes"] = held["most in use"]
        values["host_peak_bytes"] = metrics.host_memory()
        for step in due:
            loss = {"loss": step.loss, "grad_norm": step.grad_norm}
            self._log.write(step.number, **loss, **values, peak=used[1] if used else "unknown")
        last = due[-1]
        self._log.advance(last.number, f"loss {last.loss:.3f}, {rate:,.0f} tokens/s")
        self.pause()

    def _refuse(self, bad: list[Step], calls: list[Sent], state: TrainState) -> NoReturn:
        """NotFinite."""
        paths = [replay.keep(_batch(calls, one.number), one.number, self._folder) for one in bad]
        for step, path in zip(bad, paths, strict=True):
            self._log.write(step.number, tokens=self.tokens, not_finite=path.name)
        first = bad[0]
        raise replay.not_finite(state, first, _batch(calls, first.number), paths, self._config)
