"""Names mean what Python's own symbol table says."""

from __future__ import annotations

import pathlib
import symtable
import sys
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gotcha_lint.program.ir import Function
from gotcha_lint.program.parse import parse
from tests.lint.program.support import bodies, flat, lowered
from tests.lint.program.test_corpus import STANDARD

OWN = pathlib.Path(__file__).parents[3] / "lint" / "gotcha_lint"

CELLS = {"__class__", "__classdict__", "__conditional_annotations__"}  # made by Python itself


def _tables(text: str) -> dict[tuple[str, int], list[symtable.SymbolTable]]:
    """The tables of functions and classes, by name and first line."""
    out: dict[tuple[str, int], list[symtable.SymbolTable]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stack = [symtable.symtable(text, "a.py", "exec")]
    while stack:
        table = stack.pop()
        stack += table.get_children()
        name = {"top": "<module>", "lambda": "<lambda>"}.get(table.get_name(), table.get_name())
        out.setdefault((name, table.get_lineno()), []).append(table)
    return out


def _check_scopes(text: str, path: str = "a.py") -> int:
    """The number of functions compared. A comprehension has a table of its own, but no function."""
    tables = _tables(text)
    compared = 0
    for function in bodies(parse(path, "a", text)):
        if function.is_module:
            continue
        found = tables.get((function.name, function.first), [])
        if len(found) != 1:  # two lambdas on a line
            continue
        symbols = found[0].get_symbols()
        private = [symbol.get_name() for symbol in symbols if "__" in symbol.get_name()]
        if any(name.startswith("_") and not name.endswith("__") for name in private):
            continue  # mangled names
        where = f"{path}:{function.line}"
        declared = {s.get_name() for s in symbols if s.is_declared_global()}
        assert function.globals >= declared, where
        wanted = {
            symbol.get_name()
            for symbol in symbols
            if symbol.is_local() and not symbol.get_name().startswith(".")
        }
        assert _plain(function.locals) <= wanted, where
        # Since 3.12 the table of a function has the variables of its comprehensions too
        assert wanted <= function.locals | _renamed(function) | CELLS, where
        _check_uses(function, symbols, where)
        compared += 1
    return compared


def _plain(names: set[str]) -> set[str]:
    return {name for name in names if "%" not in name}


def _renamed(function: Function) -> set[str]:
    return {name.partition("%")[0] for name in function.locals if "%" in name}


def _check_uses(function: Function, symbols: list[symtable.Symbol], where: str) -> None:
    kinds = {symbol.get_name(): symbol for symbol in symbols}
    if sys.version_info >= (3, 12):
        for name in _renamed(function):
            kinds.pop(name, None)
    for each in flat(function.body):
        if each[0] not in ("load", "store") or "%" in each[2] or each[2] not in kinds:
            continue
        name, hops = each[2], each[3]
        symbol = kinds[name]
        if name in ("__class__", "super"):
            continue
        if symbol.is_free():
            # One that a class reads and that is local to it at the same time is looked up in both
            assert hops > 0 or function.is_class, (where, name, hops)
        elif symbol.is_local():
            in_comprehension = function.is_class and hops != 0
            assert hops == 0 or in_comprehension, (where, name, hops)
        else:
            assert hops == -1, (where, name, hops)


def test_the_scopes_of_own_files() -> None:
    count = sum(_check_scopes(path.read_text("utf-8"), str(path)) for path in OWN.rglob("*.py"))
    assert count > 2000


# Some Pythons come without their own tests; the two modules are always there.
LIBRARY = [
    *(STANDARD / name for name in ("dataclasses.py", "typing.py")),
    *sorted((STANDARD / "test").glob("test_scope.py")),
    *sorted((STANDARD / "test").glob("test_named_expressions.py")),
]


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.name)
def test_the_scopes_of_the_library(path: pathlib.Path) -> None:
    assert _check_scopes(path.read_text("utf-8"), str(path)) > 20


# Bodies of random nesting, in which each statement uses a few names
NAMES = st.sampled_from("abcd")
SIMPLE = st.one_of(
    NAMES.map(lambda n: f"{n} = 1"),
    NAMES.map(lambda n: f"print({n})"),
    NAMES.map(lambda n: f"import {n}"),
    NAMES.map(lambda n: f"del {n}"),
    st.tuples(NAMES, NAMES).map(lambda n: f"for {n[0]} in {n[1]}: pass"),
    st.tuples(NAMES, NAMES).map(lambda n: f"with {n[0]} as {n[1]}: {n[1]} += 1"),
    st.tuples(NAMES, NAMES).map(lambda n: f"print([{n[0]} for {n[0]} in {n[1]}])"),
    st.tuples(NAMES, NAMES).map(lambda n: f"print(lambda {n[0]}: {n[0]} + {n[1]})"),
    st.tuples(NAMES, NAMES).map(lambda n: f"print(({n[0]} := {n[1]}))"),
    st.tuples(NAMES, NAMES).map(lambda n: f"try: pass\nexcept {n[0]} as {n[1]}: pass"),
    st.tuples(NAMES, NAMES).map(lambda n: f"match {n[0]}:\n  case [{n[1]}, *d]: pass"),
)


def _indented(lines: list[str]) -> str:
    return "\n".join(f"  {line}" for text in lines for line in text.split("\n"))


def _nested(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(children, min_size=1, max_size=4)
    declared = st.one_of(st.just(""), NAMES.map(lambda n: f"  global {n}\n"))
    return st.one_of(
        st.tuples(NAMES, NAMES, declared, body).map(
            lambda p: f"def {p[0]}({p[1]}):\n{p[2]}{_indented(p[3])}"
        ),
        st.tuples(NAMES, declared, body).map(lambda p: f"class {p[0]}:\n{p[1]}{_indented(p[2])}"),
        st.tuples(NAMES, body).map(lambda p: f"if {p[0]}:\n{_indented(p[1])}"),
    )


@settings(max_examples=400, deadline=None)
@given(st.lists(st.recursive(SIMPLE, _nested, max_leaves=14), min_size=1, max_size=4))
def test_the_scopes_of_random_programs(parts: list[str]) -> None:
    text = "\n".join(parts) + "\n"
    try:
        compile(text, "a.py", "exec")
    except SyntaxError:  # a parameter that is declared global
        return
    _check_scopes(text)


def _loads(text: str, name: str) -> dict[str, int]:
    """For each function, the hops of its first use of a name."""
    out: dict[str, int] = {}
    for function in bodies(lowered(text)):
        for each in flat(function.body):
            if each[0] == "load" and each[2] == name:
                out.setdefault(function.qualname, each[3])
    return out


def test_a_class_counts_as_a_function_that_hides_its_names() -> None:
    text = """
    def outer(x):
        class A:
            x = 1
            y = x
            def method(self):
                return x
    """
    assert _loads(text, "x") == {"outer.<locals>.A.method": 2, "outer.<locals>.A": 0}


def test_a_comprehension_in_a_class_sees_its_names_in_the_first_iterable_only() -> None:
    text = """
    class A:
        x = [1]
        y = [i for i in x]
        z = [x for i in y]
    """
    (function,) = [each for each in bodies(lowered(text)) if each.is_class]
    loads = [each for each in flat(function.body) if each[0] == "load" and each[2] in "xy"]
    assert [each[2:4] for each in loads] == [("x", 0), ("y", 0), ("x", -1)]


def test_what_inner_functions_use_is_captured() -> None:
    text = """
    def outer(a, b, c):
        def inner():
            nonlocal b
            b = a
            return [c for c in range(3)]
        return inner, [lambda: i for i in c]
    """
    by_name = {function.name: function for function in bodies(lowered(text))}
    assert _plain(by_name["outer"].captured) == {"a", "b"}
    (renamed,) = by_name["outer"].captured - {"a", "b"}
    assert renamed.startswith("i%")
    assert by_name["inner"].nonlocals == {"b"}


def test_names_of_functions_are_qualified() -> None:
    text = """
    def f():
        global g
        def g(): pass
        class A:
            def h(self): return lambda: 1
    """
    names = [function.qualname for function in bodies(lowered(text))]
    assert names == [
        "g", "f.<locals>.A.h.<locals>.<lambda>", "f.<locals>.A.h", "f", "<module>", "f.<locals>.A",
    ]  # fmt: skip


def test_type_parameters_are_no_locals() -> None:
    (function, _) = bodies(lowered("def f[T](a: T) -> T: return a\n"))
    assert function.locals == {"a"}
    assert [(each.name, each.annotation) for each in function.parameters] == [("a", "T")]
    assert function.returns == "T"


def test_the_walrus_binds_in_the_function_around_a_comprehension() -> None:
    text = """
    def f(a):
        if any((b := i) for i in a):
            return lambda c=(d := 1): (e := c)
    """
    by_name = {function.name: function for function in bodies(lowered(text))}
    assert _plain(by_name["f"].locals) == {"a", "b", "d"}
    assert by_name["<lambda>"].locals == {"c", "e"}
