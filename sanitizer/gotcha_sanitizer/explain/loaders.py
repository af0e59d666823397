"""What gives the batches of a script: what the loop around its jitted step goes over."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Container, Iterator
from dataclasses import dataclass

_WRAPPERS = {"enumerate", "tqdm", "iter", "islice", "list", "track"}  # their first argument
_DEPTH = 8
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor)


@dataclass(frozen=True)
class Candidate:
    """`missing`: names in `text` that the script has not at its top level, such as parameters."""

    line: int
    text: str
    missing: tuple[str, ...]


def candidates(tree: ast.Module, names: Container[str]) -> list[Candidate]:
    """One for each different expression; `names` are those of the script once it was imported."""
    steps = _jitted(tree)
    found: dict[str, Candidate] = {}
    for call, around in _calls(tree, ()):
        if _name(call.func) not in steps:
            continue
        loop = next((n for n in reversed(around) if isinstance(n, _LOOPS) and not _counts(n)), None)
        drawn = _drawn(around) or (loop and (loop, loop.iter))
        if drawn is None:
            continue
        inner, taken = drawn
        scopes = [n for n in around[: around.index(inner)] if isinstance(n, _FUNCTIONS)]
        source = _source(taken, [tree, *scopes])
        text = ast.unparse(source)
        turning = {name for node in around if isinstance(node, _LOOPS) for name in _bound(node)}
        missing = tuple(n for n in _read(source) if n in turning or n not in names)
        found.setdefault(text, Candidate(inner.lineno, text, missing))
    return list(found.values())


def made_in_loop(tree: ast.Module) -> list[tuple[int, str]]:
    """(line of the loop, name of the jitted function) where the loop only counts: it has no loader,
    and makes its batches itself."""
    steps, found = _jitted(tree), dict[tuple[int, str], None]()
    for call, around in _calls(tree, ()):
        loops = [n for n in around if isinstance(n, (*_LOOPS, ast.While))]
        goes_over = any(isinstance(n, _LOOPS) and not _counts(n) for n in loops)
        if loops and _name(call.func) in steps and not goes_over and _drawn(around) is None:
            found.setdefault((loops[-1].lineno, _name(call.func)), None)
    return list(found)


def _drawn(around: tuple[ast.AST, ...]) -> tuple[ast.stmt, ast.expr] | None:
    """The innermost loop that takes its batches by `next(data)`, and what it takes them from."""
    for loop in reversed(around):
        if isinstance(loop, (*_LOOPS, ast.While)):
            for node in ast.walk(loop):
                if isinstance(node, ast.Call) and _name(node.func) == "next" and node.args:
                    return loop, node.args[0]
    return None


def before_training(tree: ast.Module) -> tuple[ast.Module, int]:
    """The statements up to the one that begins to train, and the line of that one (0: none does).

    It begins where a loop calls a jitted function, or where a function is called in which, or in
    what that calls, one does. What stands below `if __name__ == "__main__"` begins nothing.
    """
    trained = _training(tree)
    for index, node in enumerate(tree.body):
        defines = isinstance(node, (*_FUNCTIONS, ast.ClassDef)) or _is_main_guard(node)
        if not defines and (_trains(node, _jitted(tree)) or _called(node) & trained):
            return ast.Module(tree.body[:index], tree.type_ignores), node.lineno
    return tree, 0


def _training(tree: ast.Module) -> set[str]:
    """Names of the functions that train, by themselves or through others."""
    functions = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]
    steps = _jitted(tree)
    found = {node.name for node in functions if _trains(node, steps)}
    while more := {n.name for n in functions if _called(n) & found} - found:
        found |= more
    return found


def _trains(node: ast.AST, steps: set[str]) -> bool:
    loops = (each for each in ast.walk(node) if isinstance(each, (*_LOOPS, ast.While)))
    return any(_called(loop) & steps for loop in loops)


def _called(node: ast.AST) -> set[str]:
    return {_name(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}


def _is_main_guard(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "__name__" in {
        each.id for each in ast.walk(node.test) if isinstance(each, ast.Name)
    }


def _jitted(tree: ast.Module) -> set[str]:
    """Names of the functions that are jitted here, by a decorator or by a call."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS):
            if any("jit" in ast.unparse(each) for each in node.decorator_list):
                found.add(node.name)
        elif (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and "jit" in ast.unparse(node.value.func)
        ):
            found |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    return found


def _calls(
    node: ast.AST, around: tuple[ast.AST, ...]
) -> Iterator[tuple[ast.Call, tuple[ast.AST, ...]]]:
    """Each call, with the functions and loops that it is in, outermost first."""
    if isinstance(node, ast.Call):
        yield node, around
    inner = (*_FUNCTIONS, *_LOOPS, ast.While)
    inside = (*around, node) if isinstance(node, inner) else around
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, inside)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _counts(loop: ast.For | ast.AsyncFor) -> bool:
    return isinstance(loop.iter, ast.Call) and _name(loop.iter.func) in {"range", "trange", "count"}


def _source(node: ast.expr, scopes: list[ast.AST]) -> ast.expr:
    """Without what is put around a loader, and through the variable that holds it."""
    for _ in range(_DEPTH):
        if isinstance(node, ast.Call) and _name(node.func) in _WRAPPERS and node.args:
            node = node.args[0]
        elif isinstance(node, ast.Call) and _name(node.func) == "zip" and node.args:
            node = next((each for each in node.args if not _is_count(each)), node.args[0])
        elif isinstance(node, ast.Name) and (value := _assigned(node.id, scopes[1:])) is not None:
            node = value
        else:
            break
    return node


def _is_count(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _name(node.func) in {"range", "count"}


def _assigned(name: str, scopes: list[ast.AST]) -> ast.expr | None:
    """The value of a function's variable that is assigned once; a module's is there by itself."""
    for scope in reversed(scopes):
        values = [
            node.value
            for node in ast.walk(scope)
            if isinstance(node, ast.Assign)
            and any(isinstance(each, ast.Name) and each.id == name for each in node.targets)
        ]
        if values:
            return values[0] if len(values) == 1 else None
    return None


def _bound(loop: ast.For | ast.AsyncFor) -> set[str]:
    return {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}


def _read(source: ast.expr) -> Iterator[str]:
    """Names that an expression takes from outside, builtins left out."""
    nodes = [node for node in ast.walk(source) if isinstance(node, ast.Name)]
    own = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in ast.walk(source) if isinstance(node, ast.arg)}
    used = dict.fromkeys(node.id for node in nodes if node.id not in own)
    return (each for each in used if not hasattr(builtins, each))
