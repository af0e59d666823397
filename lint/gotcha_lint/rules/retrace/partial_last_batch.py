from collections.abc import Iterator
from functools import lru_cache

import libcst as cst

from gotcha_lint.analysis import varying
from gotcha_lint.analysis.rests import is_length
from gotcha_lint.analysis.sites import Bind, Call, Loop, Test
from gotcha_lint.analysis.syntax import source_of, target_names, walk
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.jitted import arguments as given
from gotcha_lint.queries.jitted import called_name, compiled
from gotcha_lint.queries.places import long_loops
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.rule_helpers.wording import called, variations
from gotcha_lint.solve.programs import Programs

_STEPS = ("range-step", "range-rest")


class PartialLastBatch(Rule):
    """Cuts data into batches of which the last is smaller: the jitted step compiles twice.

    ## What happens
    `x[i : i + size]` for `i in range(0, len(x), size)` ends with the remainder, a second shape:
    the step compiles twice (2 instead of 1 measured), and the second time at the end of the first
    epoch, late in the run.

    ## In a run
    Of this example nothing: a second shape that settles is counted among the compiles of the report
    and taken for start-up. Sizes that go on changing are reported.

    ## Instead
    Drop the remainder (`range(0, len(x) - size + 1, size)`; `drop_last=True` of a loader,
    `drop_remainder=True` of a pipeline), or pad it and mask the padding.

    ## Not reported
    Lengths that were cut or are not known here, and loops that look at the length of a batch;
    loaders with a sampler of their own.
    """

    preview = True
    roots = frozenset({"range"})
    confirmed_by = (("recompile", "shape"),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def step(x):
                    return jnp.sum(x)


                data = np.ones(10)
                for i in range(0, len(data), 4):
                    step(data[i : i + 4])  # ! partial-last-batch
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def step(x):
                    return jnp.sum(x)


                data = np.ones(10)
                for i in range(0, len(data) - 3, 4):
                    step(data[i : i + 4])
            """,
            compiles=1,
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if compiled(site) is None or is_test(site.body.model.path):
            return
        loops = [loop for loop in long_loops(site) if loop.over.varying in _STEPS]
        ends = any(_goes_to_the_end(site, loop) for loop in loops)
        if _looks_at_lengths(site, loops if ends else list(long_loops(site))):
            return
        for argument in given(site):
            mark = varying.shown(argument.value)
            if (mark in _STEPS and ends) or (mark in varying.RESTS and long_loops(site)):
                may = "may be" if mark == varying.LOADED else "is"
                yield Report(
                    argument.node,
                    f"`{source_of(argument.node, 40)}` {may} shorter in the last iteration: "
                    f"`{called_name(site)}` compiles a second time for it",
                )
                return

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row, variation in variations(programs, "ragged"):
            call = variation.call
            yield Foreseen(
                (call.path, call.span),
                f"axis {variation.axis} of `{variation.label}` is shorter in the last batch: "
                f"{called(row.function)} compiles a second program for it; drop the remainder, or "
                "pad it",
                variation.places,
                variation.certain,
            )


def _goes_to_the_end(site: Call, loop: Loop) -> bool:
    """`range(0, len(x), step)`, the length perhaps by another name."""
    node = loop.node.iter if isinstance(loop.node, cst.For) else None
    if not isinstance(node, cst.Call) or len(node.args) != 3:
        return False
    stop = node.args[1].value
    if isinstance(stop, cst.Name):
        sources = [b.source for b in site.body.of(Bind) if b.name == stop.value]
        return len(sources) == 1 and is_length(sources[0])
    return is_length(stop)


def _looks_at_lengths(site: Call, loops: list[Loop]) -> bool:
    """A test in the loop, or a division with remainder before it, deals with the rest."""
    for test in site.body.of(Test):
        words = _words(test.node).union(*(_words(made) for made in _made_of(site, test)))
        if {"len", "shape", "size"} & words and any(loop in test.at.loops for loop in loops):
            return True
    return _takes_remainders(site.body.function.node)


def _made_of(site: Call, test: Test) -> list[cst.CSTNode]:
    """`missing = size - x.shape[0]`, of `if missing > 0`."""
    names = _words(test.node)
    return [b.source for b in site.body.of(Bind) if b.name in names and b.source is not None]


def _words(node: cst.CSTNode) -> set[str]:
    return {part.value for part in walk(node) if isinstance(part, cst.Name)}


@lru_cache(maxsize=4)
def _takes_remainders(function: cst.CSTNode) -> bool:
    nodes = list(walk(function))
    counters = {
        name.value for n in nodes if isinstance(n, cst.For) for name in target_names(n.target)
    }
    return any(
        isinstance(node, cst.ModuloAssign)
        or (isinstance(node, cst.BinaryOperation) and _is_remainder(node, counters))
        for node in nodes
    )


def _is_remainder(node: cst.BinaryOperation, counters: set[str]) -> bool:
    """`len(x) % size`, not `step % 100`."""
    counts = isinstance(node.left, cst.Name) and node.left.value in counters
    return isinstance(node.operator, cst.Modulo) and not counts
