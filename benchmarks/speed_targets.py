"""The speed targets, and whether a run of lint_speed.py meets them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Measured(Protocol):
    """What a target reads of a case."""

    @property
    def tree(self) -> Any: ...
    def median(self, what: str) -> float | None: ...
    def per_line(self) -> float | None: ...


Cases = Mapping[str, Measured]


@dataclass(frozen=True)
class Target:
    label: str
    limit: float
    value: Callable[[Cases], float | None]
    unit: str = "x"
    least_files: int = 0


def _cpu(ours: str, floor: str) -> Callable[[Cases], float | None]:
    return lambda cases: _ratio(_of(cases, ours, "cpu"), _of(cases, floor, "cpu"))


def _line(peer: str) -> Callable[[Cases], float | None]:
    def value(cases: Cases) -> float | None:
        theirs = cases[peer].per_line() if peer in cases else None
        return _ratio(cases["--jobs 1"].per_line(), theirs)

    return value


def _number(case: str, what: str, scale: float = 1.0) -> Callable[[Cases], float | None]:
    def value(cases: Cases) -> float | None:
        found = _of(cases, case, what)
        return None if found is None else found * scale

    return value


def _workers(cases: Cases) -> float | None:
    return _ratio(_of(cases, "--jobs 2", "wall"), _of(cases, "--jobs 1", "wall"))


def _warm(cases: Cases) -> float | None:
    return _ratio(_of(cases, "warm", "wall"), _of(cases, "ruff F,B warm", "wall"))


def _of(cases: Cases, name: str, what: str) -> float | None:
    return cases[name].median(what) if name in cases else None


def _ratio(ours: float | None, theirs: float | None) -> float | None:
    return ours / theirs if ours is not None and theirs else None


TARGETS: tuple[Target, ...] = (
    Target(
        "each file alone / libcst, screened files", 1.15, _cpu("each file alone", "libcst-passed")
    ),
    Target("whole tree / libcst, screened files", 1.35, _cpu("--jobs 1", "libcst-passed")),
    Target("whole tree / libcst, all files (at first)", 1.0, _cpu("--jobs 1", "libcst-all")),
    Target("whole tree / libcst, all files (second screen)", 0.8, _cpu("--jobs 1", "libcst-all")),
    Target("per line / jaxlint", 0.8, _line("jaxlint")),
    Target("per line / flake8 + bugbear", 0.35, _line("flake8 + bugbear")),
    Target("per line / fixit", 0.05, _line("fixit")),
    Target("per line / pylint", 0.05, _line("pylint")),
    Target("per line / torchfix", 0.05, _line("torchfix")),
    Target("wall, two workers / one", 0.6, _workers, least_files=400),
    Target("wall, warm / ruff warm", 1.0, _warm),
    Target("one changed file of 800, CPU", 0.35, _number("one file changed", "cpu"), "s"),
    Target(
        "engine, whole tree / libcst, screened files", 0.6, _cpu("engine, cold", "libcst-passed")
    ),
    Target("engine, nothing changed, CPU", 0.1, _number("engine, warm", "cpu"), "s"),
    Target("engine, one changed file, CPU", 0.3, _number("engine, edit", "cpu"), "s"),
    Target("engine, edit in a server, CPU", 150, _number("engine, server", "cpu", 1e3), "ms"),
    Target("engine, peak memory, larger tree", 250, _number("engine, larger", "peak_mib"), "MiB"),
    Target("--version, CPU", 60, _number("--version", "cpu", 1e3), "ms"),
    Target("--explain, CPU", 120, _number("--explain", "cpu", 1e3), "ms"),
    Target("peak memory, larger tree", 400, _number("--jobs 1, larger", "peak_mib"), "MiB"),
)


def judge(cases: Cases) -> list[dict[str, Any]]:
    files = cases["--jobs 1"].tree.files
    return [_judged(target, cases, files) for target in TARGETS]


def _judged(target: Target, cases: Cases, files: int) -> dict[str, Any]:
    value = target.value(cases) if files >= target.least_files else None
    verdict = "not measured" if value is None else "met" if value <= target.limit else "not met"
    row = {"target": target.label, "limit": target.limit, "unit": target.unit}
    return row | {"value": None if value is None else round(value, 3), "verdict": verdict}


def table(rows: Sequence[dict[str, Any]]) -> str:
    lines = [f"{'target':<48} {'limit':>9} {'value':>9}  verdict"]
    for row in rows:
        value = "-" if row["value"] is None else f"{row['value']:.2f}"
        limit = f"{row['limit']:g} {row['unit']}"
        lines.append(f"{row['target']:<48} {limit:>9} {value:>9}  {row['verdict']}")
    return "\n".join(lines)
