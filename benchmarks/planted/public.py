"""Faults in public projects: lines of theirs that are changed where the project lies unpacked.

    python -m benchmarks.planted.public --cache DIR --only dopamax --only flax

The sources come from `ecosystem.json`; nothing of them is kept here or run, so that only faults are
planted that follow from the line itself. Found means: the right name at the changed line.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.planted import report
from benchmarks.planted.linting import ROOT, lint
from benchmarks.planted.plant import MARK

sys.path.insert(0, str(ROOT / "benchmarks"))  # `corpus` is a module of a script's folder

import corpus

PROJECTS = ("ajax-rl", "brax", "clip-jax", "craftax", "dopamax", "flax", "jaxmarl", "sbx-rl")
RESULTS = corpus.RESULTS / "planted_public.json"
MOST = 4
"""Faults of one rule in one project."""


class Swap(NamedTuple):
    """What becomes of a match; `traced`: only in a function with a `jit` above it."""

    rule: str
    pattern: str
    new: str
    traced: bool = False


DRAW = r"\bjax\.random\.(normal|uniform|bernoulli|categorical|randint)\("
SWAPS = (
    Swap("discarded-update", r"^( +)(\w+) = \2(\.at\[.+\]\.\w+\(.*\))$", r"\1\2\3"),
    Swap("inplace-assignment", r"^( +)(\w+) = \2\.at\[(.+)\]\.set\((.+)\)$", r"\1\2[\3] = \4"),
    Swap("removed-api", r"\bjax\.(tree\.map|tree_util\.tree_map)\(", "jax.tree_map("),
    Swap(
        "log-of-softmax",
        r"\bjax\.nn\.log_softmax\(([^()]*)\)",
        r"jnp.log(jax.nn.softmax(\1))",
    ),
    Swap(
        "split-discarded",
        r"^( +)(\w+), (\w+) = (jax\.random\.split\(\2\))$",
        rf"\1\4{MARK}\n\1\3 = \2",
    ),
    Swap(
        "clip-after-optimizer",
        r"optax\.chain\(\s*(optax\.clip\w*\([^()]*\)),\s*"
        r"(optax\.(?:adam|adamw|sgd|rmsprop|lion)\((?:[^()]|\([^()]*\))*\)),?\s*\)",
        r"optax.chain(\2, \1)",
    ),
    Swap(
        "unknown-static-name",
        r"^(@.*static_argnames=)(\(|\[|)([\"'])(\w+)\3",
        r"\1\2\3\4_\3",
    ),
    Swap(
        "host-random-in-jit", rf"{DRAW}\w+, (\w+\.shape)\)", r"np.random.\1(size=\2)", traced=True
    ),
    Swap(
        "constant-key-in-jit", rf"{DRAW}\w+,", r"jax.random.\1(jax.random.PRNGKey(0),", traced=True
    ),
    Swap("positive-learning-rate", r"\boptax\.scale\(-([\w.]+)\)", r"optax.scale(\1)"),
    Swap(
        "mutable-result-not-unpacked",
        r"^( +)(\w+), \w+ = (.*\.apply\(.*mutable=\[.*\].*\))$",
        r"\1\2 = \3",
    ),
    Swap(
        "double-softmax",
        r"(softmax_cross_entropy_with_integer_labels)\((\w+),",
        r"\1(jax.nn.softmax(\2),",
    ),
)


def mutated(text: str, counts: Counter[str]) -> str:
    """The text with faults, as many as `counts` still allows, and marks behind them."""
    for swap in sorted(SWAPS, key=lambda each: counts[each.rule]):
        for match in reversed(list(re.finditer(swap.pattern, text, re.MULTILINE))):
            if counts[swap.rule] >= MOST:
                break
            other = _swapped(text, match, swap)
            if other is not None:
                text = other
                counts[swap.rule] += 1
    return text


def _swapped(text: str, match: re.Match[str], swap: Swap) -> str | None:
    first = text.rfind("\n", 0, match.start()) + 1
    last = text.find("\n", match.end())
    line = text.count("\n", 0, match.start()) + 1
    if MARK in text[first:last] or last < 0 or _in_text(text, line):
        return None
    if swap.traced and not _under_jit(text, line):
        return None
    new = text[first : match.start()] + match.expand(swap.new) + text[match.end() : last]
    new += "" if MARK in new else f"{MARK} {swap.rule}"
    new = new.replace(f"{MARK}\n", f"{MARK} {swap.rule}\n")
    other = text[:first] + new + text[last:]
    return other if _parses(other) else None


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def _in_text(text: str, line: int) -> bool:
    """Whether a line is part of a docstring or another text of several lines."""
    return any(
        node.lineno <= line <= (node.end_lineno or 0) > node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _under_jit(text: str, line: int) -> bool:
    return any(
        node.lineno < line <= (node.end_lineno or 0)
        and any(re.search(r"\bjit\b", ast.unparse(each)) for each in node.decorator_list)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
    )


class Place(NamedTuple):
    """A fault in a project."""

    rule: str
    path: str
    line: int


def plant_in(source: Path, target: Path) -> list[Place]:
    """A copy of a project's Python files, with faults; where they are."""
    counts: Counter[str] = Counter()
    places: list[Place] = []
    for file in corpus.sources(source):
        path = file.relative_to(source).as_posix()
        text = file.read_text(encoding="utf-8", errors="replace")
        tested = "test" in path or not _parses(text) or MARK in text
        places += _write(path, text if tested else mutated(text, counts), target)
    corpus.mark_root(target)
    return places


def _write(path: str, text: str, target: Path) -> Iterator[Place]:
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        clean, mark, rule = line.partition(f"{MARK} ")
        if mark:
            lines[number - 1] = clean
            yield Place(rule, path, number)
    file = target / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines), encoding="utf-8")


def found(place: Place, findings: Sequence[dict[str, Any]]) -> bool:
    return any(
        each["name"] == place.rule
        and each["path"] == place.path
        and each["line"] <= place.line <= each["end_line"]
        for each in findings
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=corpus.DEFAULT_CACHE)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    user = parser.parse_args()
    data: dict[str, Any] = {"projects": {}, "rules": {}}
    for project, source in corpus.fetch(
        corpus.pinned(user.only or PROJECTS), user.cache.expanduser()
    ):
        if isinstance(source, str):
            print(f"{project.name}: not fetched: {source}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            places = plant_in(source, Path(folder))
            findings = lint(Path(folder))
        _count(project, places, findings, data)
    if not user.only:
        report.keep(RESULTS, data)
    return 0


def _count(
    project: corpus.Project, places: Sequence[Place], findings: Any, data: dict[str, Any]
) -> None:
    hits = 0
    for place in places:
        row = data["rules"].setdefault(place.rule, {"planted": 0, "found": 0, "missed": []})
        seen = found(place, findings)
        row["planted"], row["found"], hits = row["planted"] + 1, row["found"] + seen, hits + seen
        if not seen:
            row["missed"].append(f"{project.folder}: {place.path}:{place.line}")
    data["projects"][project.folder] = {"planted": len(places), "found": hits}
    print(f"{project.folder}: {hits} of {len(places)}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
