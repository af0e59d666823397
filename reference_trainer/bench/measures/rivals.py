"""Tokens per second and first step, beside a step of nanodo's shape and a plain Flax example."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import jax

from reference_trainer import metrics
from reference_trainer.bench import cases, clock
from reference_trainer.bench.rivals.decoder import Nanodo, Rival
from reference_trainer.bench.row import Row, Size
from reference_trainer.config import Config

SECONDS = {"cpu": 150}
STEPS = 2  # in one measurement
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
        name: cases.Training(config.replace(compute=compute), STEPS)
        for name, (compute, _) in ours.items()
    }
    rivals = {"nanodo": _rival(Nanodo, config), "flax": _rival(Rival, config)}
    best = clock.best({**forms, **rivals}, size.rounds)
    unrolled = forms["unrolled"]
    note = _shape(config, unrolled.state.params, rivals["nanodo"].state.params)
    yield Row("tokens/s, unrolled", unrolled.tokens / best["unrolled"], note=note)
    for rival in rivals:
        for name, (_, target) in ours.items():
            against = size.pick("", target if rival == "nanodo" else "", "")
            yield Row(f"tokens/s, {name} / {rival} shape", best[rival] / best[name], "x", against)
    yield from _first(config, size)


def _first(config: Config, size: Size) -> Iterator[Row]:
    """The first two steps: a step that compiles twice does so in the second."""
    makers: dict[str, Callable[[], Callable[[], object]]] = {
        "ours": lambda: cases.Training(config),
        "nanodo": lambda: _rival(Nanodo, config, 1),
    }
    seconds: dict[str, list[list[float]]] = {name: [] for name in makers}
    counts, compiles = {}, metrics.Compiles()
    for _ in range(size.pick(1, 5, 5)):
        for name, make in makers.items():
            jax.clear_caches()
            call = make()
            before = compiles.count
            seconds[name].append([clock.once(call), clock.once(call)])
            counts[name] = compiles.count - before
    first = {name: min(one for one, _ in found) for name, found in seconds.items()}
    second = {name: min(two for _, two in found) for name, found in seconds.items()}
    note = f"{first['ours']:.1f} and {first['nanodo']:.1f} s"
    yield Row(
        "first step, unrolled / nanodo shape",
        first["ours"] / first["nanodo"],
        "x",
        size.pick("", "<= 1", ""),
        note,
    )
    note = f"{second['ours']:.1f} and {second['nanodo']:.1f} s"
    yield Row("second step, unrolled / nanodo shape", second["ours"] / second["nanodo"], "x", "", note)
    yield Row("programs compiled in two steps, ours", counts["ours"], "", "== 1")
    yield Row("programs compiled in two steps, nanodo shape", counts["nanodo"])


def _rival(kind: type[Rival], config: Config, steps: int = STEPS) -> Rival:
    batch = cases.full_batch(config)
    return kind(config, steps, batch.inputs[..., 0], batch.targets[..., 0])


def _shape(config: Config, ours: object, rival: object) -> str:
    model, data = config.model, config.data
    counts = metrics.parameters(ours), metrics.parameters(rival)
    sizes = f"D{model.width} N{model.depth} L{data.length} B{data.batch}"
    return f"{sizes}, {counts[0]:,} parameters and {counts[1]:,} (a table of positions)"
