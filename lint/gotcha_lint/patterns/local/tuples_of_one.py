"""`state = update(state),`: a comma at the end of a line makes a tuple (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.enclosing import Around
from gotcha_lint.program.ir import Function, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.reader import Reader
from gotcha_lint.program.spelled import dotted, spelled

_TREES = frozenset(
    ("optax.apply_updates", "optax.incremental_update", "equinox.apply_updates", "jax.tree.map",
     "jax.tree_util.tree_map", "flax.core.freeze", "flax.core.unfreeze")
)  # fmt: skip
_RATES = frozenset(
    ("lr", "learning_rate", "base_lr", "weight_decay", "weight_decay_rate", "beta1", "beta_1",
     "beta2", "beta_2", "b1", "b2", "eps", "epsilon", "momentum", "dropout", "dropout_rate",
     "label_smoothing", "temperature")
)  # fmt: skip
_HABIT = 3  # so many in one body are no lists of what a search tries


def rates_of_one(function: Function) -> Iterator[tuple[Span, str, bool]]:
    """`learning_rate = 1e-3,` in a class or a module: the place, the name, and whether it is sure.

    A single one, with parentheses or without, may be a search over one value: may.
    """
    if not (function.is_class or function.is_module):
        return
    makers = {i[1]: i for i in steps_of(function) if i[0] in ("const", "build")}
    found: list[tuple[Span, str]] = []
    for i in steps_of(function):
        made = makers.get(i[4]) if i[0] == "store" and i[2].lower() in _RATES else None
        if made is None or made[0] != "build" or made[2] != "tuple" or len(made[3]) != 1:
            continue
        number = makers.get(made[3][0][1])
        if number is not None and number[0] == "const" and isinstance(number[2], float):
            found.append((made[-1], i[2]))
    for span, name in found:
        yield span, name, len(found) >= _HABIT


def tuples_of_one(origins: Origins, function: Function) -> Iterator[tuple[Span, str]]:
    """The tuples of one function, with what is called in them: in a loop, or trees of arrays."""
    makers = origins.links.makers(function)
    for i in steps_of(function):
        value = i[4] if i[0] in ("store", "setattr") else None
        made = makers.get(value) if value is not None else None
        if made is None or made[:3] != ("build", value, "tuple") or len(made[3]) != 1:
            continue
        call = makers.get(made[3][0][1])
        if call is None or call[0] != "call" or call[-1][:2] != made[-1][:2]:
            continue  # with parentheses, which are meant
        target = i[2] if i[0] == "store" else f"{dotted(makers, i[2])}.{i[3]}"
        if target not in {dotted(makers, one) for star, one in call[3] if not star}:
            continue
        reader = origins.reader(function)
        blocks = reader.around[id(i)]
        in_loop = any(block[0] in ("for", "while") and not _is_short(block) for block, _ in blocks)
        tree = origins.names.of_call(function, call) in _TREES
        if (in_loop or tree) and not _asks_for_type(reader, blocks):
            yield made[-1], spelled(reader.makers, call[2])


def _is_short(block: tuple[object, ...]) -> bool:
    return block[0] == "for" and block[6] is True


def _asks_for_type(reader: Reader, blocks: tuple[Around, ...]) -> bool:
    tests = [reader.makers.get(block[2]) for block, _ in blocks if block[0] == "if"]
    spans = [test[-1] for test in tests if test is not None]
    return any(
        i[0] == "load" and i[2] == "isinstance" and s[:2] <= i[-1][:2] and i[-1][2:] <= s[2:]
        for i in steps_of(reader.function)
        for s in spans
    )
