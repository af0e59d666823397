"""Whole programs: the interpreter allows for the values that Python computes."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from gotcha_lint.domain.value import Number, Value
from gotcha_lint.interpret.engine import Engine
from gotcha_lint.interpret.imports import load_module
from gotcha_lint.program.modules import ModuleIndex
from gotcha_lint.program.parse import parse
from tests.lint.interpret.fake import contains

PATH = "program.py"


def interpret(text: str) -> tuple[Engine, dict[str, Value]]:
    """Runs a module; the values of its names."""
    module = parse(PATH, "program", dedent(text))
    engine = Engine({PATH: module}, ModuleIndex([PATH]))
    engine.budget = 100_000
    load_module(engine, PATH)
    assert engine.failures == []
    return engine, {
        place[1]: value
        for layer in engine.layers
        for place, value in layer.items()
        if place[0] == PATH
    }


PROGRAMS = {
    "slices": """
        xs = list(range(10)); a = xs[2:5]; b = xs[-3:]; c = xs[::-1]; d = (1, 2, 3)[1:]
        e = "training"[:5]; f = xs[-1]; g, *h = d
    """,
    "dicts": """
        d = {"a": 1, "b": 2}
        d["c"] = 3
        e = d.get("x", 0); f = d.pop("a"); g = d.setdefault("z", 9); d.update(b=5, **{"q": 7})
        h = list(d.items()); i = sorted(d); j = {**d, "w": 0}; k = dict(zip("ab", (1, 2)))
        l = "b" in d; m = len(d); n = {k: v + 1 for k, v in d.items()}; o = d | {"b": 0}
    """,
    "loops": """
        total = 0; xs = []; d = {}
        for i in range(7):
            total += i
            xs.append(i * i)
            d[i] = str(i)
        n = len(xs); last = xs[-1]; m = max(xs); s = sum(xs)
    """,
    "comprehensions": """
        a = [i * 2 for i in range(5)]; b = {i: i for i in (1, 2)}; c = {i % 2 for i in range(4)}
        d = sum(i for i in (1, 2, 3)); e = any(x > 3 for x in a); f = [x for x in a if x > 2]
        g = tuple(zip(a, a)); h = [(i, x) for i, x in enumerate("ab")]; n = len(a)
        o = [x + y for x in (1, 2) for y in (3, 4, 5)]; p = len(o); r = len([x for x in o if x > 4])
        q = [[y for y in (1, 2)] for x in (1, 2, 3)]; s = len(q); t = len(q[0])
        u = len([y for x in range(4) if x > 2 for y in (1, 2)])
    """,
    "functions": """
        def double(x): return 2 * x
        a = list(map(double, (1, 2, 3))); b = list(filter(lambda x: x > 1, (1, 2, 3)))
        c = sorted([3, 1, 2], key=lambda x: -x); d = min((3, 1), key=double); e = divmod(17, 5)
        f = round(2.567, 1); g = abs(-3); h = pow(2, 5); i = int("7") + int(2.9); j = float("1.5")
        k = bool([]); l = "%d of %s" % (1, "x"); m = "{}-{}".format(1, 2); n = f"{a}"
        o = ",".join(["a", "b"]).split(","); p = isinstance(a, list); q = isinstance(e, list)
    """,
    "standard": """
        import math, itertools, functools, operator, copy, collections
        a = math.ceil(7 / 2); b = math.prod((2, 3)); c = list(itertools.chain((1,), (2, 3)))
        d = list(itertools.product((1, 2), "ab")); e = functools.reduce(operator.add, [1, 2, 3])
        f = copy.deepcopy([[1]]); g = list(itertools.islice(range(9), 3)); h = math.sqrt(16)
        i = collections.deque([1, 2]); i.append(3); j = len(i); k = math.floor(-1.5)
        l = list(itertools.accumulate([1, 2, 3])); m = math.log2(8)
    """,
    "identity": """
        missing = object()
        a = missing is missing; b = missing is None; c = [1, 2]; d = c; d += [3]; e = c is d
        f = type(1) is int; g = callable(len); h = (1, 2) + (3,); i = [0] * 3; j = [None] * 2
        j[0] = 4; k = not c; l = -(-7 // 2); m = (7 + 2 - 1) // 2; n = 7 % 3; o = 2 ** 3
    """,
    "classes": """
        class Base:
            rate = 1
            def __init__(self, n): self.n = n
            def __len__(self): return self.n
            def __add__(self, other): return self.n + other
            def __getitem__(self, i): return i * 2
            def name(self): return "base"
            @property
            def twice(self): return 2 * self.n
            @staticmethod
            def static(x): return x + 1
            @classmethod
            def make(cls, n): return cls(n)
        class Child(Base):
            def __init__(self, n): super().__init__(n + 1)
            def name(self): return super().name() + "!"
        c = Child(3)
        a = c.n; b = len(c); d = c + 5; e = c[4]; f = c.name(); g = c.twice; h = c.static(1)
        i = Base.make(2).n; j = getattr(c, "n"); k = getattr(c, "no", 8); l = hasattr(c, "n")
        setattr(c, "extra", 5); m = c.extra; n = isinstance(c, Base); o = isinstance(c, dict)
        p = isinstance(3, Base); q = issubclass(Child, Base); r = type(c) is Child
        s = bool(c); t = hasattr(c, "name")
    """,
    "iterators": """
        it = iter([1, 2]); a = next(it); b = next(iter(()), 5)
        def gen():
            yield 1
            yield 2
        c = list(gen()); d = sum(gen())
        class Count:
            def __iter__(self): return iter((1, 2, 3))
        e = [x for x in Count()]
        for f, g in zip((1, 2), (3, 4)): pass
        for h in reversed((1, 2)): pass
    """,
}
SIMPLE = (int, float, bool, str, type(None))


def simple(value: Any) -> bool:
    """Is it a value that the abstract one can be compared with?"""
    if isinstance(value, dict):
        return all(map(simple, (*value, *value.values())))
    if type(value) in (list, tuple, set):
        return all(map(simple, value))
    return type(value) in SIMPLE


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_interpreter_allows_for_what_python_computes(name: str) -> None:
    text = dedent(PROGRAMS[name])
    concrete: dict[str, Any] = {"__name__": "program"}
    exec(compile(text, PATH, "exec"), concrete)
    engine, found = interpret(text)
    names = {key for key, value in concrete.items() if not key.startswith("_") and simple(value)}
    assert names <= found.keys()
    wrong = {
        key: (found[key], concrete[key])
        for key in names
        if not contains(engine, found[key], concrete[key])
    }
    assert wrong == {}
    assert {key for key in names if found[key].unknown} == VAGUE.get(name, set())


# What stays unknown, of values that a perfect interpreter would know.
VAGUE: dict[str, set[str]] = {
    "classes": {
        "k",  # an attribute that is not there may be set by somebody else
    },
}


def test_a_random_draw_differs_at_each_evaluation() -> None:
    engine, found = interpret("""
        import random, time
        for step in range(10):
            n = random.randint(1, 8)
            t = time.time()
            k = int(t) % 4 + n
            size = step * 2
            fixed = 3
    """)
    loop = next(iter(mark for mark in found["size"].marks if mark[0] == PATH))
    assert loop in found["n"].marks
    assert loop in found["t"].marks
    assert loop in found["k"].marks
    assert not found["fixed"].marks
    number = found["n"].only
    assert isinstance(number, Number)
    assert (number.low, number.high) == (1, 8)
    assert engine.failures == []
