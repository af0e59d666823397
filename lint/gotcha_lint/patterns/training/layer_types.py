"""Layers without the type that the layers beside them are given (floor `patterns`).

Only layers of a whole function that nothing says is the last one: heads, routers and norms often
stay in float32 on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gotcha_lint.facts.layer_arguments import POSITIONAL
from gotcha_lint.patterns.same_value import written
from gotcha_lint.patterns.training.layer_arguments import name_of, tokens_of
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.reader import NamedReader

_TYPE = "dtype"
_MAKING = frozenset(("setup", "__init__"))  # the last layer that they make may be the last to run
_FEWEST = 2  # layers that are given the type
_MULTIPLIES = frozenset(
    f"{library}.{name}"
    for library, names in (
        ("flax.linen", "Dense DenseGeneral Conv ConvTranspose ConvLocal SelfAttention "
         "MultiHeadDotProductAttention MultiHeadAttention"),
        ("flax.nnx", "Linear LinearGeneral Conv ConvTranspose MultiHeadAttention"),
    )
    for name in names.split()
)  # fmt: skip
_LINEN, _DEFAULT = "flax.linen.Module", "jax.numpy.float32"
_APART = frozenset(
    ("head", "heads", "logits", "logit", "out", "output", "final", "classifier", "router", "gate",
     "policy", "value", "critic", "actor", "mean", "std", "logvar", "last", "pred", "prediction")
)  # fmt: skip


@dataclass(frozen=True)
class UntypedLayer:
    """`layer`: in short; `typed`: of a layer that is given the type; `given`: which."""

    span: Span
    layer: str
    typed: Span
    given: str


def untyped_layers(links: Links, module: Module, function: Function) -> Iterator[UntypedLayer]:
    """Those of one function."""
    if _TYPE not in names_used(function):
        return
    reader = NamedReader(module, function)
    calls = [i for i in steps_of(function) if i[0] == "call"]
    orders = {id(i): POSITIONAL.get(reader.dotted(i[2])) for i in calls}
    library = [i for i in calls if reader.dotted(i[2]) in _MULTIPLIES]
    yield from _among(reader, library, [i for i in library if _given(reader, i)], orders)
    if any(reader.dotted(i[2]) in POSITIONAL for i in calls):
        own = {id(i): order for i in calls if (order := _order_of_own(links, function, i))}
        typed = [i for i in calls if (orders[id(i)] or id(i) in own) and _given(reader, i)]
        yield from _among(reader, [i for i in calls if id(i) in own], typed, own)


def _among(
    reader: NamedReader,
    layers: list[Instruction],
    typed: list[Instruction],
    orders: Mapping[int, tuple[str, ...] | None],
) -> Iterator[UntypedLayer]:
    """Those of these layers, where the others agree. `orders`: of their arguments by position."""
    function = reader.function
    if len(typed) < _FEWEST or len({written(reader, _type(i)) for i in typed}) != 1:
        return
    for layer in layers[:-1] if function.name in _MAKING else layers:
        if _is_open(layer, orders[id(layer)] or ()) and not _is_apart(reader, function, layer):
            name = ".".join(reader.dotted(layer[2]).split(".")[-2:])
            word = name_of(reader, reader.makers.get(_type(typed[0])))
            name = name or reader.function_of(layer)
            yield UntypedLayer(layer[-1], name, typed[0][-1], word)


def _order_of_own(links: Links, function: Function, call: Instruction) -> tuple[str, ...]:
    """The fields of a module of the project that computes in float32 unless it is given a type.

    () where the class is none, or where the type has no such default.
    """
    link = links.of_register(function, call[2])
    if link is None or link.kind != "class":
        return ()
    body = link.function
    parts = links.class_parts(body)
    if parts is None or _LINEN not in parts.library or _TYPE not in parts.fields:
        return ()
    stored = links.stores(body).get(_TYPE, ())
    is_single = len(stored) == 1 and links.dotted(body, stored[0]) == _DEFAULT
    return parts.fields if is_single else ()


def _type(layer: Instruction) -> Register:
    return next((register for key, register in layer[4] if key == _TYPE), -1)


def _given(reader: NamedReader, layer: Instruction) -> bool:
    """A type that a field, a parameter or a configuration says."""
    return _TYPE in tokens_of(name_of(reader, reader.makers.get(_type(layer))))


def _is_open(layer: Instruction, order: tuple[str, ...]) -> bool:
    """Nothing says the type of this one, and no options are hidden."""
    place = order.index(_TYPE) if _TYPE in order else len(order)
    keys = {key for key, _ in layer[4]}
    starred = any(star for star, _ in layer[3])
    return not starred and len(layer[3]) <= place and keys.isdisjoint((_TYPE, "param_dtype", None))


def _is_apart(reader: NamedReader, function: Function, layer: Instruction) -> bool:
    """A head by its name, or what is returned, cast, or called on a value that is cast."""
    named = next((reader.made(register) for key, register in layer[4] if key == "name"), None)
    words = [named[2]] if named is not None and named[0] == "const" else []
    results = {layer[1]}
    for i in steps_of(function):
        if i[0] == "call" and i[2] in results:
            results.add(i[1])
        elif i[0] == "store" and i[4] in results:
            words.append(i[2])
        elif i[0] == "setattr" and i[4] in results:
            words.append(i[3])
        elif (i[0] == "attr" and i[2] in results and i[3] == "astype") or (
            i[0] == "return" and i[2] is not None and _returns(reader, i[2], results)
        ):
            return True
    return any(tokens_of(str(word)) & _APART for word in words)


def _returns(reader: NamedReader, register: Register, results: set[Register]) -> bool:
    """Is the value one of these, or a tuple with one?"""
    made = reader.made(register)
    if made is None:
        return False
    if made[0] == "build":
        return any(_returns(reader, part, results) for _, part in made[3])
    return made[1] in results
