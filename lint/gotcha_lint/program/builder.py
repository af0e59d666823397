"""Writes instructions (floor `program`): what the lowering of expressions and statements shares."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from typing import Any

from gotcha_lint.program.binder import Lines, Scope
from gotcha_lint.program.ir import Annotation, Function, Region, Register, Slot, Span
from gotcha_lint.program.spans import Spans

_BUILTINS = frozenset(dir(builtins))


class Builder:
    """Where the lowering of a module stands.

    `walrus`: the lines with `:=`. `formatted`: starts of the tuples that stand for f-strings of a
    newer Python (line, byte offset); see `newer_syntax.py`. `lazy`: annotations are not evaluated,
    by `from __future__ import annotations`.
    """

    def __init__(
        self,
        path: str,
        spans: Spans,
        walrus: Lines,
        formatted: frozenset[tuple[int, int]] = frozenset(),
        lazy: bool = False,
    ) -> None:
        self.path = path
        self.spans = spans
        self.span: Callable[[Any], Span] = spans.of
        self.walrus = walrus
        self.formatted = formatted
        self.lazy = lazy
        self.functions: list[Function] = []
        self.annotations: list[Annotation] = []
        self.function = Function("<module>", path, 1, is_module=True, qualname="<module>", first=1)
        self.scope = Scope(self.function, None)
        self.code: Region = self.function.body
        self.register: Register = 0  # the last one of `function`

    def emit(self, op: str, span: Span, *operands: Any) -> Register:
        self.register = register = self.register + 1
        self.code.append((op, register, *operands, span))
        return register

    def new_register(self) -> Register:
        self.register += 1
        return self.register

    def resolve(self, name: str) -> Slot:
        return self.scope.resolve(name)

    def load(self, name: str, span: Span) -> Register:
        return self.emit("load", span, *self.scope.resolve(name))

    def store(self, name: str, value: Register, span: Span) -> Register:
        name, hops = self.scope.known.get(name) or self.scope.resolve(name)
        self.register = register = self.register + 1
        self.code.append(("store", register, name, hops, value, span))
        return register

    def annotate(self, node: ast.expr | None) -> None:
        """Keeps the names with dots of an annotation."""
        if node is None or node.__class__ in (ast.Name, ast.Constant):
            return
        words: list[str] = []
        part: ast.AST = node
        while isinstance(part, ast.Attribute):
            words.append(part.attr)
            part = part.value
        if not words:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.annotate(child)
        elif isinstance(part, ast.Name):
            slot, rest = self.resolve(part.id), tuple(reversed(words))
            self.annotations.append(Annotation(self.function, slot, rest, self.span(node)))

    def annotated(self, span: Span, *annotations: ast.expr | None) -> None:
        """The names that annotations read here; those of Python itself are left out."""
        if self.lazy:
            return
        names = tuple(
            [
                (*self.scope.resolve(name.id), self.span(name))
                for annotation in annotations
                if annotation is not None
                for name in _names_in(annotation)
                if name.id not in _BUILTINS
            ]
        )
        if names:
            self.emit("annotated", span, names)

    def region(self, write: Callable[..., Any], *arguments: Any) -> Region:
        """The instructions that `write(*arguments)` emits."""
        outer = self.code
        self.code = region = []
        write(*arguments)
        self.code = outer
        return region

    def body(self, function: Function, write: Callable[..., Any], *arguments: Any) -> None:
        """Emits what `write(*arguments)` emits into the body of `function`."""
        outer = self.function, self.scope, self.code, self.register
        self.function, self.scope = function, Scope(function, self.scope)
        self.code, self.register = function.body, 0
        write(*arguments)
        function.registers = self.register
        self.function, self.scope, self.code, self.register = outer

    def qualified(self, name: str) -> str:
        """The qualified name of what is defined here under `name`."""
        here = self.function
        if here.is_module or name in here.globals:
            return name
        return f"{here.qualname}.{name}" if here.is_class else f"{here.qualname}.<locals>.{name}"


def _names_in(annotation: ast.expr) -> Iterator[ast.Name]:
    """Without those of lambdas and comprehensions, which have names of their own."""
    kind = annotation.__class__
    if kind is ast.Name:
        yield annotation  # pyright: ignore[reportReturnType]
    elif kind not in (ast.Constant, ast.Lambda, *_COMPREHENSIONS):
        for child in ast.iter_child_nodes(annotation):
            if isinstance(child, ast.expr):
                yield from _names_in(child)


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
