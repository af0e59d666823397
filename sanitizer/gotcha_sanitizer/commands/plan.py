"""`gotcha-sanitize plan train.py [LOADER]`: how often the batches of a program would compile."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from gotcha_sanitizer.commands._runs import RECORD, load, publish
from gotcha_sanitizer.explain.batch_shapes import Census, census
from gotcha_sanitizer.explain.loaders import Candidate, before_training, candidates, made_in_loop
from gotcha_sanitizer.run.record import Run
from gotcha_sanitizer.values.words import plural, seconds

_SHOWN = 8


@click.command(
    epilog="The program is imported, not run: neither what stands below "
    "`if __name__ == '__main__'` is reached, nor the first statement that calls a jitted function "
    "in a loop. LOADER is any expression over its names that gives batches, as `batches(corpus, "
    "8)`; without it, what the loop around the jitted step iterates over, if there is one such "
    "loop."
)
@click.argument("script", type=click.Path(path_type=Path))
@click.argument("loader", required=False)
@click.option(
    "--batches", type=click.IntRange(1), default=10_000, help="Look at so many batches at most."
)
@click.option("--record", type=RECORD, help="A recorded run, for what a compile costs.")
def command(script: Path, loader: str | None, batches: int, record: Path | None) -> int:
    """Predict the compiles of a program from its data loader alone."""
    if not script.is_file():
        raise click.ClickException(f"{script}: no such file")
    price = _price(load(record)) if record else None
    found = _look(script, loader, batches)
    publish(render(found, price))
    return 0


def _look(script: Path, loader: str | None, most: int) -> Census:
    """Raises ClickException where the program or the expression fails."""
    names = _imported(script)
    loader = loader or _choose(script, names)
    try:
        found = census(eval(loader, names), most)
    except (SystemExit, Exception) as error:
        text = f"{script}, `{loader}`: {type(error).__name__}: {error}"
        raise click.ClickException(f"{text}\n{_which(_candidates(script, names))}") from error
    if not found.batches:
        raise click.ClickException(f"`{loader}` gave no batches")
    return found


def _imported(script: Path) -> dict[str, Any]:
    """The names that a program has when it begins to train. Raises ClickException."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    module = ModuleType("__plan__")
    module.__file__ = str(script)
    sys.modules[module.__name__] = module  # dataclasses look for the module that they are of
    try:
        tree, line = before_training(ast.parse(script.read_bytes(), str(script)))
        exec(compile(tree, str(script), "exec"), module.__dict__)
    except SystemExit as error:
        raise click.ClickException(
            f"{script} exited with {error.code} when it was imported"
        ) from error
    except Exception as error:
        raise click.ClickException(f"{script}: {type(error).__name__}: {error}") from error
    if line:
        publish(f"stopped before line {line}, where training begins\n")
    return module.__dict__


def _choose(script: Path, names: Mapping[str, Any]) -> str:
    """The one expression that can be evaluated; raises UsageError with what there is."""
    found = _candidates(script, names)
    usable = [each for each in found if not each.missing]
    if len(usable) != 1 or len(found) != 1:
        raise click.UsageError(_which(found, made_in_loop(ast.parse(script.read_bytes()))))
    publish(f"line {usable[0].line} iterates over `{usable[0].text}`\n")
    return usable[0].text


def _candidates(script: Path, names: Mapping[str, Any]) -> list[Candidate]:
    return candidates(ast.parse(script.read_bytes()), names)


def _which(found: list[Candidate], made: Sequence[tuple[int, str]] = ()) -> str:
    """What LOADER may be: what the loops around jitted functions go over."""
    head = "say which expression gives the batches: gotcha-sanitize plan SCRIPT 'EXPRESSION'"
    if not found and made:
        shown = "\n".join(f"  line {line} calls `{name}`" for line, name in made[:_SHOWN])
        return (
            f"{head}\nthe loops that call jitted functions only count, and make their batches "
            f"themselves; which shapes these have cannot be told without running them:\n{shown}\n"
            "give an iterator over such batches, as 'map(make_batch, range(100))'"
        )
    if not found:
        return f"{head}\nno loop that calls a jitted function was found"
    shown = "\n".join(
        f"  line {each.line}: {each.text}"
        + (f" ({', '.join(each.missing)}: not known outside of its function)" * bool(each.missing))
        for each in found[:_SHOWN]
    )
    return f"{head}\nthe loops that call jitted functions iterate over:\n{shown}"


def _price(run: Run) -> float | None:
    """Seconds of the dearest function's mean compile: the training step, in most programs."""
    rows = [row for row in run.rows.values() if not row.eager and row.programs]
    return max((row.total / row.programs for row in rows), default=None)


def render(found: Census, price: float | None) -> str:
    """The forecast in words."""
    count = len(found.sets)
    lines = [
        f"{plural(count, 'set')} of shapes in {plural(found.batches, 'batch')}"
        f" = {plural(count, 'compile')}{_about(count, price)}".replace("batchs", "batches")
    ]
    for (path, axis), sizes in list(found.varying.items())[:_SHOWN]:
        name = f"batch{path}, axis {axis}"
        shown = ", ".join(map(str, sizes[:_SHOWN])) + (", ..." if len(sizes) > _SHOWN else "")
        lines.append(f"  {name}: {plural(len(sizes), 'size')}, {sizes[0]} to {sizes[-1]} ({shown})")
    fewer = found.bucketed()
    if fewer < count:
        lines.append(
            f"padded to powers of two: {plural(fewer, 'set')} = {plural(fewer, 'compile')}"
            f"{_about(fewer, price)}"
        )
    return "\n".join(lines) + "\n"


def _about(count: int, price: float | None) -> str:
    return "" if price is None else f", about {seconds(count * price)}"
