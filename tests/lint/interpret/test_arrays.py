"""Arrays of the interpreter against JAX and NumPy: types, weak types, shapes, sizes of slices."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gotcha_lint.domain import affine
from gotcha_lint.domain.value import (
    NONE,
    Array,
    Constant,
    Number,
    Size,
    Symbol,
    Tuple,
    Value,
    constant,
    fixed,
    only,
    value_of,
)
from gotcha_lint.interpret.arithmetic import binary
from gotcha_lint.interpret.arrays import as_arrays, promote
from gotcha_lint.interpret.calls import call_library
from gotcha_lint.interpret.engine import Engine
from gotcha_lint.interpret.indexing import slice_size
from gotcha_lint.program.modules import ModuleIndex

SPAN = (1, 1, 1, 2)
INTEGERS = ("int8", "int16", "int32", "uint8", "uint16", "uint32")
DTYPES = ("bool", *INTEGERS, "float16", "bfloat16", "float32", "complex64")
TYPES = [(d, False) for d in DTYPES] + [(d, True) for d in ("int32", "float32", "complex64")]
WIDE = ("int64", "uint64", "float64", "complex128")
LOOP = ("a.py", 1, 1)


@pytest.fixture
def machine() -> Engine:
    return Engine({}, ModuleIndex(()))


def array(
    dtype: str, shape: Sequence[int | Size], weak: bool = False, place: str = "device"
) -> Value:
    sizes = tuple(size if isinstance(size, Size) else fixed(size) for size in shape)
    return only(Array(dtype, weak, sizes, place))


def known(value: Value) -> tuple[str | None, bool, tuple[int | None, ...] | None]:
    """The dtype, weak type and shape of the only array that a value is."""
    (found,) = as_arrays(value) or [Array(None, False, None)]
    shape = None if found.shape is None else tuple(size.constant for size in found.shape)
    return found.dtype, found.weak, shape


def sizes_of(value: Value) -> tuple[Size, ...]:
    atom = value.only
    assert isinstance(atom, Array)
    assert atom.shape is not None
    return atom.shape


# Promotion


def jax_sum(*types: tuple[str, bool]) -> tuple[str, bool]:
    structs = [jax.ShapeDtypeStruct((), dtype, weak_type=weak) for dtype, weak in types]
    result = jax.eval_shape(jnp.add, *structs)
    return result.dtype.name, result.weak_type


@pytest.mark.parametrize("first", TYPES)
def test_promotion_is_that_of_jax(first: tuple[str, bool]) -> None:
    for second in TYPES:
        assert promote(first, second, False) == jax_sum(first, second), second


@given(st.sampled_from(DTYPES + WIDE), st.sampled_from(DTYPES + WIDE))
def test_promotion_of_strong_types(first: str, second: str) -> None:
    dtypes = [jax.dtypes.canonicalize_dtype(name) for name in (first, second)]
    expected = jnp.promote_types(*dtypes).name
    assert promote((first, False), (second, False), False) == (expected, False)


@given(st.sampled_from(TYPES), st.sampled_from(TYPES), st.booleans())
def test_promotion_commutes(first: tuple[str, bool], second: tuple[str, bool], host: bool) -> None:
    assert promote(first, second, host) == promote(second, first, host)


NUMPY_TYPES = [name for name in DTYPES + WIDE if name != "bfloat16"]


@pytest.mark.parametrize("first", NUMPY_TYPES)
def test_promotion_is_that_of_numpy(first: str) -> None:
    for second in NUMPY_TYPES:
        expected = np.promote_types(first, second).name
        assert promote((first, False), (second, False), True) == (expected, False), second


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_numpy_promotes_python_numbers(machine: Engine, dtype: str) -> None:
    x = array(dtype, (3,), place="host")
    for number in (True, 2, 2.0, 2j):
        expected = (np.ones(3, dtype) * number).dtype.name
        result = binary(machine, "Mult", x, constant(number), SPAN)
        assert known(result) == (expected, False, (3,)), number


# Calls that the table answers


@dataclass(frozen=True)
class Given:
    """An argument, as the interpreter and as JAX have it."""

    value: Value
    concrete: Any


def operand(rng: random.Random, shape: tuple[int, ...]) -> Given:
    if not shape and rng.random() < 0.3:
        number = rng.choice((2, 2.0, True))
        return Given(constant(number), number)
    weak = rng.random() < 0.2
    dtype = rng.choice(("int32", "float32")) if weak else rng.choice(DTYPES)
    return Given(array(dtype, shape, weak), jax.ShapeDtypeStruct(shape, dtype, weak_type=weak))


def shape_of(rng: random.Random, least: int = 0, most: int = 3) -> tuple[int, ...]:
    return tuple(rng.choice((1, 2, 3, 4, 6)) for _ in range(rng.randint(least, most)))


def plain(value: Any) -> Given:
    if isinstance(value, tuple):
        return Given(only(Tuple(tuple(plain(part).value for part in value))), value)
    return Given(constant(value), value)


def one(rng: random.Random) -> list[Given]:
    return [operand(rng, shape_of(rng, 1))]


def two(rng: random.Random) -> list[Given]:
    shape = shape_of(rng, 1)
    other = tuple(rng.choice((size, 1)) for size in shape)[rng.randint(0, len(shape)) :]
    return [operand(rng, shape), operand(rng, other)]


def with_axis(rng: random.Random) -> list[Given]:
    shape = shape_of(rng, 1)
    return [operand(rng, shape), plain(rng.randrange(-len(shape), len(shape)))]


def product_operands(rng: random.Random) -> list[Given]:
    inner = rng.choice((2, 3, 5))
    return [operand(rng, (*shape_of(rng, 0, 1), inner)), operand(rng, (inner, 4))]


def new_shape(rng: random.Random) -> list[Given]:
    return [operand(rng, (2, 3, 4)), plain(rng.choice(((6, 4), (-1,), (4, -1, 2), (2, -1))))]


def several(rng: random.Random) -> list[Given]:
    shape = shape_of(rng, 1)
    parts = [operand(rng, shape) for _ in range(rng.randint(1, 3))]
    items = only(Tuple(tuple(part.value for part in parts)))
    return [Given(items, tuple(part.concrete for part in parts))]


def of_shape(rng: random.Random) -> list[Given]:
    return [plain(shape_of(rng))]


def choice_of(rng: random.Random) -> list[Given]:
    shape = shape_of(rng, 1)
    condition = jax.ShapeDtypeStruct(shape, "bool")
    return [Given(array("bool", shape), condition), operand(rng, shape), operand(rng, ())]


CALLS: list[tuple[str, Callable[[random.Random], list[Given]]]] = [
    *((f"jax.numpy.{name}", one) for name in ("exp", "abs", "sqrt", "negative", "isnan", "sign")),
    *((f"jax.numpy.{name}", one) for name in ("sum", "mean", "max", "argmax", "any", "std")),
    *((f"jax.nn.{name}", one) for name in ("relu", "silu", "softmax", "gelu")),
    *((f"jax.numpy.{name}", two) for name in ("add", "multiply", "divide", "power", "maximum")),
    *((f"jax.numpy.{name}", two) for name in ("floor_divide", "equal", "logical_and", "arctan2")),
    *((f"jax.numpy.{name}", with_axis) for name in ("sum", "mean", "max", "prod", "cumsum")),
    *((f"jax.numpy.{name}", with_axis) for name in ("argmin", "expand_dims", "all", "flip")),
    *((f"jax.numpy.{name}", product_operands) for name in ("matmul", "dot")),
    *((f"jax.numpy.{name}", several) for name in ("concatenate", "stack", "hstack", "vstack")),
    *((f"jax.numpy.{name}", of_shape) for name in ("zeros", "ones", "empty")),
    ("jax.numpy.reshape", new_shape),
    ("jax.numpy.transpose", one),
    ("jax.numpy.ravel", one),
    ("jax.numpy.zeros_like", one),
    ("jax.numpy.where", choice_of),
    ("jax.lax.exp", one),
    ("jax.lax.rsqrt", one),
]


def evaluated(name: str, given: list[Given]) -> Any:
    """What JAX says; None where it refuses the call."""
    function: Any = jax
    for part in name.split(".")[1:]:
        function = getattr(function, part)
    arguments = [each.concrete for each in given]
    leaves, tree = jax.tree.flatten(arguments)
    traced = [leaf for leaf in leaves if isinstance(leaf, jax.ShapeDtypeStruct)]

    def run(arrays: list[Any]) -> Any:
        rest: Iterator[Any] = iter(arrays)
        is_traced = [isinstance(leaf, jax.ShapeDtypeStruct) for leaf in leaves]
        pairs = zip(leaves, is_traced, strict=True)
        filled = [next(rest) if traced else leaf for leaf, traced in pairs]
        return function(*jax.tree.unflatten(tree, filled))

    try:
        return jax.eval_shape(run, traced)
    except (TypeError, ValueError):
        return None


def test_calls_are_exact_or_unknown(machine: Engine) -> None:
    """200 random calls: what is known of the result is what `jax.eval_shape` says of it."""
    rng = random.Random(20261125)
    exact = total = 0
    while total < 200:
        name, make = rng.choice(CALLS)
        given = make(rng)
        truth = evaluated(name, given)
        if truth is None:
            continue
        total += 1
        arguments = tuple(each.value for each in given)
        dtype, weak, shape = known(call_library(machine, name, arguments, {}, SPAN))
        assert dtype in (None, truth.dtype.name), (name, given)
        assert shape in (None, truth.shape), (name, given)
        if dtype is not None and shape is not None:
            assert weak == truth.weak_type, (name, given)
            exact += 1
    assert exact >= 190, exact


OPERATORS = {
    "Add": lambda a, b: a + b,
    "Mult": lambda a, b: a * b,
    "Div": lambda a, b: a / b,
    "FloorDiv": lambda a, b: a // b,
    "MatMult": lambda a, b: a @ b,
}


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("first", ["bool", "uint8", "int32", "bfloat16", "float32", "complex64"])
def test_operators(machine: Engine, operator: str, first: str) -> None:
    for second in ("int8", "int32", "float16", "float32"):
        if operator == "FloorDiv" and first == "complex64":
            continue
        a, b = jax.ShapeDtypeStruct((2, 3), first), jax.ShapeDtypeStruct((3, 3), second)
        shapes = ((2, 3), (3, 3)) if operator == "MatMult" else ((2, 3), (3,))
        a, b = (jax.ShapeDtypeStruct(s, d) for s, d in zip(shapes, (first, second), strict=True))
        truth = jax.eval_shape(OPERATORS[operator], a, b)
        x, y = array(first, shapes[0]), array(second, shapes[1])
        result = known(binary(machine, operator, x, y, SPAN))
        assert result == (truth.dtype.name, truth.weak_type, truth.shape), second


def test_methods(machine: Engine) -> None:
    x = array("int8", (2, 3))
    struct = jax.ShapeDtypeStruct((2, 3), "int8")
    for name, arguments in (
        ("sum", ()),
        ("mean", (0,)),
        ("reshape", (3, 2)),
        ("reshape", (-1,)),
        ("astype", ("float16",)),
        ("ravel", ()),
        ("argmax", (1,)),
        ("transpose", ()),
        ("squeeze", ()),
    ):
        bound = machine.attribute(x, name, SPAN)
        result = machine.call(bound, tuple(map(constant, arguments)), {}, SPAN)
        truth = jax.eval_shape(
            lambda a, name=name, arguments=arguments: getattr(a, name)(*arguments), struct
        )
        assert known(result) == (truth.dtype.name, truth.weak_type, truth.shape), name


# Sizes that are not known


def varying(low: int = 1, high: int = 100) -> Size:
    symbol = Symbol(("f", "x"), ("len",))
    return Size(low, high, frozenset((LOOP,)), affine=affine.symbol(symbol))


def test_a_size_keeps_its_marks_and_its_form(machine: Engine) -> None:
    size = varying()
    x = array("float32", (size, 4))
    joined = only(Tuple((x, x)))
    (total, width) = sizes_of(call_library(machine, "jax.numpy.concatenate", (joined,), {}, SPAN))
    assert (total.low, total.high, total.marks) == (2, 200, frozenset((LOOP,)))
    assert total.affine == affine.scale(size.affine, 2)
    assert width.constant == 4
    assert not width.marks


def test_a_dimension_comes_back_as_it_was(machine: Engine) -> None:
    ragged = Size(3, 8, frozenset((LOOP,)), frozenset((3, 8)), None, (LOOP, 2))
    x = array("float32", (ragged, 4))
    (rows,) = sizes_of(call_library(machine, "jax.numpy.sum", (x, constant(1)), {}, SPAN))
    assert rows is ragged
    (flat,) = sizes_of(call_library(machine, "jax.numpy.ravel", (x,), {}, SPAN))
    assert flat.few == frozenset((12, 32))
    assert flat.ragged == (LOOP, 2)
    assert flat.marks == ragged.marks


def test_split_heads_of_a_varying_length(machine: Engine) -> None:
    size = varying()
    x = array("float32", (2, size, 12))
    shape = only(Tuple((constant(2), value_of(size), constant(3), constant(-1))))
    result = call_library(machine, "jax.numpy.reshape", (x, shape), {}, SPAN)
    assert [s.constant for s in sizes_of(result)] == [2, None, 3, 4]
    assert sizes_of(result)[1].marks == size.marks


def test_two_unknown_sizes_are_not_taken_for_one(machine: Engine) -> None:
    a, b = Size(marks=frozenset((LOOP,))), Size()
    x, y = array("float32", (a,)), array("float32", (b,))
    joined = only(Tuple((x, y)))
    (size,) = sizes_of(call_library(machine, "jax.numpy.concatenate", (joined,), {}, SPAN))
    assert size.marks == a.marks
    assert size.affine is None


def test_equal_numbers_of_other_types_are_other_arguments(machine: Engine) -> None:
    """1, 1.0 and True are equal keys of a cache."""
    x = array("int32", (3,))
    found = [
        known(call_library(machine, "jax.numpy.multiply", (x, constant(number)), {}, SPAN))
        for number in (1, 1.0, True)
    ]
    assert found == [("int32", False, (3,)), ("float32", True, (3,)), ("int32", False, (3,))]


def test_alternatives_of_an_argument_give_alternatives(machine: Engine) -> None:
    x = array("float32", (3,))
    both = Value([Constant(0, "int"), Constant(2.0, "float")])
    result = call_library(machine, "jax.numpy.add", (array("int32", (3,)), both), {}, SPAN)
    dtypes = {atom.dtype for atom in result.atoms if isinstance(atom, Array)}
    assert dtypes == {"int32", "float32"}
    unknown = Value(x.atoms, True)
    assert known(call_library(machine, "jax.numpy.exp", (unknown,), {}, SPAN))[0] is None


# Indexing

KEYS = [
    0,
    -1,
    slice(1, None),
    slice(None, 2),
    slice(-2, None),
    slice(None, None, 2),
    slice(1, 5),
    None,
    Ellipsis,
    np.zeros((5,), np.int32),
    np.zeros((2, 5), np.int32),
]


def key_value(machine: Engine, key: Any) -> Value:
    if isinstance(key, slice):
        parts = (constant(part) for part in (key.start, key.stop, key.step))
        return only(Tuple((constant("%slice"), *parts)))
    if isinstance(key, np.ndarray):
        return array(key.dtype.name, key.shape, place="host")
    if key is Ellipsis:
        from gotcha_lint.domain.value import Library

        return only(Library("builtins.Ellipsis"))
    return constant(key)


@settings(max_examples=200)
@given(st.lists(st.sampled_from(range(len(KEYS))), min_size=1, max_size=4))
def test_indexed_shape_is_that_of_numpy(chosen: list[int]) -> None:
    keys = tuple(KEYS[i] for i in chosen)
    x = np.zeros((4, 3, 6), np.float32)
    try:
        expected = x[keys].shape
    except IndexError:
        return
    machine = Engine({}, ModuleIndex(()))
    key = only(Tuple(tuple(key_value(machine, part) for part in keys)))
    result = machine.item(array("float32", x.shape), key, SPAN)
    assert known(result)[2] == expected


def test_a_mask_gives_a_size_that_differs_with_the_data(machine: Engine) -> None:
    mask = array("bool", (4,)).marked(frozenset((LOOP,)))
    (size, width) = sizes_of(machine.item(array("float32", (4, 3)), mask, SPAN))
    assert size.constant is None
    assert size.marks == frozenset((LOOP,))
    assert width.constant == 3


@settings(max_examples=200)
@given(
    st.integers(1, 40),
    st.integers(1, 12),
    st.integers(0, 40),
    st.integers(0, 3),
)
def test_the_last_slice_of_a_range_may_be_shorter(
    size: int, step: int, stop: int, start: int
) -> None:
    """`x[i : i + b] for i in range(start, stop, b)`: exactly the sizes that come."""
    machine = Engine({}, ModuleIndex(()))
    symbol = ("range", "a.py", SPAN)
    machine.ranges[symbol] = (
        affine.constant(start),
        affine.constant(min(stop, size)),
        affine.constant(step),
    )
    low = only(Number("int", affine=affine.symbol(symbol)))
    end = affine.add(affine.symbol(symbol), affine.constant(step))
    high = only(Number("int", affine=end))
    found = slice_size(machine, fixed(size), low, high, NONE, SPAN)
    items = range(size)
    sizes = {len(items[i : i + step]) for i in range(start, min(stop, size), step)}
    if len(sizes) == 2:
        assert found.few == sizes
        assert found.ragged is not None
    elif sizes and step in sizes:
        assert found.constant == step


@given(st.integers(0, 9), st.integers(-4, 9), st.sampled_from((None, -3, 0, 2, 9)))
def test_constant_slices(size: int, low: int, high: int | None) -> None:
    machine = Engine({}, ModuleIndex(()))
    found = slice_size(machine, fixed(size), constant(low), constant(high), NONE, SPAN)
    assert found.constant in (None, len(range(size)[low:high]))


# NumPy


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("zeros", ((2, 3),)),
        ("arange", (5,)),
        ("linspace", (0.0, 1.0, 7)),
        ("eye", (3,)),
        ("array", ((1, 2, 3),)),
        ("array", ((1.0, 2),)),
        ("array", (((1, 2), (3, 4)),)),
        ("full", ((2,), 1.5)),
    ],
)
def test_arrays_of_the_host_are_wide(
    machine: Engine, name: str, arguments: tuple[Any, ...]
) -> None:
    truth = getattr(np, name)(*arguments)
    given_values = tuple(plain(argument).value for argument in arguments)
    result = call_library(machine, f"numpy.{name}", given_values, {}, SPAN)
    assert known(result) == (truth.dtype.name, False, truth.shape)
    assert all(atom.place == "host" for atom in result.atoms if isinstance(atom, Array))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32"])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "argmax", "any", "std", "cumsum"])
def test_reductions_of_the_host(machine: Engine, dtype: str, name: str) -> None:
    truth = getattr(np, name)(np.ones((2, 3), dtype), axis=1)
    x = array(dtype, (2, 3), place="host")
    result = call_library(machine, f"numpy.{name}", (x,), {"axis": constant(1)}, SPAN)
    assert known(result) == (truth.dtype.name, False, truth.shape)


def test_a_bfloat16_is_no_type_of_numpy_itself() -> None:
    expected = np.promote_types(ml_dtypes.bfloat16, np.float32).name
    assert promote(("bfloat16", False), ("float32", False), True) == (expected, False)
