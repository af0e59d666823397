"""The instructions that a program is lowered to (floor `program`).

An instruction is a tuple `(op, dst, operands..., span)`. `dst` is the register that it writes;
each register of a function is written by one instruction, except those that `for` and `unpack`
write. Operands are registers, names, constants, other tuples, or *regions*: lists of instructions,
run where their instruction says.

| op | operands | meaning |
| --- | --- | --- |
| `const` | value | a literal |
| `load` | name, hops | read of a variable |
| `store` | name, hops, value | write of a variable |
| `attr` | object, attribute | `object.attribute` |
| `setattr` | object, attribute, value | `object.attribute = value` |
| `item` | base, key | `base[key]` |
| `slice` | lower, upper, step (a register or `None`) | `lower:upper:step` as a key |
| `setitem` | base, key, value, place | `base[key] = value`; `place`: where `base` came from |
| `delete` | kind, operands | `"name"`: name, hops; `"attr"`: object, name; `"item"`: base, key |
| `call` | callee, ((starred, register), ...), ((name or `None`, register), ...) | a call |
| `binop` | operator, left, right | `ast`'s name of the operator: `Add`, `MatMult`, ... |
| `augment` | operator, left, right, place | `left += right`; a store to `place` follows |
| `unop` | operator, operand | `Not`, `USub`, `UAdd`, `Invert` |
| `compare` | operator, left, right | `Eq`, `Is`, `In`, ... |
| `build` | `"tuple"`, `"list"` or `"set"`, ((starred, register), ...) | a display |
| `dict` | ((key or `None`, value), ...) | a display; `None`: `**value` |
| `append` | container, value, key or `None` | one element of a comprehension |
| `fstr` | value registers, those with a specification, texts | an f-string; `None`: a field |
| `unpack` | value, registers, index of the starred one or `None` | `a, *b = value` |
| `closure` | function, ((parameter, default), ...) | `def` or `lambda` |
| `class` | function, bases, ((keyword or `None`, register), ...) | runs the body of a class |
| `annotated` | ((name, hops, span), ...) | annotations read these, before Python 3.14 as it runs |
| `field` | name, has a value, annotation | `name: annotation` in a class body |
| `enter`, `exit` | context manager | the two ends of `with` |
| `await`, `yieldfrom` | value | |
| `yield` | value or `None` | |
| `if` | test, region, region, guard | `guard`: the test is of the kind `x is None` |
| `for` | iterable, element, region, else region, is a comprehension | a loop |
| `while` | test region, test, region, else region | a loop |
| `try` | region, list of handler regions, else region, finally region | |
| `caught` | classes of errors, `None` for all | the first of a handler, after their expression |
| `return` | value or `None` | |
| `discard` | value | a call as a statement of its own |
| `raise` | error or `None` | |
| `break`, `continue`, `unknown` | | |
| `assert` | test | an `if` before it computes the message, where that is no constant |
| `import` | module, level, name or `None` | |
| `importstar` | module, level | |

A variable is named by a *slot*: its name, and the number of functions (classes count as such)
between its use and its owner: 0 is the function itself, -1 the module or the builtins. A
comprehension has no function of its own: its variables are renamed (`x%7`) and live in the one
around it. `%7` is a variable that the lowering made, for the value of `a and b` or `a if t else b`.

A *place* is where a changed object was found: `None`, `("name", name, hops)`,
`("attr", object, attribute)`, or, of `augment` alone, `("item", base, key)`.

Names with two leading underscores are not mangled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Span = tuple[int, int, int, int]
"""Line, column, end line, end column: all from 1, columns in code points, the end exclusive."""

Register = int
Slot = tuple[str, int]
Place = tuple[Any, ...] | None
Instruction = tuple[Any, ...]
Region = list[Instruction]


@dataclass(eq=False, slots=True)
class Parameter:
    name: str
    kind: str  # "pos", "kw" (keyword only), "*" or "**"
    has_default: bool = False
    annotation: str = ""  # its source text
    span: Span | None = field(default=None, compare=False, repr=False)  # of its name


@dataclass(eq=False, slots=True, repr=False)
class Function:
    """A function, a lambda, the body of a class, or that of a module."""

    name: str
    path: str
    line: int  # of `def`, `class` or `lambda`
    end_line: int = 0
    first: int = 0  # line of the first decorator, else `line`
    parameters: list[Parameter] = field(default_factory=list)
    body: Region = field(default_factory=list)
    registers: int = 0  # the highest register that `body` uses
    parent: Function | None = None
    is_class: bool = False
    is_module: bool = False
    locals: set[str] = field(
        default_factory=set
    )  # names bound here, and those made by the lowering
    globals: set[str] = field(default_factory=set)  # declared `global`
    nonlocals: set[str] = field(default_factory=set)  # declared `nonlocal`
    captured: set[str] = field(default_factory=set)  # locals that an inner function uses
    is_generator: bool = False
    generators: set[Register] = field(default_factory=set)  # that hold generator expressions
    is_async: bool = False
    qualname: str = ""  # as Python's `__qualname__`
    returns: str = ""  # source text of the annotation of the result
    is_notebook: bool = False  # of a module: its statements are run cell by cell
    declared: str = ""  # by a comment: "traced", or "host"
    static: frozenset[str] = frozenset()  # parameters that a comment declares to be static
    steps: tuple[Instruction, ...] | None = None  # all of `body`, once they are asked for

    def __repr__(self) -> str:
        return f"<{self.qualname or self.name} of {self.path}:{self.line}>"


@dataclass(frozen=True, slots=True)
class Annotation:
    """A name with dots, such as `jax.Array`, in an annotation that Python evaluates.

    `slot`: of its first word, where the function `within` evaluates it; `rest`: the other words.
    """

    within: Function
    slot: Slot
    rest: tuple[str, ...]
    span: Span


@dataclass(eq=False, slots=True)
class Module:
    name: str
    path: str
    top: Function
    functions: list[Function]  # all functions and lambdas, inner ones first; `top` is the last
    annotations: list[Annotation] = field(default_factory=list)
    cells: tuple[int, ...] = ()  # lines at which cells of a notebook, or of such a script, begin
    has_type_parameters: bool = False  # `def f[T](x)`: names that no instruction binds
