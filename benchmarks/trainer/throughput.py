"""Tokens per second and utilisation of several forms of one training step."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks.trainer import cases, clock
from benchmarks.trainer.row import Row, Size, unmeasured
from reference_trainer import metrics
from reference_trainer.config import Config
from reference_trainer.run import kernels


@dataclass
class Forms:
    """Those that ran, by name: they stay, to be compared in turns."""

    size: Size
    steps: int  # in one measurement
    running: dict[str, cases.Training] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)  # for another attention than asked for

    def add(self, name: str, config: Config, target: str = "") -> Iterator[Row]:
        """Tokens per second and utilisation; one row with the reason if it does not run."""
        config, reason = kernels.fitting(config)
        try:
            train = cases.Training(config, self.steps)
            first = clock.once(train, time.perf_counter)
            seconds = clock.best({name: train}, self.size.rounds, warm=False)[name]
        except Exception as error:  # out of memory, or a kernel that is missing here
            yield unmeasured(f"tokens/s, {name}", error)
            return
        self.running[name], self.reasons[name] = train, reason
        rate = train.tokens / seconds
        note = f"compile and {self.steps} steps: {first:.1f} s; {reason}".strip("; ")
        yield Row(f"tokens/s, {name}", rate, note=note)
        used = metrics.utilisation(config, rate * metrics.flops_per_token(config))
        share, peak = (100 * used[0], used[1]) if used else (None, "no peak known for this device")
        yield Row(f"MFU, {name}", share, "%", self.size.pick("", "", target), peak)

    def compared(self, pair: tuple[str, str], target: str = "") -> Iterator[Row]:
        """Tokens per second of the one as a multiple of the other's."""
        form, other = pair
        if form in self.running and other in self.running:
            best = clock.best({name: self.running[name] for name in pair}, self.size.rounds)
            ratio, target = best[other] / best[form], self.size.pick("", "", target)
            yield Row(f"tokens/s, {form} / {other}", ratio, "x", target, self.reasons[form])

    def memory(self, name: str) -> Iterator[Row]:
        """What the compiler asked for, and what was in use: true of the first form alone."""
        if name not in self.running:
            return
        report = self.running[name].memory()
        needed = report["arguments"] + report["temporary"]
        yield Row(f"memory asked for, {name}", needed / 2**30, "GiB")
        most = report.get("most in use")
        off = None if most is None else abs(most / needed - 1)
        note = "this device does not say" if most is None else f"{most / 2**30:.1f} GiB in use"
        target = self.size.pick("", "", "<= 0.1")
        yield Row("most in use, away from what was asked for", off, "x", target, note)
