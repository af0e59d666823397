"""Lowers expressions (floor `program`).

Each function takes the builder and a node, emits the instructions that compute it, in Python's
order of evaluation, and returns the register of the result.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gotcha_lint.program.binder import Scope, target_names, walrus_targets
from gotcha_lint.program.builder import Builder
from gotcha_lint.program.ir import Function, Parameter, Place, Register, Span

Operands = tuple[tuple[bool, Register], ...]
_GUARDS = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


def expression(builder: Builder, node: ast.expr) -> Register:
    return _EXPRESSIONS[node.__class__](builder, node)


def _other(builder: Builder, node: ast.expr) -> Register:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            expression(builder, child)
    return builder.emit("unknown", builder.span(node))


def _name(builder: Builder, node: ast.Name) -> Register:
    scope = builder.scope
    name, hops = scope.known.get(node.id) or scope.resolve(node.id)
    builder.register = register = builder.register + 1
    builder.code.append(("load", register, name, hops, builder.span(node)))
    return register


def _constant(builder: Builder, node: ast.Constant) -> Register:
    builder.register = register = builder.register + 1
    builder.code.append(("const", register, node.value, builder.span(node)))
    return register


def _attribute(builder: Builder, node: ast.Attribute) -> Register:
    value = node.value
    base = _EXPRESSIONS[value.__class__](builder, value)
    builder.register = register = builder.register + 1
    builder.code.append(("attr", register, base, node.attr, builder.span(node)))
    return register


def _subscript(builder: Builder, node: ast.Subscript) -> Register:
    base = _EXPRESSIONS[node.value.__class__](builder, node.value)
    key = _EXPRESSIONS[node.slice.__class__](builder, node.slice)
    builder.register = register = builder.register + 1
    builder.code.append(("item", register, base, key, builder.span(node)))
    return register


def _slice(builder: Builder, node: ast.Slice) -> Register:
    parts = [
        None if part is None else expression(builder, part)
        for part in (node.lower, node.upper, node.step)
    ]
    return builder.emit("slice", builder.span(node), *parts)


def _call(builder: Builder, node: ast.Call) -> Register:
    callee = _EXPRESSIONS[node.func.__class__](builder, node.func)
    arguments = operands(builder, node.args) if node.args else ()
    keywords: tuple[tuple[str | None, Register], ...] = ()
    if node.keywords:
        keywords = tuple([(word.arg, expression(builder, word.value)) for word in node.keywords])
    builder.register = register = builder.register + 1
    builder.code.append(("call", register, callee, arguments, keywords, builder.span(node)))
    return register


def operands(builder: Builder, nodes: list[ast.expr]) -> Operands:
    """Registers of values, each with whether it is starred."""
    return tuple(
        [
            (True, expression(builder, node.value))
            if isinstance(node, ast.Starred)
            else (False, _EXPRESSIONS[node.__class__](builder, node))
            for node in nodes
        ]
    )


def _binary(builder: Builder, node: ast.BinOp) -> Register:
    left = _EXPRESSIONS[node.left.__class__](builder, node.left)
    right = _EXPRESSIONS[node.right.__class__](builder, node.right)
    return builder.emit("binop", builder.span(node), node.op.__class__.__name__, left, right)


def _unary(builder: Builder, node: ast.UnaryOp) -> Register:
    operand = expression(builder, node.operand)
    return builder.emit("unop", builder.span(node), node.op.__class__.__name__, operand)


def phi(
    builder: Builder,
    node: Any,
    test: Register,
    then: Callable[[], Register],
    otherwise: Callable[[], Register],
    guard: bool = False,
) -> Register:
    """One of two values: both branches store into a variable that is loaded after them."""
    span = builder.span(node)
    name = f"%{builder.new_register()}"
    branches = [
        builder.region(lambda value=value: builder.emit("store", span, name, 0, value()))
        for value in (then, otherwise)
    ]
    builder.emit("if", span, test, *branches, guard)
    return builder.emit("load", span, name, 0)


def _conditional(builder: Builder, node: ast.IfExp) -> Register:
    test = expression(builder, node.test)
    return phi(
        builder,
        node,
        test,
        lambda: expression(builder, node.body),
        lambda: expression(builder, node.orelse),
        is_guard(node.test),
    )


def _boolean(builder: Builder, node: ast.BoolOp) -> Register:
    result = expression(builder, node.values[0])
    for value in node.values[1:]:
        result = shortcut(
            builder,
            node,
            node.op.__class__ is ast.And,
            result,
            lambda value=value: expression(builder, value),
        )
    return result


def shortcut(
    builder: Builder, node: Any, conjunction: bool, first: Register, rest: Callable[[], Register]
) -> Register:
    """`first and rest()`, or `first or rest()`."""
    if conjunction:
        return phi(builder, node, first, rest, lambda: first)
    return phi(builder, node, first, lambda: first, rest)


def is_guard(test: ast.expr) -> bool:
    """Whether a test is a negation, or asks for identity or membership, as `x is None` does."""
    return _negation(test) or _asks_identity(test)


def _negation(test: ast.expr) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _asks_identity(test: ast.expr) -> bool:
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], _GUARDS)
    if isinstance(test, ast.BoolOp):
        return any(_asks_identity(value) for value in test.values)
    return _negation(test) and _asks_identity(test.operand)  # pyright: ignore


def _compare(builder: Builder, node: ast.Compare) -> Register:
    left = expression(builder, node.left)
    span = builder.span(node)
    result: Register | None = None
    for operator, comparator in zip(node.ops, node.comparators, strict=True):
        right = expression(builder, comparator)
        one = builder.emit("compare", span, operator.__class__.__name__, left, right)
        result = one if result is None else builder.emit("binop", span, "BitAnd", result, one)
        left = right
    assert result is not None
    return result


def _tuple(builder: Builder, node: ast.Tuple) -> Register:
    if builder.formatted and (node.lineno, node.col_offset) in builder.formatted:
        values = tuple(register for _, register in operands(builder, node.elts))
        return builder.emit("fstr", builder.span(node), values, (), ())
    return builder.emit("build", builder.span(node), "tuple", operands(builder, node.elts))


def _list(builder: Builder, node: ast.List) -> Register:
    return builder.emit("build", builder.span(node), "list", operands(builder, node.elts))


def _set(builder: Builder, node: ast.Set) -> Register:
    return builder.emit("build", builder.span(node), "set", operands(builder, node.elts))


def _dict(builder: Builder, node: ast.Dict) -> Register:
    entries = tuple(
        [
            (None if key is None else expression(builder, key), expression(builder, value))
            for key, value in zip(node.keys, node.values, strict=True)
        ]
    )
    return builder.emit("dict", builder.span(node), entries)


def _formatted(builder: Builder, node: Any) -> Register:
    """An f-string, or a template string."""
    specified: list[Register] = []
    values = tuple(_field_values(builder, node, specified))
    if not values:
        text = "".join([part.value for part in node.values])
        return builder.emit("const", builder.span(node), text)
    texts = tuple([part.value if isinstance(part, ast.Constant) else None for part in node.values])
    return builder.emit("fstr", builder.span(node), values, tuple(specified), texts)


def _field_values(builder: Builder, node: Any, specified: list[Register]) -> list[Register]:
    """The values of the fields of an f-string, and those in their format specifications.

    `specified` takes those that have a specification.
    """
    values: list[Register] = []
    for part in node.values:
        if not isinstance(part, ast.Constant):
            values.append(expression(builder, part.value))
            if part.format_spec is not None:
                specified.append(values[-1])
                values += _field_values(builder, part.format_spec, specified)
    return values


def _named_expression(builder: Builder, node: ast.NamedExpr) -> Register:
    value = expression(builder, node.value)
    builder.store(node.target.id, value, builder.span(node.target))
    return value


def _await(builder: Builder, node: ast.Await) -> Register:
    return builder.emit("await", builder.span(node), expression(builder, node.value))


def _yield(builder: Builder, node: ast.Yield) -> Register:
    builder.function.is_generator = True
    value = None if node.value is None else expression(builder, node.value)
    return builder.emit("yield", builder.span(node), value)


def _yield_from(builder: Builder, node: ast.YieldFrom) -> Register:
    builder.function.is_generator = True
    return builder.emit("yieldfrom", builder.span(node), expression(builder, node.value))


# Functions


def parameters(
    builder: Builder, arguments: ast.arguments
) -> tuple[list[Parameter], tuple[tuple[str, Register], ...]]:
    """The parameters, and the registers of the defaults, which are evaluated here."""
    source = builder.spans.source
    positional = [*arguments.posonlyargs, *arguments.args]
    for node in (*positional, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg):
        if node is not None:
            builder.annotate(node.annotation)
    without = len(positional) - len(arguments.defaults)
    out = [
        Parameter(node.arg, "pos", index >= without, source(node.annotation), _named(builder, node))
        for index, node in enumerate(positional)
    ]
    defaults = [
        (node.arg, expression(builder, default))
        for node, default in zip(positional[without:], arguments.defaults, strict=True)
    ]
    if arguments.vararg is not None:
        out.append(Parameter(arguments.vararg.arg, "*", False, source(arguments.vararg.annotation)))
    for node, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        annotation, span = source(node.annotation), _named(builder, node)
        out.append(Parameter(node.arg, "kw", default is not None, annotation, span))
        if default is not None:
            defaults.append((node.arg, expression(builder, default)))
    if arguments.kwarg is not None:
        out.append(Parameter(arguments.kwarg.arg, "**", False, source(arguments.kwarg.annotation)))
    return out, tuple(defaults)


def _named(builder: Builder, node: ast.arg) -> Span:
    """The name of a parameter, without its annotation."""
    line, column, *_ = builder.span(node)
    return line, column, line, column + len(node.arg)


def _lambda(builder: Builder, node: ast.Lambda) -> Register:
    declared, defaults = parameters(builder, node.args)
    function = Function(
        "<lambda>",
        builder.path,
        node.lineno,
        node.end_lineno or node.lineno,
        node.lineno,
        declared,
        parent=builder.function,
        qualname=builder.qualified("<lambda>"),
    )
    function.locals = {parameter.name for parameter in declared}
    function.locals.update(walrus_targets(node.body, builder.walrus))
    builder.body(function, _return_value, builder, node.body)
    builder.functions.append(function)
    return builder.emit("closure", builder.span(node), function, defaults)


def _return_value(builder: Builder, node: ast.expr) -> None:
    builder.emit("return", builder.span(node), expression(builder, node))


# Comprehensions


def _list_comprehension(builder: Builder, node: ast.ListComp | ast.GeneratorExp) -> Register:
    made = _comprehension(builder, node, "list", node.elt, None)
    if isinstance(node, ast.GeneratorExp):
        builder.function.generators.add(made)
    return made


def _set_comprehension(builder: Builder, node: ast.SetComp) -> Register:
    return _comprehension(builder, node, "set", node.elt, None)


def _dict_comprehension(builder: Builder, node: ast.DictComp) -> Register:
    return _comprehension(builder, node, "dict", node.value, node.key)


def _comprehension(
    builder: Builder, node: Any, kind: str, element: ast.expr, key: ast.expr | None
) -> Register:
    """A container that loops append to. A generator expression becomes a list."""
    span = builder.span(node)
    generators: list[ast.comprehension] = node.generators
    iterable = expression(builder, generators[0].iter)  # the only part evaluated outside
    container = builder.emit("build", span, kind, ())
    outer = builder.scope
    builder.scope = scope = Scope(builder.function, outer, comprehension=True)
    for generator in generators:
        for name in sorted(target_names(generator.target)):
            scope.renamed[name] = f"{name}%{builder.new_register()}"
    if not builder.function.is_module:
        builder.function.locals.update(scope.renamed.values())

    def append() -> None:
        key_register = None if key is None else expression(builder, key)
        builder.emit("append", span, container, expression(builder, element), key_register)

    def filtered(index: int, tests: list[ast.expr]) -> None:
        if not tests:
            return loop(index + 1) if index + 1 < len(generators) else append()
        test = expression(builder, tests[0])
        region = builder.region(filtered, index, tests[1:])
        builder.emit("if", builder.span(tests[0]), test, region, [], False)
        return None

    def loop(index: int) -> None:
        generator = generators[index]
        values = iterable if index == 0 else expression(builder, generator.iter)
        for_loop(
            builder,
            generator.target if index else node,
            values,
            generator.target,
            lambda: filtered(index, generator.ifs),
            lambda: None,
            comprehension=True,
        )

    loop(0)
    builder.scope = outer
    return container


def for_loop(
    builder: Builder,
    node: Any,
    iterable: Register,
    target: ast.expr,
    body: Callable[[], None],
    otherwise: Callable[[], None],
    comprehension: bool = False,
) -> None:
    element = builder.new_register()

    def whole() -> None:
        assign(builder, target, element)
        body()

    regions = builder.region(whole), builder.region(otherwise)
    builder.emit("for", builder.span(node), iterable, element, *regions, comprehension)


# Targets of assignments


def assign(builder: Builder, target: ast.expr, value: Register) -> None:
    """Stores `value` into a target, whatever its form."""
    if target.__class__ is ast.Name:
        builder.store(target.id, value, builder.span(target))  # pyright: ignore
    elif isinstance(target, ast.Attribute):
        base = expression(builder, target.value)
        builder.emit("setattr", builder.span(target), base, target.attr, value)
    elif isinstance(target, ast.Subscript):
        base, place = placed(builder, target.value)
        key = expression(builder, target.slice)
        builder.emit("setitem", builder.span(target), base, key, value, place)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(builder, target, value)
    elif isinstance(target, ast.Starred):
        assign(builder, target.value, value)


def _unpack(builder: Builder, target: ast.Tuple | ast.List, value: Register) -> None:
    star: int | None = None
    for index, element in enumerate(target.elts):
        if isinstance(element, ast.Starred):
            star = index
    registers = tuple([builder.new_register() for _ in target.elts])
    builder.emit("unpack", builder.span(target), value, registers, star)
    for element, register in zip(target.elts, registers, strict=True):
        assign(builder, element, register)


def placed(builder: Builder, node: ast.expr) -> tuple[Register, Place]:
    """An expression whose value is about to change in place, and where that value was found."""
    if isinstance(node, ast.Name):
        return expression(builder, node), ("name", *builder.resolve(node.id))
    if isinstance(node, ast.Attribute):
        base = expression(builder, node.value)
        register = builder.emit("attr", builder.span(node), base, node.attr)
        return register, ("attr", base, node.attr)
    return expression(builder, node), None


class _Lowerings(dict[type, Callable[[Builder, Any], Register]]):
    def __missing__(self, kind: type) -> Callable[[Builder, Any], Register]:
        return _other


_EXPRESSIONS = _Lowerings(
    {
        ast.Name: _name,
        ast.Constant: _constant,
        ast.Attribute: _attribute,
        ast.Subscript: _subscript,
        ast.Slice: _slice,
        ast.Call: _call,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.IfExp: _conditional,
        ast.BoolOp: _boolean,
        ast.Compare: _compare,
        ast.Tuple: _tuple,
        ast.List: _list,
        ast.Set: _set,
        ast.Dict: _dict,
        ast.JoinedStr: _formatted,
        ast.NamedExpr: _named_expression,
        ast.Await: _await,
        ast.Yield: _yield,
        ast.YieldFrom: _yield_from,
        ast.Lambda: _lambda,
        ast.ListComp: _list_comprehension,
        ast.GeneratorExp: _list_comprehension,
        ast.SetComp: _set_comprehension,
        ast.DictComp: _dict_comprehension,
    }
)
if hasattr(ast, "TemplateStr"):  # Python 3.14
    _EXPRESSIONS[getattr(ast, "TemplateStr")] = _formatted  # noqa: B009
