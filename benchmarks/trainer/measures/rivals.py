"""Tokens per second and first step, beside a step of nanodo's shape and a plain Flax example."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import jax

from benchmarks.trainer import cases, clock
from benchmarks.trainer.rivals.decoder import Nanodo, Rival
from benchmarks.trainer.rivals.itself import Itself, is_there
from benchmarks.trainer.row import Row, Size
from reference_trainer import metrics
from reference_trainer.config import Config

SECONDS = {"cpu": 300}
OURS: dict[str, tuple[dict[str, str], str]] = {  # the setting, and the target against nanodo
    "unrolled": ({}, ">= 0.9"),
    "scanned": ({"layers": "scan"}, ">= 0.6"),
    "chunked attention": ({"attention": "chunked"}, ""),
}


def measure(size: Size) -> Iterator[Row]:
    config = size.pick(
        cases.small(depth=1),
        cases.small(width=256, depth=4, length=256, batch=8),
        cases.small(),
    )
    ours = {name: OURS[name] for name in size.pick(["unrolled"], list(OURS), list(OURS))}
    forms = {
        name: cases.Training(config.replace(compute=compute)) for name, (compute, _) in ours.items()
    }
    kinds: dict[str, type[Rival]] = {"nanodo shape": Nanodo, "flax shape": Rival}
    kinds |= {"nanodo itself": Itself} if is_there() else {}
    rivals = {name: _rival(kind, config) for name, kind in kinds.items()}
    best = clock.best({**forms, **rivals}, size.rounds)
    unrolled = forms["unrolled"]
    note = _shape(config, unrolled.state.params, rivals["nanodo shape"].state.params)
    yield Row("tokens/s, unrolled", unrolled.tokens / best["unrolled"], note=note)
    for rival in rivals:
        for name, (_, target) in ours.items():
            against = size.pick("", target if rival.startswith("nanodo") else "", "")
            yield Row(f"tokens/s, {name} / {rival}", best[rival] / best[name], "x", against)
    # To compile takes as long for a small batch; to run does not.
    yield from _first(config.replace(data={"length": 64, "batch": 2}), size)


def _first(config: Config, size: Size) -> Iterator[Row]:
    """A step that compiles twice does so in its second call."""
    makers: dict[str, Callable[[], Callable[[], object]]] = {
        "ours": lambda: cases.Training(config),
        "nanodo": lambda: _rival(Nanodo, config),
    }
    best, compiles = dict.fromkeys(makers, math.inf), metrics.Compiles()
    programs: dict[str, int] = {}
    for _ in range(size.pick(1, 5, 5)):
        for name, make in makers.items():
            # To compile is a part of the first step.
            jax.clear_caches()
            call, before = make(), compiles.count
            best[name] = min(best[name], clock.once(call))
            if name not in programs:
                call()
                programs[name] = compiles.count - before
    note, ratio = f"{best['ours']:.1f} and {best['nanodo']:.1f} s", best["ours"] / best["nanodo"]
    target = size.pick("", "<= 1", "")
    yield Row("first step, unrolled / nanodo shape", ratio, "x", target, note)
    yield Row("programs compiled in two steps, ours", programs["ours"], "", "== 1")
    yield Row("the same, nanodo shape", programs["nanodo"])


def _rival(kind: type[Rival], config: Config) -> Rival:
    batch = cases.full_batch(config)
    return kind(config, batch.inputs[..., 0], batch.targets[..., 0])


def _shape(config: Config, ours: object, rival: object) -> str:
    model, data = config.model, config.data
    counts = metrics.parameters(ours), metrics.parameters(rival)
    sizes = f"D{model.width} N{model.depth} L{data.length} B{data.batch}"
    return f"{sizes}, {counts[0]:,} parameters and {counts[1]:,} (a table of positions)"
