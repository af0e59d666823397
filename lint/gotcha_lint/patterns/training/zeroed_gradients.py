"""Gradients of frozen weights that are zero, for an optimizer that decays (floor `patterns`).

Under-approximates: a function that `jax.tree.map` calls with a gradient and its mask, or with the
path of a leaf, and an update by the result in the same function. Must, where each optimizer of
optax that the file makes decays its weights; may, where it makes others as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.patterns.training.unmasked_decay import CHOOSES, DECAYS
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.reader import NamedReader

_MAPS = frozenset(("jax.tree.map", "jax.tree_util.tree_map", "jax.tree_map"))
_MAPS_PATHS = frozenset(("jax.tree.map_with_path", "jax.tree_util.tree_map_with_path"))
_WHERE = frozenset(("jax.numpy.where", "jax.lax.select"))
_ZEROS = frozenset(("jax.numpy.zeros_like", "jax.numpy.zeros"))
_PLAIN = frozenset(
    ("sgd", "adam", "adamax", "rmsprop", "adagrad", "adabelief", "radam", "amsgrad", "yogi", "lars",
     "noisy_sgd", "sm3", "fromage", "adafactor", "adadelta", "nadam", "lbfgs")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ZeroedGradients:
    """`span`: of the update; `zeroed`: where the gradients become zero; `word`: what decays."""

    span: Span
    zeroed: Span
    word: str
    certain: bool


def zeroed_gradients(module: Module, function: Function, links: Links) -> Iterator[ZeroedGradients]:
    """The updates of one function by gradients that a mask has set to zero."""
    updates = [i for i in steps_of(function) if i[0] == "call" and _gradients(links, function, i)]
    if not updates:
        return
    used = _called_of_optax(links, module)
    decays = sorted(used & DECAYS.keys())
    if not decays or not used.isdisjoint(CHOOSES):
        return
    reader = NamedReader(module, function)
    for update in updates:
        made = reader.made(_gradients(links, function, update) or 0)
        if made is not None and made[0] == "call" and _zeroes(links, reader, made):
            certain = used.isdisjoint(_PLAIN)
            yield ZeroedGradients(update[-1], made[-1], decays[0], certain)


def _called_of_optax(links: Links, module: Module) -> set[str]:
    """The last words of the functions of optax that the file calls."""
    names = (
        links.dotted(function, i[2])
        for function in links.bodies(module)
        for i in steps_of(function)
        if i[0] == "call"
    )
    return {name.rpartition(".")[2] for name in names if name.startswith("optax.")}


def _gradients(links: Links, function: Function, call: Instruction) -> Register | None:
    """What `tx.update(grads, state, params)` or `state.apply_gradients(grads=grads)` is given."""
    callee = links.makers(function).get(call[2])
    if callee is None or callee[0] != "attr" or any(star for star, _ in call[3]):
        return None
    if callee[3] == "apply_gradients":
        return dict(call[4]).get("grads")
    if callee[3] == "update" and len(call[3]) + len(call[4]) == 3 and call[3]:
        return call[3][0][1]
    return None


def _zeroes(links: Links, reader: NamedReader, call: Instruction) -> bool:
    """`jax.tree.map(lambda g, m: jnp.where(m, g, 0.0), grads, mask)`."""
    name = links.dotted(reader.function, call[2])
    given = [register for star, register in call[3] if not star]
    if name not in _MAPS | _MAPS_PATHS or len(given) < 2 or len(given) < len(call[3]):
        return False
    link = links.of_register(reader.function, given[0])
    mapped = link.function if link is not None and link.kind == "function" else None
    if mapped is None or len(mapped.parameters) < 2:
        return False
    with_path = name in _MAPS_PATHS
    if with_path or len(given) > 2:
        return _chooses_zero(links, mapped, with_path)
    return False


def _chooses_zero(links: Links, mapped: Function, with_path: bool) -> bool:
    """Does it give the gradient or zeros, as another of its arguments says?"""
    makers = links.makers(mapped)
    gradient = mapped.parameters[1 if with_path else 0].name
    others = {p.name for p in mapped.parameters} - {gradient}

    def reads(register: Register, names: set[str], depth: int = 0) -> bool:
        made = makers.get(register)
        if made is None or depth > 6:
            return False
        if made[0] == "load":
            return made[2] in names
        operands = [each for each in made[2:-1] if isinstance(each, int)]
        if made[0] == "call":
            operands += [each for _, each in (*made[3], *made[4])]
        return any(reads(each, names, depth + 1) for each in operands)

    def is_zero(register: Register) -> bool:
        made = makers.get(register)
        if made is None:
            return False
        if made[0] == "const":
            return not isinstance(made[2], (str, bool)) and made[2] == 0
        return made[0] == "call" and links.dotted(mapped, made[2]) in _ZEROS

    for i in steps_of(mapped):
        if i[0] == "call" and links.dotted(mapped, i[2]) in _WHERE and len(i[3]) == 3:
            test, one, other = (register for _, register in i[3])
            if is_zero(one) != is_zero(other) and reads(test, others):
                return True
        if i[0] == "if" and reads(i[2], others):
            ends = [step for region in i[3:5] for step in region if step[0] in ("store", "return")]
            ended = [step[4] if step[0] == "store" else step[2] for step in ends]
            if any(is_zero(r) for r in ended if r is not None):
                return True
    return False
