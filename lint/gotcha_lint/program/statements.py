"""Lowers statements (floor `program`).

Decorators, `with`, augmented assignment and `match` have no instructions of their own: they become
calls, `enter` and `exit`, `augment` and a store, and a chain of `if`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gotcha_lint.program.binder import bindings, pattern_names
from gotcha_lint.program.builder import Builder
from gotcha_lint.program.expressions import (
    assign,
    expression,
    for_loop,
    is_guard,
    parameters,
    placed,
    shortcut,
)
from gotcha_lint.program.ir import Function, Register, Span

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def block(builder: Builder, body: list[ast.stmt]) -> None:
    find = _STATEMENTS.get
    for node in body:
        lower = find(node.__class__)
        if lower is not None:
            lower(builder, node)


def _expression(builder: Builder, node: ast.Expr) -> None:
    value = expression(builder, node.value)
    if isinstance(node.value, ast.Call):
        builder.emit("discard", builder.span(node), value)


def _assign(builder: Builder, node: ast.Assign) -> None:
    value = expression(builder, node.value)
    for target in node.targets:
        assign(builder, target, value)


def _annotated(builder: Builder, node: ast.AnnAssign) -> None:
    if builder.function.is_class or builder.function.is_module:
        builder.annotated(builder.span(node), node.annotation)
    if node.value is not None:
        assign(builder, node.target, expression(builder, node.value))
    elif not isinstance(node.target, ast.Name):
        expression(builder, node.target.value)
    if builder.function.is_class or builder.function.is_module:
        builder.annotate(node.annotation)  # those of local names are not evaluated
    if builder.function.is_class and isinstance(node.target, ast.Name):
        annotation = builder.spans.source(node.annotation)
        has_value = node.value is not None
        builder.emit("field", builder.span(node), node.target.id, has_value, annotation)


def _augmented(builder: Builder, node: ast.AugAssign) -> None:
    """The object and the key of the target are evaluated once."""
    target, span, operator = node.target, builder.span(node), node.op.__class__.__name__
    at = builder.span(target)
    if isinstance(target, ast.Name):
        left = builder.load(target.id, at)
        right = expression(builder, node.value)
        place = ("name", *builder.resolve(target.id))
        value = builder.emit("augment", span, operator, left, right, place)
        builder.store(target.id, value, at)
    elif isinstance(target, ast.Attribute):
        base = expression(builder, target.value)
        left = builder.emit("attr", at, base, target.attr)
        right = expression(builder, node.value)
        place = ("attr", base, target.attr)
        value = builder.emit("augment", span, operator, left, right, place)
        builder.emit("setattr", at, base, target.attr, value)
    else:
        base, found = placed(builder, target.value)
        key = expression(builder, target.slice)
        left = builder.emit("item", at, base, key)
        right = expression(builder, node.value)
        value = builder.emit("augment", span, operator, left, right, ("item", base, key))
        builder.emit("setitem", at, base, key, value, found)


def _return(builder: Builder, node: ast.Return) -> None:
    value = None if node.value is None else expression(builder, node.value)
    builder.emit("return", builder.span(node), value)


def _raise(builder: Builder, node: ast.Raise) -> None:
    error = None if node.exc is None else expression(builder, node.exc)
    if node.cause is not None:
        expression(builder, node.cause)
    builder.emit("raise", builder.span(node), error)


def _assert(builder: Builder, node: ast.Assert) -> None:
    test = expression(builder, node.test)
    if node.msg is not None and not isinstance(node.msg, ast.Constant):
        message = builder.region(expression, builder, node.msg)
        builder.emit("if", builder.span(node), test, [], message, False)
    builder.emit("assert", builder.span(node), test)


def _break(builder: Builder, node: ast.Break) -> None:
    builder.emit("break", builder.span(node))


def _continue(builder: Builder, node: ast.Continue) -> None:
    builder.emit("continue", builder.span(node))


def _delete(builder: Builder, node: ast.Delete) -> None:
    for target in node.targets:
        _delete_target(builder, target)


def _delete_target(builder: Builder, target: ast.expr) -> None:
    if isinstance(target, ast.Name):
        builder.emit("delete", builder.span(target), "name", builder.resolve(target.id))
    elif isinstance(target, ast.Attribute):
        base = expression(builder, target.value)
        builder.emit("delete", builder.span(target), "attr", (base, target.attr))
    elif isinstance(target, ast.Subscript):
        base = expression(builder, target.value)
        key = expression(builder, target.slice)
        builder.emit("delete", builder.span(target), "item", (base, key))
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            _delete_target(builder, element)


# Control flow


def _if(builder: Builder, node: ast.If) -> None:
    test = expression(builder, node.test)
    then = builder.region(block, builder, node.body)
    otherwise = builder.region(block, builder, node.orelse)
    builder.emit("if", builder.span(node), test, then, otherwise, is_guard(node.test))


def _for(builder: Builder, node: ast.For | ast.AsyncFor) -> None:
    for_loop(
        builder,
        node,
        expression(builder, node.iter),
        node.target,
        lambda: block(builder, node.body),
        lambda: block(builder, node.orelse),
    )


def _while(builder: Builder, node: ast.While) -> None:
    result: list[Register] = []
    test = builder.region(lambda: result.append(expression(builder, node.test)))
    body = builder.region(block, builder, node.body)
    otherwise = builder.region(block, builder, node.orelse)
    builder.emit("while", builder.span(node), test, result[0], body, otherwise)


def _with(builder: Builder, node: ast.With | ast.AsyncWith) -> None:
    contexts: list[tuple[Register, ast.expr]] = []
    for item in node.items:
        context = expression(builder, item.context_expr)
        value = builder.emit("enter", builder.span(item.context_expr), context)
        contexts.append((context, item.context_expr))
        if item.optional_vars is not None:
            assign(builder, item.optional_vars, value)
    if any(_catches(item.context_expr) for item in node.items):
        body = builder.region(block, builder, node.body)
        builder.emit("try", builder.span(node), body, [[]], [], [])
    else:
        block(builder, node.body)
    for context, at in reversed(contexts):
        builder.emit("exit", builder.span(at), context)


_CATCHING = frozenset(("raises", "suppress", "assertRaises", "assertRaisesRegex"))


def _catches(context: ast.expr) -> bool:
    """`with pytest.raises(TypeError):`: the body may end with an error, as in a `try`."""
    called = context.func if isinstance(context, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in _CATCHING


def _try(builder: Builder, node: ast.Try | ast.TryStar) -> None:
    body = builder.region(block, builder, node.body)
    handlers = [builder.region(_handler, builder, handler) for handler in node.handlers]
    otherwise = builder.region(block, builder, node.orelse)
    finally_ = builder.region(block, builder, node.finalbody)
    builder.emit("try", builder.span(node), body, handlers, otherwise, finally_)


def _handler(builder: Builder, node: ast.ExceptHandler) -> None:
    caught = None if node.type is None else expression(builder, node.type)
    builder.emit("caught", builder.span(node if node.type is None else node.type), caught)
    if node.name is not None:
        span = builder.span(node)
        builder.store(node.name, builder.emit("unknown", span), span)
    block(builder, node.body)


# Matching


def _match(builder: Builder, node: ast.Match) -> None:
    subject = expression(builder, node.subject)
    _cases(builder, node.cases, 0, subject)


def _cases(builder: Builder, cases: list[ast.match_case], index: int, subject: Register) -> None:
    """The cases from `index` on: each is the `else` branch of the one before."""
    if index == len(cases):
        return
    case = cases[index]
    test = _pattern_test(builder, case.pattern, subject)
    guard = case.guard

    def bind_and_guard() -> Register:
        assert guard is not None
        _bind(builder, case.pattern, subject)
        return expression(builder, guard)

    if guard is not None:
        if test is None:
            test = bind_and_guard()
        else:
            test = shortcut(builder, case.pattern, True, test, bind_and_guard)

    def body() -> None:
        if guard is None:
            _bind(builder, case.pattern, subject)
        block(builder, case.body)

    if test is None:
        body()
        return
    then = builder.region(body)
    otherwise = builder.region(_cases, builder, cases, index + 1, subject)
    builder.emit("if", builder.span(case.pattern), test, then, otherwise, False)


def _pattern_test(builder: Builder, pattern: ast.pattern, subject: Register) -> Register | None:
    """Whether the subject matches; `None`: it always does."""
    span = builder.span(pattern)
    if isinstance(pattern, ast.MatchValue):
        return builder.emit("compare", span, "Eq", subject, expression(builder, pattern.value))
    if isinstance(pattern, ast.MatchSingleton):
        value = builder.emit("const", span, pattern.value)
        return builder.emit("compare", span, "Is", subject, value)
    if isinstance(pattern, ast.MatchAs):
        inner = pattern.pattern
        return None if inner is None else _pattern_test(builder, inner, subject)
    if isinstance(pattern, ast.MatchOr):
        return _any_pattern_test(builder, pattern, subject)
    if isinstance(pattern, ast.MatchClass):
        return _class_test(builder, pattern, subject)
    if isinstance(pattern, ast.MatchMapping):
        mapping = builder.emit("import", span, "collections.abc", 0, "Mapping")
        asked = _is_instance(builder, subject, mapping, span)
        return _with_more(builder, pattern, asked) if pattern.keys else asked
    if isinstance(pattern, ast.MatchSequence) and _takes_all(pattern.patterns):
        kinds = [(False, _builtin(builder, name, span)) for name in ("tuple", "list")]
        both = builder.emit("build", span, "tuple", tuple(kinds))
        asked = _is_instance(builder, subject, both, span)  # other sequences match, too
        return shortcut(builder, pattern, False, asked, lambda: builder.emit("unknown", span))
    return builder.emit("unknown", span)


def _class_test(builder: Builder, node: ast.MatchClass, subject: Register) -> Register:
    asked = _is_instance(builder, subject, expression(builder, node.cls), builder.span(node))
    bare = not (node.patterns or node.kwd_patterns)
    whole = isinstance(node.cls, ast.Name) and node.cls.id in _TAKEN_WHOLE
    if bare or (whole and all(map(_always_matches, node.patterns)) and not node.kwd_patterns):
        return asked
    return _with_more(builder, node, asked)


# Builtins of which `case tuple(x)` takes the object itself.
_TAKEN_WHOLE = frozenset(
    ("bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str",
     "tuple")
)  # fmt: skip


def _is_instance(builder: Builder, subject: Register, kind: Register, span: Span) -> Register:
    function = _builtin(builder, "isinstance", span)
    return builder.emit("call", span, function, ((False, subject), (False, kind)), ())


def _builtin(builder: Builder, name: str, span: Span) -> Register:
    """No name of the text: whatever the program calls so."""
    return builder.emit("import", span, "builtins", 0, name)


def _with_more(builder: Builder, node: ast.pattern, asked: Register) -> Register:
    """What the parts of the pattern ask besides is not known."""
    return shortcut(builder, node, True, asked, lambda: builder.emit("unknown", builder.span(node)))


def _takes_all(patterns: list[ast.pattern]) -> bool:
    """`[*items]`"""
    return len(patterns) == 1 and isinstance(patterns[0], ast.MatchStar)


def _any_pattern_test(builder: Builder, node: ast.MatchOr, subject: Register) -> Register | None:
    result = _pattern_test(builder, node.patterns[0], subject)
    for pattern in node.patterns[1:]:
        if result is None or _always_matches(pattern):
            return None
        result = shortcut(
            builder,
            node,
            False,
            result,
            lambda pattern=pattern: _pattern_test(builder, pattern, subject) or 0,
        )
    return result


def _always_matches(pattern: ast.pattern) -> bool:
    if isinstance(pattern, ast.MatchAs):
        return pattern.pattern is None or _always_matches(pattern.pattern)
    return isinstance(pattern, ast.MatchOr) and any(map(_always_matches, pattern.patterns))


def _bind(builder: Builder, pattern: ast.pattern, subject: Register) -> None:
    """Stores the parts of a subject that matches into the variables of the pattern."""
    if not pattern_names(pattern):
        return
    span = builder.span(pattern)
    if isinstance(pattern, ast.MatchAs):
        if pattern.pattern is not None:
            _bind(builder, pattern.pattern, subject)
        if pattern.name is not None:
            builder.store(pattern.name, subject, span)
    elif isinstance(pattern, ast.MatchStar):
        if pattern.name is not None:
            builder.store(pattern.name, subject, span)
    elif isinstance(pattern, ast.MatchSequence):
        _bind_sequence(builder, pattern, subject)
    elif isinstance(pattern, ast.MatchMapping):
        for key, value in zip(pattern.keys, pattern.patterns, strict=True):
            key_register = expression(builder, key)
            _bind(builder, value, builder.emit("item", span, subject, key_register))
        if pattern.rest is not None:
            builder.store(pattern.rest, builder.emit("unknown", span), span)
    elif isinstance(pattern, ast.MatchClass):
        for inner in pattern.patterns:  # which attribute it is, `__match_args__` says
            _bind(builder, inner, builder.emit("unknown", builder.span(inner)))
        for attribute, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            value = builder.emit("attr", builder.span(inner), subject, attribute)
            _bind(builder, inner, value)
    else:  # which alternative matched is not known
        for name in sorted(pattern_names(pattern)):
            builder.store(name, builder.emit("unknown", span), span)


def _bind_sequence(builder: Builder, node: ast.MatchSequence, subject: Register) -> None:
    stars = [i for i, pattern in enumerate(node.patterns) if isinstance(pattern, ast.MatchStar)]
    registers = tuple([builder.new_register() for _ in node.patterns])
    star = stars[0] if stars else None
    builder.emit("unpack", builder.span(node), subject, registers, star)
    for pattern, register in zip(node.patterns, registers, strict=True):
        _bind(builder, pattern, register)


# Definitions


def _function(builder: Builder, node: Definition) -> None:
    decorators = [expression(builder, decorator) for decorator in node.decorator_list]
    declared, defaults = parameters(builder, node.args)
    builder.annotate(node.returns)
    if not builder.lazy:
        given = node.args
        each = (*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg)
        annotations = [one.annotation for one in each if one is not None]
        builder.annotated(builder.spans.header(node), *annotations, node.returns)
    function = Function(
        node.name,
        builder.path,
        node.lineno,
        node.end_lineno or node.lineno,
        _first_line(node),
        declared,
        parent=builder.function,
        is_async=isinstance(node, ast.AsyncFunctionDef),
        qualname=builder.qualified(node.name),
        returns=builder.spans.source(node.returns),
    )
    names = [parameter.name for parameter in declared]
    bound = bindings(node.body, names, builder.walrus)
    function.locals, function.globals, function.nonlocals = bound
    builder.body(function, block, builder, node.body)
    builder.functions.append(function)
    header = builder.spans.header(node)
    value = builder.emit("closure", header, function, defaults)
    _define(builder, node, header, decorators, value)


def _class(builder: Builder, node: ast.ClassDef) -> None:
    decorators = [expression(builder, decorator) for decorator in node.decorator_list]
    bases = tuple([expression(builder, base) for base in node.bases])
    keywords = tuple([(word.arg, expression(builder, word.value)) for word in node.keywords])
    function = Function(
        node.name,
        builder.path,
        node.lineno,
        node.end_lineno or node.lineno,
        _first_line(node),
        parent=builder.function,
        is_class=True,
        qualname=builder.qualified(node.name),
    )
    bound = bindings(node.body, (), builder.walrus)
    function.locals, function.globals, function.nonlocals = bound
    function.captured = set(function.locals)  # attributes: visible from outside
    builder.body(function, block, builder, node.body)
    header = builder.spans.header(node)
    value = builder.emit("class", header, function, bases, keywords)
    _define(builder, node, header, decorators, value)


def _define(
    builder: Builder,
    node: Definition | ast.ClassDef,
    header: Span,
    decorators: list[Register],
    value: Register,
) -> None:
    """Calls the decorators, the last one first, and stores what they return."""
    for decorator, at in zip(reversed(decorators), reversed(node.decorator_list), strict=True):
        value = builder.emit("call", builder.span(at), decorator, ((False, value),), ())
    builder.store(node.name, value, header)


def _first_line(node: Definition | ast.ClassDef) -> int:
    return node.decorator_list[0].lineno if node.decorator_list else node.lineno


def _type_alias(builder: Builder, node: Any) -> None:
    builder.store(node.name.id, expression(builder, node.value), builder.span(node.name))


# Imports


def _import(builder: Builder, node: ast.Import) -> None:
    for alias in node.names:
        span = builder.span(alias)
        first = alias.name.partition(".")[0]
        module = builder.emit("import", span, alias.name if alias.asname else first, 0, None)
        if not alias.asname and alias.name != first:
            builder.emit("import", span, alias.name, 0, None)
        builder.store(alias.asname or first, module, span)


def _import_from(builder: Builder, node: ast.ImportFrom) -> None:
    for alias in node.names:
        span = builder.span(alias)
        if alias.name == "*":
            builder.emit("importstar", span, node.module or "", node.level)
            continue
        value = builder.emit("import", span, node.module or "", node.level, alias.name)
        builder.store(alias.asname or alias.name, value, span)


_STATEMENTS: dict[type, Callable[[Builder, Any], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Delete: _delete,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}
"""Those that are missing do nothing when they run: `pass`, `global`, `nonlocal`."""
if hasattr(ast, "TypeAlias"):  # Python 3.12
    _STATEMENTS[getattr(ast, "TypeAlias")] = _type_alias  # noqa: B009
