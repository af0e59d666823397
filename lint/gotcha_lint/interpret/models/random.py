"""Random numbers: `jax.random`, whose keys are arguments, and `numpy.random`, which has a state.

A draw of `numpy.random` differs at each evaluation; a draw of `jax.random` differs with its key.
"""

from __future__ import annotations

from gotcha_lint.domain.keys import SPLIT, Folded, Key
from gotcha_lint.domain.value import (
    EACH,
    INFINITY,
    NO_MARKS,
    NONE,
    UNKNOWN,
    Array,
    Constant,
    Library,
    Marks,
    Number,
    Value,
    fixed,
    only,
    size_from,
)
from gotcha_lint.domain.value import Sequence as SequenceOf
from gotcha_lint.facts.draws import GENERATOR
from gotcha_lint.facts.random import ALIGNED, SAMPLERS
from gotcha_lint.interpret.arrays import (
    Shape,
    as_arrays,
    canonical_dtype,
    dtype_of,
    first_array,
    reduce,
    shape_from,
)
from gotcha_lint.interpret.call import Call, family, model
from gotcha_lint.interpret.faults.seeds import check_folded, check_seed
from gotcha_lint.interpret.heap import contents, element_of
from gotcha_lint.interpret.keys import below, index_of, range_of, seeded, use
from gotcha_lint.interpret.result_types import from_table

_GENERATOR = GENERATOR


# numpy.random


@model(
    "numpy.random.default_rng",
    "numpy.random.RandomState",
    "numpy.random.Generator",
    "numpy.random.PCG64",
    "numpy.random.SeedSequence",
)
def generator(call: Call) -> Value:
    return only(Library(_GENERATOR, call.origin))


_SIZE_AT = {
    "normal": 2,
    "uniform": 2,
    "random": 0,
    "random_sample": 0,
    "standard_normal": 0,
    "standard_exponential": 0,
    "exponential": 1,
    "poisson": 1,
    "binomial": 2,
    "beta": 2,
    "gamma": 2,
    "laplace": 2,
    "lognormal": 2,
    "geometric": 1,
}  # the position of `size`
_COUNTS = frozenset(("poisson", "binomial", "geometric", "negative_binomial", "hypergeometric"))


def _each(call: Call) -> Marks:
    """The marks of what differs at each evaluation."""
    return call.engine.current | {EACH}


@family("numpy.random.", f"{_GENERATOR}.")
def drawn(call: Call) -> Value:
    """A draw: a number, or an array of the size that is asked for."""
    name = call.short
    if name in ("shuffle", "seed"):
        return NONE
    if name == "spawn":
        return only(SequenceOf(only(Library(_GENERATOR, call.origin)), size_from(call.args[0])))
    if name in ("permutation", "permuted"):
        return _permuted(call)
    if name == "choice":
        return _chosen(call)
    if name in ("rand", "randn"):
        if not call.args:
            return only(Number("float", origin=call.origin), _each(call))
        return _host(call, "float64", tuple(size_from(value) for value in call.args))
    if name in ("integers", "randint"):
        return _integers(call)
    return _numbers(call, "int64" if name in _COUNTS else "float64")


def _host(call: Call, dtype: str | None, shape: Shape | None) -> Value:
    return only(Array(dtype, False, shape, "host", call.origin), _each(call))


def _numbers(call: Call, dtype: str) -> Value:
    position = _SIZE_AT.get(call.short, 3)
    size = call.get(position, "size")
    if size is not None and not size.is_none:
        named = dtype_of(call.keyword("dtype")) or dtype
        drawn = None if call.short in _OF_VECTORS_OF_NUMPY else shape_from(call.engine, size)
        return _host(call, named, drawn)
    parameters = [array for value in call.args for array in as_arrays(value) or []]
    if call.short in _OF_VECTORS_OF_NUMPY or any(array.shape for array in parameters):
        return _host(call, dtype, None)
    kind = "int" if dtype == "int64" else "float"
    return only(Number(kind, -INFINITY, INFINITY, None, call.origin), _each(call))


def _integers(call: Call) -> Value:
    size = call.get(2, "size")
    if size is not None and not size.is_none:
        dtype = dtype_of(call.keyword("dtype")) or "int64"
        return _host(call, dtype, shape_from(call.engine, size))
    low, high = call.argument(0, "low"), call.get(1, "high")
    if high is None or high.is_none:
        low, high = only(Constant(0, "int")), low
    least, most = _bound(low, 0), _bound(high, 1)
    number = Number("int", least[0], most[1] - 1, None, call.origin)
    return only(number, _each(call))


def _bound(value: Value, side: int) -> tuple[float, float]:
    atom = value.only
    if isinstance(atom, Constant) and isinstance(atom.value, int):
        return atom.value, atom.value
    if isinstance(atom, Number):
        return atom.low, atom.high
    return (0, INFINITY) if side == 0 else (-INFINITY, INFINITY)


def _permuted(call: Call) -> Value:
    """Of a number: the numbers below it, in some order; of an array: its rows."""
    if not call.args:
        return Value((), True, _each(call))
    given = call.args[0]
    if isinstance(given.only, (Constant, Number)):
        return _host(call, "int64", (size_from(given, call.origin),))
    return given.marked(_each(call))


def _chosen(call: Call) -> Value:
    size = call.get(1, "size")
    given = call.argument(0, "a")
    if size is None or size.is_none:
        content = contents(call.engine, given)
        if content is not None:
            return element_of(content).marked(_each(call))
        array = given.only
        if isinstance(array, Array) and array.shape:
            return _host(call, array.dtype, array.shape[1:])
        number = Number("int", 0, _bound(given, 1)[1] - 1, None, call.origin)
        known = isinstance(array, (Constant, Number))
        return only(number, _each(call)) if known else Value((), True, _each(call))
    of = given.only
    dtype = "int64" if isinstance(of, (Constant, Number)) else first_array(given).dtype
    return _host(call, dtype, shape_from(call.engine, size))


# jax.random

_SHAPE_AT = {
    "normal": 1,
    "uniform": 1,
    "bits": 1,
    "randint": 1,
    "exponential": 1,
    "gumbel": 1,
    "laplace": 1,
    "logistic": 1,
    "cauchy": 1,
    "rademacher": 1,
    "bernoulli": 2,
    "choice": 2,
    "poisson": 2,
    "gamma": 2,
    "categorical": 3,
    "truncated_normal": 3,
    "beta": 3,
}  # the position of `shape`
_OF_VECTORS = {"multivariate_normal": "mean", "dirichlet": "alpha"}
_OF_MATRICES = frozenset(("ball", "orthogonal", "multinomial"))  # with axes of their own
_OF_VECTORS_OF_NUMPY = frozenset(("multivariate_normal", "dirichlet", "multinomial"))
_DTYPES = {
    "bernoulli": "bool",
    "categorical": "int32",
    "randint": "int32",
    "poisson": "int32",
    "rademacher": "int32",
    "bits": "uint32",
}


def _device(
    call: Call,
    dtype: str | None,
    shape: Shape | None,
    key: Key | None = None,
    marks: Marks = NO_MARKS,
) -> Value:
    dtype = canonical_dtype(dtype)
    array = Array(dtype, False, shape, "device", call.origin, key)
    return only(array, call.marks | marks)


@model("jax.random.key", "jax.random.PRNGKey")
def key(call: Call) -> Value:
    """A typed key, or with `PRNGKey` its two words."""
    call.engine.equations += 1
    check_seed(call)
    name, marks = seeded(call.engine, call.argument(0, "seed"), call.name, call.span)
    if call.short == "PRNGKey":
        return _device(call, "uint32", (fixed(2),), name, marks)
    return _device(call, "key", (), name, marks)


def _key_of(call: Call) -> Array:
    """The key that is given; of which kind it is may be unknown."""
    for array in as_arrays(call.argument(0, "key")) or ():
        if array.dtype == "uint32" and array.shape:
            return array
        if array.dtype == "key":
            return Array("key", False, ())
    return Array(None, False, None)


@model("jax.random.fold_in", "jax.random.clone")
def other_key(call: Call) -> Value:
    """A clone has the numbers of the key on purpose: it has no name."""
    call.engine.equations += 1
    array = _key_of(call)
    if call.short == "clone":
        return _device(call, array.dtype, array.shape)
    given = call.argument(0, "key")
    folded = call.argument(1, "data")
    check_folded(call)
    use(call.engine, given, "fold", call.name, call.span, range_of(folded))
    data = index_of(folded)
    step = None if data is None else Folded(data)
    return _device(call, array.dtype, array.shape, *below(call.engine, given, step, call.span))


@model("jax.random.wrap_key_data")
def wrapped_key(call: Call) -> Value:
    shape = first_array(call.argument(0, "key_bits_array")).shape
    return _device(call, "key", shape[:-1] if shape else None)


_FIRST_TWO = 2  # keys that `split` gives where no number is given


@model("jax.random.split")
def split(call: Call) -> Value:
    """`split(key, num)`: an array of keys, which can be unpacked."""
    call.engine.equations += 1
    parent = call.argument(0, "key")
    if parent.is_none:  # a key that was left out: this raises
        return UNKNOWN
    array, given = _key_of(call), call.get(1, "num")
    count = range_of(given) if given is not None else (_FIRST_TWO, _FIRST_TWO)
    last = max(count[0], _FIRST_TWO) - 1 if count is not None else _FIRST_TWO - 1
    use(call.engine, parent, "split", call.name, call.span, (0, last))
    shape: Shape | None = (fixed(2),)
    if given is not None:
        shape = shape_from(call.engine, given) or (size_from(given),)
    whole = None if array.dtype is None else (*shape, *(array.shape or ())[-1:])
    return _device(call, array.dtype, whole, *below(call.engine, parent, SPLIT, call.span))


def note_draw(call: Call) -> None:
    if call.name in SAMPLERS:
        key = call.argument(0, "key")
        if call.name in ALIGNED:  # rows of each of several arrays, in one order
            key = key.marked(call.argument(1, "x").marks)
        use(call.engine, key, "draw", call.name, call.span)


@model("jax.random.permutation")
def permutation(call: Call) -> Value:
    note_draw(call)
    found = from_table(call, call.name, call.args)
    if found is not None:
        return found
    call.engine.equations += 1
    given = call.argument(1, "x")
    if isinstance(given.only, (Constant, Number)):
        return _device(call, "int32", (size_from(given),))
    return given.marked(call.marks)


@model("jax.random.categorical")
def categorical(call: Call) -> Value:
    note_draw(call)
    found = from_table(call, call.name, call.args)
    if found is not None:
        return found
    shape = call.get(3, "shape")
    if shape is not None and not shape.is_none:
        return _drawn(call)
    axis = call.get(2, "axis") or only(Constant(-1, "int"))
    logits = call.argument(1, "logits")
    found = reduce(call.engine, logits, axis, False, call.span, False, "int32")
    return found.marked(call.marks)


@model("jax.random.choice")
def choice(call: Call) -> Value:
    note_draw(call)
    found = from_table(call, call.name, call.args)
    if found is not None:
        return found
    call.engine.equations += 1
    given, size = call.argument(1, "a"), call.get(2, "shape")
    array = given.only
    shape: Shape | None = () if size is None else shape_from(call.engine, size)
    if isinstance(array, (Constant, Number)):
        return _device(call, "int32", shape)
    if isinstance(array, Array) and array.shape and shape is not None:
        return _device(call, array.dtype, (*shape, *array.shape[1:]))
    return _device(call, first_array(given).dtype, None)


@family("jax.random.")
def draw(call: Call) -> Value:
    """A draw of the shape that is asked for; a scalar without one."""
    note_draw(call)
    return from_table(call, call.name, call.args) or _drawn(call)


def _drawn(call: Call) -> Value:
    call.engine.equations += 1
    name = call.short
    given = call.get(_SHAPE_AT.get(name, 99), "shape")
    dtype = dtype_of(call.keyword("dtype")) or _DTYPES.get(name, "float32")
    if name in _OF_VECTORS:  # each draw has the axis of the parameter besides
        axes = first_array(call.argument(1, _OF_VECTORS[name])).shape
        shape = shape_from(call.engine, given) if given is not None else None
        return _device(call, dtype, (*shape, axes[-1]) if axes and shape is not None else None)
    if given is not None and not given.is_none:
        shape = None if name in _OF_MATRICES else shape_from(call.engine, given)
        return _device(call, dtype, shape)
    if name in _SHAPE_AT and all(_is_scalar(value) for value in call.args[1:]):
        return _device(call, dtype, ())
    return _device(call, dtype, None)


def _is_scalar(value: Value) -> bool:
    arrays = as_arrays(value)
    return arrays is not None and all(array.shape == () for array in arrays)


@model("jax.random.key_data", "jax.random.key_impl")
def key_data(call: Call) -> Value:
    call.engine.equations += 1
    shape = first_array(call.argument(0, "keys")).shape
    return _device(call, "uint32", None if shape is None else (*shape, fixed(2)))
