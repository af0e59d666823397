from collections.abc import Iterator

from gotcha_lint.domain.sites import Origin
from gotcha_lint.interpret.faults.seeds import FOLDED, LONG_SEED, LOST, OF_UUID, OTHER_SEED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.remarks import Fault

_KEEPS = "a key keeps the low 32 bits of a seed: "


class SeedOverflow(Rule):
    """Gives a seed, or a number to fold into a key, that needs more than 32 bits.

    ## What happens
    `jax.random.key` keeps the low 32 bits of a seed: `key(2**40)` is `key(0)`, and of `key(rank <<
    32 | seed)` the rank is gone, so that every rank draws the same numbers, without a message. From
    2**63 on, as with `uuid4().int`, it is `OverflowError: Python int too large to convert to C
    long`. `fold_in` raises for all that is not within 32 bits, and for negative numbers:
    `OverflowError: Python integer 4294967297 out of bounds for uint32`; `hash("name")`,
    `time.time_ns()` and the integer of a digest are.

    ## Instead
    `jax.random.fold_in(jax.random.key(seed), rank)` for two numbers; `zlib.crc32(name.encode())`
    for a name, `number % 2**32` or `& 0xFFFFFFFF` for a large one.

    ## Not reported
    Numbers whose size is not seen in the function; seeds from the clock, whose low bits are as good
    as all; seeds in files that switch 64 bits on, where `key` keeps them all; tests.

    ## In a run
    Nothing, unless it raises.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax

                keys = [jax.random.key(rank << 32 | 7) for rank in range(2)]  # ! seed-overflow
                first, second = (jax.random.normal(key) for key in keys)
            """,
            good="""
                import jax

                keys = [jax.random.fold_in(jax.random.key(7), rank) for rank in range(2)]
                first, second = (jax.random.normal(key) for key in keys)
            """,
            shows="bool(first == second)",
        ),
        Example(
            bad="""
                import time

                import jax

                key = jax.random.fold_in(jax.random.key(0), time.time_ns())  # ! seed-overflow
            """,
            good="""
                import time

                import jax

                key = jax.random.fold_in(jax.random.key(0), time.time_ns() % 2**32)
            """,
            raises="OverflowError",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(LONG_SEED):
            what, number, *source = fault.text
            if programs.wide and what in (LOST, OTHER_SEED):
                continue
            yield Foreseen(
                (fault.path, fault.span),
                _message(what, number, bool(source)),
                fault.places,
                fault.certain,
                quotes=_quotes(fault, source),
            )


def _message(what: str, number: str, is_quoted: bool) -> str:
    if what == FOLDED:
        which = "{}" if is_quoted else number or "this number"
        return f"{which} is not within 32 bits: `fold_in` raises OverflowError"
    if what == LOST:
        return _KEEPS + "`{}` is lost"
    if what == OTHER_SEED:
        return f"{_KEEPS}this is seed {number}"
    return {OF_UUID: "{} has 128 bits: OverflowError"}.get(
        what, "a seed from 2**63 on raises OverflowError"
    )


def _quotes(fault: Fault, source: list[str]) -> tuple[Origin, ...]:
    if not source:
        return ()
    line, column, end_line, end_column = map(int, source)
    return ((fault.path, (line, column, end_line, end_column)),)
