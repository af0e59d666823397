"""Results of updates that are thrown away: `x.at[i].set(v)` as a statement (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.updates import (
    ARRAY_UPDATES,
    AT_UPDATES,
    COMPARISONS,
    PURE,
    STATE_UPDATES,
    STRUCTS,
)
from gotcha_lint.patterns.constructors import decorators
from gotcha_lint.patterns.local.arrays import is_array
from gotcha_lint.patterns.local.rebound_names import rebindable
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import dotted, spelled

_MAPS = frozenset(("jax.tree.map", "jax.tree_util.tree_map"))
_PURE_MODULES = ("jax.numpy.", "jax.nn.")
# Known before an array is computed.
_STATIC = frozenset(("shape", "ndim", "dtype", "size", "itemsize", "nbytes", "weak_type"))

IsPure = Callable[[str], bool]


@dataclass(frozen=True)
class Discarded:
    """`called`: as it is written; `name`: what the result may be bound to."""

    span: Span
    called: str
    name: str


def discarded_updates(
    origins: Origins, module: Module, function: Function, gives_array: IsPure
) -> Iterator[Discarded]:
    """The statements of one function. `gives_array`: does a function of JAX nothing else?"""
    makers, statements = origins.links.makers(function), None
    for i in steps_of(function):
        call = makers.get(i[2]) if i[0] == "discard" else None
        if call is None or call[0] != "call":
            continue
        if statements is None:
            statements = _Statements(origins, module, function, gives_array)
        subject = statements.updated(call)
        if subject is None or origins.is_attempted(function, i) or _is_shown(module, function, i):
            continue
        name = rebindable(function, makers, subject) if subject >= 0 else ""
        yield Discarded(i[-1], spelled(makers, call[2]), name)


def _is_shown(module: Module, function: Function, i: Instruction) -> bool:
    """The last expression of a cell: the notebook shows its value."""
    if not function.is_module:
        return False
    after = [step[-1][0] for step in function.body if step[-1][0] > i[-1][2]]
    if not after:
        return function.path.endswith(".ipynb") or bool(module.cells)
    return any(i[-1][2] < cell <= min(after) for cell in module.cells)


class _Statements:
    def __init__(
        self, origins: Origins, module: Module, function: Function, gives_array: IsPure
    ) -> None:
        self.origins, self.module, self.function = origins, module, function
        self.links, self.gives_array = origins.links, gives_array
        self.makers = origins.links.makers(function)

    def updated(self, call: Instruction) -> Register | None:
        """What was meant to be updated; -1 where that is nothing that can be named."""
        callee = self.makers.get(call[2])
        name = self.origins.names.of_call(self.function, call)
        if callee is not None and callee[0] == "attr" and not name:
            return self._by_method(callee)
        if name in PURE:
            place = PURE[name]
            return call[3][place][1] if place < len(call[3]) else -1
        if not name.startswith("jax."):
            return None
        in_test = is_test(self.function.path)
        if name in _MAPS:
            pure = not in_test and len(call[3]) > 1 and self._maps_purely(call)
            return call[3][1][1] if pure else None
        if in_test and name not in COMPARISONS:
            return None  # that it runs is what is tested
        pure = name.startswith(_PURE_MODULES) and self.gives_array(name)
        return -1 if pure and not self._is_of_literals(call) else None

    def _by_method(self, callee: Instruction) -> Register | None:
        receiver, method = callee[2], callee[3]
        item = self.makers.get(receiver)
        at = self.makers.get(item[2]) if item is not None and item[0] == "item" else None
        if method in AT_UPDATES and at is not None and at[0] == "attr" and at[3] == "at":
            return None if self._has_references(at[2]) else at[2]
        if method in ARRAY_UPDATES and self._is_array(receiver):
            return receiver
        return receiver if method in STATE_UPDATES and self._is_state(receiver) else None

    def _is_array(self, register: Register) -> bool:
        return is_array(self.origins, self.function, register)

    def _has_references(self, updated: Register) -> bool:
        """Kernels store in place, through references of many names; own classes may, too."""
        if self._is_array(updated):
            return False
        if dotted(self.makers, updated).lower().endswith(("ref", "refs")):
            return True
        link = self.links.of_register(self.function, updated)
        return link is not None or _imports_pallas(self.module)

    def _is_state(self, receiver: Register) -> bool:
        made = self.origins.library_given(self.function, receiver)
        if made in STRUCTS or made.removesuffix(".create") in STRUCTS:
            return True
        link = self.links.of_register(self.function, receiver)
        if link is None or link.kind != "instance":
            return False
        if any(self.links.in_class(link.function, method) for method in STATE_UPDATES):
            return False
        return any(
            not STRUCTS.isdisjoint(
                (*parts.library, *(name for name, _ in decorators(self.links, body)))
            )
            for body, parts in self.links.lineage(link.function) or ()
        )

    def _maps_purely(self, call: Instruction) -> bool:
        """`jax.tree.map(lambda g: 2 * g, grads)`: its function computes, and does nothing else."""
        names, register = self.origins.names, call[3][0][1]
        name = names.of_register(self.function, register)
        if name:
            return name.startswith(_PURE_MODULES) and self.gives_array(name)
        made = self.makers.get(register)
        if made is None or made[0] != "closure" or made[2].name != "<lambda>":
            return False
        code = steps_of(made[2])
        if any(i[0] in ("store", "await", "yield") and "%" not in str(i[2]) for i in code):
            return False
        results = [i[2] for i in code if i[0] == "return"]
        inner = self.links.makers(made[2])
        if any(_only_looks(inner, one) for one in results):
            return False
        calls = (names.of_call(made[2], i) for i in code if i[0] == "call")
        return all(each.startswith(_PURE_MODULES) for each in calls)

    def _is_of_literals(self, call: Instruction) -> bool:
        """`jnp.divide(0.0, 0.0)`: no array that was meant to change."""
        return all(self._is_literal(one) for _, one in (*call[3], *call[4]))

    def _is_literal(self, register: Register) -> bool:
        made = self.makers.get(register)
        if made is not None and made[0] == "unop":
            return self._is_literal(made[3])
        return made is not None and made[0] == "const"


def _imports_pallas(module: Module) -> bool:
    return any(i[0] == "import" and "pallas" in f"{i[2]}.{i[4]}" for i in steps_of(module.top))


def _only_looks(makers: dict[Register, Instruction], result: Register | None) -> bool:
    """`None` for each leaf, which asks whether the trees are alike, or a leaf's shape and type."""
    made = makers.get(result) if result is not None else None
    if made is None:
        return result is None
    if made[0] == "const":
        return made[2] is None
    if made[0] == "build":
        return all(_only_looks(makers, one) for _, one in made[3])
    return made[0] == "attr" and made[3] in _STATIC
