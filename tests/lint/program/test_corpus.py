"""Each construct of Python is lowered: the standard library and this repository as examples."""

from __future__ import annotations

import ast
import collections
import functools
import pathlib
import random
import sysconfig
import warnings
from collections.abc import Iterator

import pytest

from gotcha_lint.program.ir import Instruction, Module, Region
from gotcha_lint.program.parse import NotParsed, parse
from gotcha_lint.text.source import Unreadable, read
from tests.lint.program.support import bodies, flat, instructions, regions

ROOT = pathlib.Path(__file__).parents[3]
TESTS = ("test_grammar.py", "test_patma.py", "test_fstring.py", "test_coroutines.py")
STANDARD = pathlib.Path(sysconfig.get_paths()["stdlib"])


@functools.cache
def corpus() -> list[tuple[str, ast.Module, Module]]:
    """Path, tree and instructions of a hundred files; the same in each run."""
    paths = sorted(path for path in STANDARD.rglob("*.py") if "site-packages" not in path.parts)
    chosen = random.Random(1).sample(paths, min(60, len(paths)))
    tests = [STANDARD / "test" / name for name in TESTS]
    own = random.Random(1).sample(sorted((ROOT / "lint" / "gotcha_lint").rglob("*.py")), 80)
    out: list[tuple[str, ast.Module, Module]] = []
    for path in [*filter(pathlib.Path.exists, tests), *chosen, *sorted(own)]:
        try:
            text = read(str(path)).text
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except (Unreadable, SyntaxError, ValueError):
            continue
        out.append((str(path), tree, parse(str(path), path.stem, text)))
    return out


@functools.cache
def flattened() -> list[tuple[str, ast.Module, list[Instruction]]]:
    return [(path, tree, list(instructions(module))) for path, tree, module in corpus()]


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """As `ast.walk`, without annotations: they are kept as text, and not lowered."""
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "type_params"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from walk(child)


def test_the_corpus_is_large() -> None:
    assert len(corpus()) > 100
    assert sum(len(found) for _, _, found in flattened()) > 90_000


def test_each_definition_becomes_a_function() -> None:
    for path, tree, module in corpus():
        nodes = collections.Counter(type(node) for node in walk(tree))
        wanted = nodes[ast.FunctionDef] + nodes[ast.AsyncFunctionDef] + nodes[ast.Lambda]
        found = list(bodies(module))
        names = collections.Counter(function.is_class for function in found)
        assert names[False] == wanted + 1, path
        assert names[True] == nodes[ast.ClassDef], path


@pytest.mark.parametrize(
    ("op", "kind"),
    [("while", ast.While), ("assert", ast.Assert), ("raise", ast.Raise), ("return", ast.Return)],
)
def test_each_statement_becomes_an_instruction(op: str, kind: type[ast.AST]) -> None:
    # A lambda returns too
    kinds = (ast.Return, ast.Lambda) if kind is ast.Return else kind
    for path, tree, found in flattened():
        wanted = sum(isinstance(node, kinds) for node in walk(tree))
        assert sum(each[0] == op for each in found) == wanted, path


def test_only_patterns_and_handlers_are_unknown() -> None:
    """No expression of the corpus is without an instruction of its own."""
    unknown = (ast.pattern, ast.ExceptHandler, ast.Starred)
    for path, tree, found in flattened():
        lines = {node.lineno for node in ast.walk(tree) if isinstance(node, unknown)}
        for each in found:
            assert each[0] != "unknown" or each[-1][0] in lines, (path, each)


def test_registers_are_written_once_and_before_they_are_read() -> None:
    for path, _, module in corpus():
        for function in bodies(module):
            written: set[int] = set()
            for each in flat(function.body):
                assert each[1] not in written, (path, each)
                written.add(each[1])
                assert each[1] <= function.registers
            _check_reads(path, function.body, set())


_NOT_REGISTERS = {"const", "load", "import", "importstar", "unknown", "raise", "break", "continue"}


def _check_reads(path: str, region: Region, known: set[int]) -> set[int]:
    """The registers that are known behind a region."""
    known = set(known)
    for each in region:
        assert set(_reads(each)) <= known, (path, each)
        known |= _writes(each)
        for inner in regions(each):
            after = _check_reads(path, inner, known)
            if each[0] == "while" and inner is each[2]:
                assert each[3] in after
                known = after
        known.add(each[1])
    return known


def _reads(each: Instruction) -> list[int]:
    op = each[0]
    registers = {
        "store": each[4:5], "attr": each[2:3], "setattr": (each[2], each[-2]), "item": each[2:4],
        "slice": each[2:5], "setitem": each[2:5], "binop": each[3:5], "augment": each[3:5],
        "unop": each[3:4], "compare": each[3:5], "append": each[2:5], "unpack": each[2:3],
        "enter": each[2:3], "exit": each[2:3], "await": each[2:3], "yieldfrom": each[2:3],
        "yield": each[2:3], "if": each[2:3], "for": each[2:3], "return": each[2:3],
        "assert": each[2:3], "discard": each[2:3], "caught": each[2:3],
    }.get(op)  # fmt: skip
    if registers is not None:
        return [register for register in registers if register is not None]
    if op == "call":
        return [each[2], *(value for _, value in each[3]), *(value for _, value in each[4])]
    if op == "build":
        return [value for _, value in each[3]]
    if op == "dict":
        return [register for pair in each[2] for register in pair if register is not None]
    if op == "fstr":
        return list(each[2])
    if op == "closure":
        return [value for _, value in each[3]]
    if op == "class":
        return [*each[3], *(value for _, value in each[4])]
    if op == "delete":
        operands = {"name": (), "attr": each[3][:1], "item": each[3]}
        return list(operands[each[2]])
    assert op in {*_NOT_REGISTERS, "annotated", "field", "while", "try"}, op
    return []


def _writes(each: Instruction) -> set[int]:
    if each[0] == "for":
        return {each[3]}
    return set(each[3]) if each[0] == "unpack" else set()


def test_every_instruction_is_described() -> None:
    from gotcha_lint.program import ir

    used = {each[0] for _, _, found in flattened() for each in found}
    assert ir.__doc__ is not None
    assert all(f"`{op}`" in ir.__doc__ for op in used)
    assert len(used) >= 38


def test_what_is_no_python_is_said_to_be_so() -> None:
    with pytest.raises(NotParsed, match=r"a\.py:2: is not valid Python"):
        parse("a.py", "a", "x = 1\nprint x\n")
