"""Assertions that hold whatever was computed (floor `patterns`).

Must, where the text shows the value: a tuple of flattening, a display, a message where a second
value is meant, a value that is compared with itself. May, for the result of mapping a tree: `all`
goes through the keys of a dict, and only its author knows whether it is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import Link
from gotcha_lint.program.origins import Origins

_FLATTEN = frozenset(
    ("jax.tree.flatten", "jax.tree_util.tree_flatten", "jax.tree_flatten",
     "jax.tree.flatten_with_path", "jax.tree_util.tree_flatten_with_path")
)  # fmt: skip
_MAP = frozenset(
    ("jax.tree.map", "jax.tree_util.tree_map", "jax.tree_map", "jax.tree_multimap",
     "jax.tree.map_with_path", "jax.tree_util.tree_map_with_path")
)  # fmt: skip
_ALL = frozenset(("builtins.all", "builtins.any"))
_TRUE = frozenset(("assertTrue", "assert_", "failUnless"))
_TESTING = ("numpy.testing.assert_", "chex.assert_trees_all_", "chex.assert_equal")
_NOT_EQUAL = frozenset(("assert_array_less", "assert_trees_all_equal_shapes"))


@dataclass(frozen=True, slots=True)
class VainAssertion:
    """`kind`: "flattened", "mapped", "tuple", "message" or "itself"; `word`: what is called."""

    span: Span
    kind: str
    word: str
    certain: bool = True


def vain_assertions(origins: Origins, function: Function) -> Iterator[VainAssertion]:
    """Those of one function."""
    makers = origins.links.makers(function)
    for i in steps_of(function):
        if i[0] == "assert":
            yield from _of_truth(origins, function, i[2], i[-1])
        elif i[0] == "call":
            name = origins.names.of_call(function, i)
            callee = makers.get(i[2])
            word = callee[3] if callee is not None and callee[0] == "attr" else ""
            builtin = origins.links.dotted(function, i[2])
            if builtin in _ALL and len(i[3]) == 1 and not i[3][0][0]:
                yield from _of_elements(origins, function, i, builtin.rpartition(".")[2])
            elif word in _TRUE and i[3] and not any(star for star, _ in i[3]):
                yield from _of_truth(origins, function, i[3][0][1], i[-1])
                if len(i[3]) == 2 and _is_no_message(origins, function, i[3][1][1]):
                    yield VainAssertion(i[-1], "message", word)
            elif name.startswith(_TESTING) and _is_same(origins, function, i):
                yield VainAssertion(i[-1], "itself", name.rpartition(".")[2])


def _of_elements(
    origins: Origins, function: Function, call: Instruction, word: str
) -> Iterator[VainAssertion]:
    """`all(tree_flatten(x))`: the list of leaves and the structure are both true."""
    made = origins.reader(function).made(call[3][0][1])
    if made is None or made[0] != "call":
        return
    name = origins.names.of_call(function, made)
    if name in _FLATTEN:
        yield VainAssertion(call[-1], "flattened", word)
    elif name in _MAP:
        yield VainAssertion(call[-1], "mapped", word, _maps_dict(origins, function, made))


def _maps_dict(origins: Origins, function: Function, call: Instruction) -> bool:
    """Is one of the trees a dict: a display, or the parameters that a module of Linen makes?"""
    for star, register in call[3][1:]:
        found = origins.of(function, register)
        if star or found is None:
            continue
        owner, made = found
        if isinstance(made, tuple) and made[0] == "dict" and made[2]:
            return all(key is not None for key, _ in made[2])
        if isinstance(made, tuple) and made[0] == "call":
            callee = origins.links.makers(owner).get(made[2])
            if callee is not None and callee[0] == "attr" and callee[3] == "init":
                link = origins.links.of_register(owner, callee[2])
                return link is not None and link.kind == "instance" and _is_linen(origins, link)
    return False


def _is_linen(origins: Origins, link: Link) -> bool:
    lineage = origins.links.lineage(link.function)
    return lineage is not None and any("flax.linen.Module" in p.library for _, p in lineage)


def _of_truth(
    origins: Origins, function: Function, tested: Register, span: Span
) -> Iterator[VainAssertion]:
    """`assert (x > 0, "x")`, `assert jax.tree.map(jnp.allclose, a, b)`."""
    made = origins.reader(function).made(tested)
    if made is None:
        return
    if made[0] == "build" and made[2] in ("tuple", "list") and made[3]:
        if not any(star for star, _ in made[3]):
            yield VainAssertion(span, "tuple", made[2])
    elif made[0] == "call":
        name = origins.names.of_call(function, made)
        if name in _FLATTEN:
            yield VainAssertion(span, "tuple", "tuple")
        elif name in _MAP and _maps_dict(origins, function, made):
            yield VainAssertion(span, "tuple", "dict")


def _is_no_message(origins: Origins, function: Function, register: Register) -> bool:
    """`self.assertTrue(y.shape, (2, 3))`."""
    made = origins.links.makers(function).get(register)
    if made is None:
        return False
    if made[0] == "const":
        return made[2] is not None and not isinstance(made[2], str)
    if made[0] == "attr":
        return made[3] in ("shape", "dtype", "ndim", "size")
    return made[0] in ("build", "dict")


def _is_same(origins: Origins, function: Function, call: Instruction) -> bool:
    """Both sides are one name, and nothing is stored under it between."""
    if len(call[3]) < 2 or any(star for star, _ in call[3]):
        return False
    makers = origins.links.makers(function)
    left, right = (makers.get(register) for _, register in call[3][:2])
    if left is None or right is None or left[0] != "load" or right[0] != "load":
        return False
    word = origins.names.of_call(function, call).rpartition(".")[2]
    return left[2:4] == right[2:4] and word not in _NOT_EQUAL and "shape" not in word
