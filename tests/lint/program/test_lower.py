"""The instructions of small functions: each construct that is taken apart."""

from __future__ import annotations

import textwrap

import pytest

from tests.lint.program.support import bodies, dump, flat, lowered

# The text of a function, and its instructions without spans
GOLDEN = {
    "a loop, and all forms of arguments": (
        """
        def f(xs, step=1):
            for x in xs:
                y = g(x, *xs, k=step, **xs)
            else:
                return y
        """,
        """
        1 load 'xs' 0
        13 for 1 2 False
          :
          3 store 'x' 0 2
          4 load 'g' -1
          5 load 'x' 0
          6 load 'xs' 0
          7 load 'step' 0
          8 load 'xs' 0
          9 call 4 ((False,5),(True,6)) (('k',7),(None,8))
          10 store 'y' 0 9
          :
          11 load 'y' 0
          12 return 11
        """,
    ),
    "augmented assignment evaluates its target once": (
        """
        def f(a, g):
            a.b[g()] += 1
            a.c -= 2
            a *= 3
        """,
        """
        1 load 'a' 0
        2 attr 1 'b'
        3 load 'g' 0
        4 call 3 () ()
        5 item 2 4
        6 const 1
        7 augment 'Add' 5 6 ('item',2,4)
        8 setitem 2 4 7 ('attr',1,'b')
        9 load 'a' 0
        10 attr 9 'c'
        11 const 2
        12 augment 'Sub' 10 11 ('attr',9,'c')
        13 setattr 9 'c' 12
        14 load 'a' 0
        15 const 3
        16 augment 'Mult' 14 15 ('name','a',0)
        17 store 'a' 0 16
        """,
    ),
    "subscripts say where the changed object was found": (
        """
        def f(self, k):
            k[0] = 1
            self.x.y[1:k] = 2
            g()[k] = 3
        """,
        """
        1 const 1
        2 load 'k' 0
        3 const 0
        4 setitem 2 3 1 ('name','k',0)
        5 const 2
        6 load 'self' 0
        7 attr 6 'x'
        8 attr 7 'y'
        9 const 1
        10 load 'k' 0
        11 slice 9 10 None
        12 setitem 8 11 5 ('attr',7,'y')
        13 const 3
        14 load 'g' -1
        15 call 14 () ()
        16 load 'k' 0
        17 setitem 15 16 13 None
        """,
    ),
    "and, or and conditional expressions join two branches": (
        """
        def f(a, b):
            return a and b or (1 if a is None else b)
        """,
        """
        1 load 'a' 0
        6 if 1 False
          :
          3 load 'b' 0
          4 store '%2' 0 3
          :
          5 store '%2' 0 1
        7 load '%2' 0
        21 if 7 False
          :
          9 store '%8' 0 7
          :
          10 load 'a' 0
          11 const None
          12 compare 'Is' 10 11
          18 if 12 True
            :
            14 const 1
            15 store '%13' 0 14
            :
            16 load 'b' 0
            17 store '%13' 0 16
          19 load '%13' 0
          20 store '%8' 0 19
        22 load '%8' 0
        23 return 22
        """,
    ),
    "comparisons are chained": (
        """
        def f(a):
            return 1 < a <= 2
        """,
        """
        1 const 1
        2 load 'a' 0
        3 compare 'Lt' 1 2
        4 const 2
        5 compare 'LtE' 2 4
        6 binop 'BitAnd' 3 5
        7 return 6
        """,
    ),
    "comprehensions are loops": (
        """
        def f(xs):
            return {k: v for k, vs in xs if k for v in vs}
        """,
        """
        1 load 'xs' 0
        2 build 'dict' ()
        21 for 1 6 True
          :
          9 unpack 6 (7,8) None
          10 store 'k%3' 0 7
          11 store 'vs%4' 0 8
          12 load 'k%3' 0
          20 if 12 False
            :
            13 load 'vs%4' 0
            19 for 13 14 True
              :
              15 store 'v%5' 0 14
              16 load 'k%3' 0
              17 load 'v%5' 0
              18 append 2 17 16
              :
            :
          :
        22 return 2
        """,
    ),
    "with enters and exits": (
        """
        def f(a):
            with a, open(a) as (b, *c):
                d = b
        """,
        """
        1 load 'a' 0
        2 enter 1
        3 load 'open' -1
        4 load 'a' 0
        5 call 3 ((False,4),) ()
        6 enter 5
        9 unpack 6 (7,8) 1
        10 store 'b' 0 7
        11 store 'c' 0 8
        12 load 'b' 0
        13 store 'd' 0 12
        14 exit 5
        15 exit 1
        """,
    ),
    "try, raise, delete and assert": (
        """
        def f(a):
            try:
                del a.b, a[0], a
            except A as e:
                raise ValueError from e
            else:
                assert a, a.message
            finally:
                while a:
                    break
        """,
        """
        22 try
          :
          1 load 'a' 0
          2 delete 'attr' (1,'b')
          3 load 'a' 0
          4 const 0
          5 delete 'item' (3,4)
          6 delete 'name' ('a',0)
          :
          7 load 'A' -1
          8 caught 7
          9 unknown
          10 store 'e' 0 9
          11 load 'ValueError' -1
          12 load 'e' 0
          13 raise 11
          :
          14 load 'a' 0
          17 if 14 False
            :
            :
            15 load 'a' 0
            16 attr 15 'message'
          18 assert 14
          :
          21 while 19
            :
            19 load 'a' 0
            :
            20 break
            :
        """,
    ),
    "match compares": (
        """
        def f(a):
            match a:
                case 1 | None if g():
                    b = 1
                case A(x=[b, *_]):
                    pass
                case b:
                    pass
        """,
        """
        1 load 'a' 0
        2 const 1
        3 compare 'Eq' 1 2
        9 if 3 False
          :
          5 store '%4' 0 3
          :
          6 const None
          7 compare 'Is' 1 6
          8 store '%4' 0 7
        10 load '%4' 0
        16 if 10 False
          :
          12 load 'g' -1
          13 call 12 () ()
          14 store '%11' 0 13
          :
          15 store '%11' 0 10
        17 load '%11' 0
        36 if 17 False
          :
          18 const 1
          19 store 'b' 0 18
          :
          20 load 'A' -1
          21 import 'builtins' 0 'isinstance'
          22 call 21 ((False,1),(False,20)) ()
          27 if 22 False
            :
            24 unknown
            25 store '%23' 0 24
            :
            26 store '%23' 0 22
          28 load '%23' 0
          35 if 28 False
            :
            29 attr 1 'x'
            32 unpack 29 (30,31) 1
            33 store 'b' 0 30
            :
            34 store 'b' 0 1
        """,
    ),
    "strings, yields and walrus": (
        """
        async def f(a):
            x = yield f"{a!r:>{n}} {(n := 1)}"
            await (yield)
            return f"text", -x @ a
        """,
        """
        1 load 'a' 0
        2 load 'n' 0
        3 const 1
        4 store 'n' 0 3
        5 fstr (1,2,3) (1,) (None,'',None)
        6 yield 5
        7 store 'x' 0 6
        8 yield None
        9 await 8
        10 const 'text'
        11 load 'x' 0
        12 unop 'USub' 11
        13 load 'a' 0
        14 binop 'MatMult' 12 13
        15 build 'tuple' ((False,10),(False,14))
        16 return 15
        """,
    ),
}


@pytest.mark.parametrize("what", GOLDEN)
def test_the_instructions_of(what: str) -> None:
    text, wanted = GOLDEN[what]
    function = lowered(text).functions[0]
    assert dump(function.body) == textwrap.dedent(wanted).strip("\n")


def test_definitions() -> None:
    text = """
    @d(1)
    class A(B, metaclass=M):
        x: "int" = 1
        y: float
        @e
        @staticmethod
        def g(a: int, *b, c: str = "", **d) -> None: ...
    """
    module = lowered(text)
    assert dump(module.top.body).split("\n") == [
        "1 load 'd' -1",
        "2 const 1",
        "3 call 1 ((False,2),) ()",
        "4 load 'B' -1",
        "5 load 'M' -1",
        "6 class A (4,) (('metaclass',5),)",
        "7 call 3 ((False,6),) ()",
        "8 store 'A' -1 7",
    ]
    by_name = {function.name: function for function in bodies(module)}
    assert dump(by_name["A"].body).split("\n") == [
        "1 const 1",
        "2 store 'x' 0 1",
        "3 field 'x' True '\"int\"'",
        "4 field 'y' False 'float'",
        "5 load 'e' -1",
        "6 load 'staticmethod' -1",
        "7 const ''",
        "8 closure A.g (('c',7),)",
        "9 call 6 ((False,8),) ()",
        "10 call 5 ((False,9),) ()",
        "11 store 'g' 0 10",
    ]
    method = by_name["g"]
    assert [(each.name, each.kind, each.has_default) for each in method.parameters] == [
        ("a", "pos", False),
        ("b", "*", False),
        ("c", "kw", True),
        ("d", "**", False),
    ]
    assert [each.annotation for each in method.parameters] == ["int", "", "str", ""]
    assert (method.first, method.line, method.end_line, method.returns) == (6, 8, 8, "None")
    assert (by_name["A"].first, by_name["A"].line, by_name["A"].is_class) == (2, 3, True)
    assert method.parent is by_name["A"]
    assert method.registers == 1


def test_imports() -> None:
    text = """
    import a.b, c.d as e
    from ..f import g as h, i
    from . import *
    """
    assert dump(lowered(text).top.body).split("\n") == [
        "1 import 'a' 0 None",
        "2 import 'a.b' 0 None",
        "3 store 'a' -1 1",
        "4 import 'c.d' 0 None",
        "5 store 'e' -1 4",
        "6 import 'f' 2 'g'",
        "7 store 'h' -1 6",
        "8 import 'f' 2 'i'",
        "9 store 'i' -1 8",
        "10 importstar '' 1",
    ]


@pytest.mark.parametrize(
    ("test", "guard"),
    [
        ("a is None", True),
        ("a in b and c", True),
        ("not a", True),
        ("not (a is b)", True),
        ("a == b", False),
        ("a and not b", False),
        ("f(a is None)", False),
    ],
)
def test_a_guard_asks_for_identity_or_membership(test: str, guard: bool) -> None:
    for text in (f"if {test}: pass", f"1 if {test} else 2"):
        last = [each for each in flat(lowered(text).top.body) if each[0] == "if"][-1]
        assert last[5] is guard


def test_kinds_of_functions() -> None:
    text = """
    def f(): return [(yield) for a in ()] if False else (lambda: (yield))
    async def g(): await h
    """
    kinds = {each.name: (each.is_generator, each.is_async) for each in lowered(text).functions[:-1]}
    assert kinds == {"<lambda>": (True, False), "f": (True, False), "g": (False, True)}


@pytest.mark.parametrize("pattern", ["x", "_", "int(x)", "{'a': x, **y}", "[x, *_]", "1 | 2 as x"])
def test_a_pattern_binds_its_names(pattern: str) -> None:
    module = lowered(f"match f():\n  case {pattern}: pass")
    stored = {each[2] for each in flat(module.top.body) if each[0] == "store"}
    names = {name for name in ("x", "y") if name in pattern}
    assert {name for name in stored if "%" not in name} == names
