"""Who may import whom: between the packages, between the folders of one, between its modules.

Tests, benchmarks and the makers of the pages count as packages.

Imports in functions and imports for type checkers count: a circle in them is a circle of ideas.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "gotcha_lint": ROOT / "lint" / "gotcha_lint",
    "gotcha_sanitizer": ROOT / "sanitizer" / "gotcha_sanitizer",
    "reference_trainer": ROOT / "reference_trainer",
    "benchmarks": ROOT / "benchmarks",
    "docs": ROOT / "docs",
    "tests": ROOT / "tests",
}
# Programs that are linted or run as a whole: nothing imports them.
PROGRAMS = tuple(
    ROOT / folder
    for folder in (
        "benchmarks/faults/programs",
        "benchmarks/planted/hosts",
        "tests/lint/cases",
        "tests/lint/quiet",
        "tests/sanitizer/clean",
        "tests/sanitizer/programs",
        "tests/sanitizer/scenarios",
        "tests/sanitizer/silent",
    )
)

# What a package may import of the others.
SHARED = {
    "gotcha_lint": set[str](),
    "gotcha_sanitizer": {  # what both tools say in the same words
        "gotcha_lint",  # the version
        "gotcha_lint.config.selection",
        "gotcha_lint.errors",
        "gotcha_lint.facts.environment",
        "gotcha_lint.finding",
        "gotcha_lint.formats",
        "gotcha_lint.home",
        "gotcha_lint.output.paint",
        "gotcha_lint.output.terminal",
        "gotcha_lint.registry",
        "gotcha_lint.text.comments",
        "gotcha_lint.text.source",
        "gotcha_lint.text.unreadable",
    },
    "reference_trainer": set[str](),
}

# The packages that those which are not shipped import. Nothing that is shipped imports them.
USED = {
    "benchmarks": {"gotcha_lint", "gotcha_sanitizer", "reference_trainer", "tests"},
    "docs": {"gotcha_lint", "gotcha_sanitizer"},
    "tests": PACKAGES.keys() - {"tests"},
}
# What runs the scenarios of the sanitizer, for `benchmarks/sanitizer_scenarios.py`.
OF_TESTS = {"tests.sanitizer.support"}

# The folders and the single modules of the linter, from the lowest to the highest; those of one
# line do not import each other.
LINTER = """
    home facts finding
    registry
    config pages
    output text
    program errors formats
    patterns
    domain files
    interpret task
    solve
    rule
    rule_helpers findings
    memo rules workers
    engine
    views
    reporting tools
    run
    failing_line server watch
    agent
    commands
    cli
    __main__
"""

MOST = 45  # modules of a folder


def files(package: str) -> list[Path]:
    """The modules of a package, without the programs that lie in it."""
    found = sorted(PACKAGES[package].rglob("*.py"))
    return [path for path in found if not any(map(path.is_relative_to, PROGRAMS))]


@cache
def modules(package: str) -> dict[str, ast.Module]:
    """The modules of a package by dotted name; a folder is its `__init__`."""
    found = {}
    for path in files(package):
        parts = (package, *path.relative_to(PACKAGES[package]).with_suffix("").parts)
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text("utf-8"))
    return found


@cache
def imports(package: str) -> dict[str, frozenset[str]]:
    """What each module imports of the packages here, as dotted names of modules."""
    known = {name for each in PACKAGES for name in modules(each)}
    out = {}
    for name, tree in modules(package).items():
        found = {_module(one, known) or _module(f"docs.{one}", known) for one in _imported(tree)}
        out[name] = frozenset(one for one in found if one and one != name)
    return out


def _imported(tree: ast.Module) -> Iterable[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _module(name: str, known: set[str]) -> str:
    """`gotcha_lint.rule` of `gotcha_lint.rule.Rule`; "" of what is not ours."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def _top(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def _of_others(package: str) -> set[str]:
    imported = frozenset[str]().union(*imports(package).values())
    return {name for name in imported if name.partition(".")[0] != package}


@pytest.mark.parametrize("package", SHARED)
def test_a_package_imports_of_the_others_what_is_shared(package: str) -> None:
    assert _of_others(package) == SHARED[package]


@pytest.mark.parametrize("package", USED)
def test_what_is_not_shipped_imports_these_packages(package: str) -> None:
    assert {name.partition(".")[0] for name in _of_others(package)} == USED[package]


def test_benchmarks_import_one_module_of_the_tests() -> None:
    found = {name for name in _of_others("benchmarks") if name.startswith("tests.")}
    assert found == OF_TESTS


def test_each_folder_of_the_linter_imports_those_below_it() -> None:
    layers = [line.split() for line in LINTER.split("\n")]
    height = {name: index for index, names in enumerate(layers) for name in names}
    assert sum(map(len, layers)) == len(height)
    own = {_top(name) for name in modules("gotcha_lint")} - {""}
    assert own == set(height)
    wrong = [
        f"{name} imports {imported}"
        for name, found in imports("gotcha_lint").items()
        for imported in found
        if _top(name) and _top(imported) and _top(name) != _top(imported)
        if height[_top(imported)] >= height[_top(name)]
    ]
    assert wrong == []


def test_no_circle_of_modules() -> None:
    graph = {name: set(found) for package in PACKAGES for name, found in imports(package).items()}
    assert _circle(graph) == []


def _circle(graph: Mapping[str, set[str]]) -> list[str]:
    known = {name: [one for one in found if one in graph] for name, found in graph.items()}
    try:
        TopologicalSorter(known).prepare()
    except CycleError as error:
        return error.args[1]
    return []


@pytest.mark.parametrize("package", SHARED)
def test_private_modules_are_imported_in_their_folder(package: str) -> None:
    wrong = [
        f"{name} imports {imported}"
        for name, found in imports(package).items()
        for imported in found
        if (private := _private(imported)) and not f"{name}.".startswith(f"{private}.")
    ]
    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_takes_a_private_name_of_another(package: str) -> None:
    wrong = [
        f"{name} imports {taken}"
        for name, tree in modules(package).items()
        for taken in _imported(tree)
        if taken.split(".")[0] in PACKAGES and _is_private_name(taken)
    ]
    assert wrong == []


def _is_private_name(taken: str) -> bool:
    """`_sample` of a module; a module of that name is the matter of its folder."""
    name = taken.rpartition(".")[2]
    known = modules(taken.split(".")[0])
    return name.startswith("_") and not name.startswith("__") and taken not in known


def _private(name: str) -> str:
    """The folder around the first private part of a dotted name."""
    parts = name.split(".")
    for index, part in enumerate(parts):
        if part.startswith("_") and not part.startswith("__"):
            return ".".join(parts[:index])
    return ""


def test_no_folder_is_crowded() -> None:
    folders = Counter(path.parent for package in PACKAGES for path in files(package))
    assert {str(folder) for folder, count in folders.items() if count > MOST} == set()


def test_the_checks_see_what_is_wrong() -> None:
    tree = ast.parse("def f():\n    from gotcha_lint.cli import main\n")
    assert [*_imported(tree)] == ["gotcha_lint.cli.main"]
    assert _module("gotcha_lint.cli.main", {"gotcha_lint", "gotcha_lint.cli"}) == "gotcha_lint.cli"
    assert _circle({"a": {"b"}, "b": {"a"}}) and not _circle({"a": {"b"}, "b": set()})
    assert _is_private_name("gotcha_sanitizer.hooks.marks._sample")
    assert not _is_private_name("gotcha_sanitizer._startup")
    assert _private("gotcha_lint.formats._excerpt.Span") == "gotcha_lint.formats"
