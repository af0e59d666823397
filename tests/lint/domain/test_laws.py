"""The laws of the lattice of abstract values: values of every kind, nested, above the caps."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gotcha_lint.domain import affine
from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import (
    ALTERNATIVES,
    BOTTOM,
    FEW,
    INFINITY,
    TOP,
    UNKNOWN,
    Array,
    Atom,
    Constant,
    Library,
    Mapping,
    Method,
    Number,
    Object,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    constant,
    fixed,
    join,
    join_all,
    join_sizes,
    leq,
    only,
)

LOOPS = (("a.py", 3, 1), ("a.py", 7, 5))
marks = st.frozensets(st.sampled_from(LOOPS))
symbols = st.builds(Symbol, st.sampled_from(("f", "g")), st.sampled_from(((), ("n",), ("m",))))
sums = symbols.map(affine.symbol)


@st.composite
def intervals(draw: st.DrawFn) -> tuple[float, float]:
    low = draw(st.integers(0, 4))
    return low, draw(st.integers(low, 6) | st.just(INFINITY))


@st.composite
def sizes(draw: st.DrawFn) -> Size:
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return fixed(draw(st.integers(0, 12)))
    if kind == 1:
        few = draw(st.frozensets(st.integers(0, 12), min_size=2, max_size=FEW))
        return Size(min(few), max(few), draw(marks), few)
    low, high = draw(intervals())
    form = draw(st.none() | sums) if low != high else None
    ragged = draw(st.none() | st.tuples(st.sampled_from(LOOPS), st.integers(1, 3)))
    return Size(low, high, draw(marks), None, form, ragged)


@st.composite
def number_intervals(draw: st.DrawFn) -> Number:
    low, high = draw(intervals())
    kind = draw(st.sampled_from(("int", "float")))
    return Number(kind, low, high, draw(st.none() | sums) if kind == "int" else None)


constants = st.sampled_from([*range(FEW + 4), 0.5, 1.5, True, None, "a"]).map(
    lambda value: Constant(value, type(value).__name__)
)
arrays = st.builds(
    Array,
    st.sampled_from(("float32", "int32", None)),
    st.booleans(),
    st.none() | st.lists(sizes(), max_size=2).map(tuple),
)
SITES = [Object(Site("class", "a.py", (line, 1, line, 5))) for line in range(3)]
sites = st.sampled_from(SITES)
leaves = (
    constants
    | number_intervals()
    | arrays
    | symbols
    | sites
    | st.sampled_from(("jax.jit", "numpy.ones")).map(Library)
)


def _containers(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Atom]:
    entries = st.dictionaries(st.sampled_from(("x", "y")), values, max_size=2)
    return (
        st.lists(values, max_size=2).map(lambda items: Tuple(tuple(items)))
        | st.builds(Sequence, values, sizes())
        | st.builds(Method, values, st.sampled_from(("mean", "sum")))
        | st.builds(
            lambda known, rest: Mapping(tuple(sorted(known)), _of(known), rest),
            entries,
            st.none() | values,
        )
    )


def _of(known: dict[str, Value]) -> tuple[Value, ...]:
    return tuple(known[key] for key in sorted(known))


@st.composite
def _values(draw: st.DrawFn, atoms: st.SearchStrategy[Atom]) -> Value:
    """As the interpreter makes them: by joins of single alternatives."""
    found = draw(st.lists(atoms, max_size=3))
    value = join_all(only(atom, draw(marks)) for atom in found)
    return join(value, UNKNOWN) if draw(st.booleans()) else value


many = st.lists(constants, min_size=ALTERNATIVES, max_size=ALTERNATIVES + 4).map(
    lambda found: join_all(map(only, found))
)
values = st.recursive(_values(leaves), lambda inner: _values(_containers(inner)), max_leaves=6)
values = values | many | st.sampled_from((BOTTOM, UNKNOWN, TOP))


@given(values, values)
def test_join_is_commutative(a: Value, b: Value) -> None:
    assert join(a, b) == join(b, a)


@given(values, values, values)
def test_join_is_associative(a: Value, b: Value, c: Value) -> None:
    assert join(join(a, b), c) == join(a, join(b, c))


@given(values)
def test_join_is_idempotent(a: Value) -> None:
    assert join(a, a) == a
    assert join(replace_origin(a), a) == a


def replace_origin(value: Value) -> Value:
    """The same value, of other objects."""
    atoms = [replace(atom) for atom in value.atoms]
    return Value(atoms, value.unknown, value.marks, value.choice)


@given(values)
def test_bottom_is_neutral_and_top_absorbs(a: Value) -> None:
    assert join(a, BOTTOM) == join(BOTTOM, a) == a
    top = join(a, TOP)
    assert (top.atoms, top.unknown) == (TOP.atoms, TOP.unknown)
    assert leq(BOTTOM, a) and leq(a, top)


@given(values, values)
def test_join_is_an_upper_bound(a: Value, b: Value) -> None:
    assert leq(a, join(a, b)) and leq(b, join(a, b))


@given(values, values, values)
def test_join_is_monotone(a: Value, b: Value, c: Value) -> None:
    assert leq(join(a, c), join(join(a, b), c))


@given(values, values)
def test_widening_is_above_the_join(a: Value, b: Value) -> None:
    assert leq(join(a, b), join(a, b, frozenset((LOOPS[0],)), widen=True))


@given(st.lists(values, min_size=1, max_size=30))
def test_widening_ends(found: list[Value]) -> None:
    """However many values come round a loop, what is kept changes a bounded number of times."""
    loop = frozenset((LOOPS[0],))
    old, changes = found[0], 0
    for _ in range(3):
        for value in found:
            new = join(old, value, loop, widen=True)
            changes += new != old
            old = new
    for value in found:
        assert join(old, value, loop, widen=True) == old


@given(sizes(), sizes(), sizes())
def test_sizes_join_lawfully(a: Size, b: Size, c: Size) -> None:
    assert join_sizes(a, b) == join_sizes(b, a)
    assert join_sizes(join_sizes(a, b), c) == join_sizes(a, join_sizes(b, c))
    assert join_sizes(a, a) == a


@given(st.lists(constants, max_size=30))
def test_what_is_joined_is_allowed_for(found: list[Constant]) -> None:
    value = join_all(constant(each.value) for each in found)
    for each in found:
        assert leq(constant(each.value), value)


def test_multiples_of_a_sum():
    rows, size = affine.symbol("rows"), affine.symbol("size")
    assert affine.is_multiple(affine.scale(size, 10), size)
    assert affine.is_multiple(affine.symbol(("*", affine.symbol("batches"), size)), size)
    assert affine.is_multiple(affine.constant(500), affine.constant(100))
    assert not affine.is_multiple(rows, size)
    assert not affine.is_multiple(affine.add(size, affine.constant(1)), size)
    assert not affine.is_multiple(affine.constant(500), affine.constant(128))
    assert not affine.is_multiple(affine.constant(500), affine.ZERO)
    assert not affine.is_multiple(None, size)
