"""Findings that follow from what a project compiles: its programs are worked out, rules are asked.

What happens in a file follows from the files that it imports, and from those that import it: these
are interpreted, so a file has the same forecasts alone and with its whole tree. LibCST has its say
later, when a forecast becomes a draft (see `drafting`). Files that cannot be parsed are left out
here; they are reported elsewhere.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gotcha_lint import registry
from gotcha_lint.domain.sites import Span
from gotcha_lint.finding import Confidence, Place, Severity
from gotcha_lint.interpret.engine import Engine
from gotcha_lint.last_line import last_line
from gotcha_lint.modules import ModuleIndex
from gotcha_lint.program.ir import Function, Module
from gotcha_lint.program.parse import NotParsed, parse
from gotcha_lint.rule import Foreseen, Rule
from gotcha_lint.screen import uses_jax
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.roots import segments
from gotcha_lint.source import Source, decode
from gotcha_lint.task import Failure, RuleOptions, Task
from gotcha_lint.unreadable import Unreadable
from gotcha_lint.workspace import Workspace, imports

RECURSION = 20_000  # of our own Python frames: since 3.11 they take no C stack

_LIMITS = frozenset({"OutOfBudget", "RecursionError"})  # what was noted until then stands


@dataclass(frozen=True, slots=True)
class Forecast:
    """A finding of a rule's `foresee` about one file.

    `span`: line, column, end line, end column of the joined text of a notebook, from 1, in code
    points. `chain`: the other places that explain it, in any file, where a reader finds them.
    `within`: the qualified name of the function around; `about` and `denies`: as of `Foreseen`.
    """

    name: str
    message: str
    path: str
    span: Span
    chain: tuple[Place, ...]
    severity: Severity
    confidence: Confidence
    certain: bool
    within: str
    about: tuple[str, int, int] | None = None
    denies: bool = False

    @property
    def order(self) -> tuple[Span, str, str]:
        return self.span, self.name, self.message


@dataclass(slots=True)
class Interpreted:
    """Some files of a component, and what they compile."""

    sources: dict[str, Source]
    modules: dict[str, Module]
    programs: Programs = field(default_factory=Programs)
    failures: list[Failure] = field(default_factory=list)


def foresee(
    space: Workspace, tasks: Sequence[Task]
) -> tuple[dict[str, tuple[Forecast, ...]], list[Failure]]:
    """The forecasts for each file of the tasks, and what went wrong within."""
    forecasts: dict[str, list[Forecast]] = {}
    failures: list[Failure] = []
    by_path = {task.path: task for task in tasks if task.foresees}
    for component in space.components:
        asked = [by_path[path] for path in sorted(component) if path in by_path]
        interpreted = interpret(space, component, [task.path for task in asked])
        failures.extend(interpreted.failures)
        for forecast in _ask(interpreted, asked, failures):
            forecasts.setdefault(forecast.path, []).append(forecast)
    ordered = {path: tuple(sorted(f, key=lambda f: f.order)) for path, f in forecasts.items()}
    return ordered, failures


def interpret(space: Workspace, component: Collection[str], asked: Collection[str]) -> Interpreted:
    """Runs the interpreter over the files of a component that matter for those that are asked."""
    out = Interpreted({}, {})
    if not asked:
        return out
    links = imports({path: space.raw[path] for path in component})
    wanted = set(asked) | _reached(asked, _reversed(links))
    users = {path for path in component if uses_jax(path, space.raw[path])}
    wanted &= users | _reached(users, _reversed(links))  # no other compiles or traces anything
    if not wanted:
        return out
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    index = ModuleIndex(component)
    needed = wanted | _reached(wanted, links)
    for path in sorted(needed, key=os.path.abspath):  # the same order from any directory
        try:
            source = decode(path, space.raw[path])
            out.modules[path] = parse(path, _module_name(index, path), source.text)
            out.sources[path] = source
        except (Unreadable, NotParsed):
            continue
        except Exception:
            out.failures.append(Failure(path, "lowering", last_line()))
    try:
        engine = Engine(out.modules, ModuleIndex(out.modules))
        for segment in segments(engine, wanted):
            out.programs.add(segment)
        lost = [(path, error) for path, _, error in engine.failures if error not in _LIMITS]
    except RecursionError:  # nested deeper than is followed: what was noted until then stands
        lost = []
    except Exception:
        lost = [(path, last_line()) for path in out.modules]
    out.failures += [Failure(path, "interpreter", error) for path, error in lost]
    return out


def _reached(start: Iterable[str], links: Mapping[str, set[str]]) -> set[str]:
    """All that is linked with these, at any distance."""
    found: set[str] = set()
    stack = [path for each in start for path in links.get(each, ())]
    while stack:
        path = stack.pop()
        if path not in found:
            found.add(path)
            stack.extend(links.get(path, ()))
    return found


def _reversed(links: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """What is imported by whom, of who imports what."""
    out: dict[str, set[str]] = {}
    for path, targets in links.items():
        for target in targets:
            out.setdefault(target, set()).add(path)
    return out


def _module_name(index: ModuleIndex, path: str) -> str:
    """`a.b` of `a/b.py`, from the topmost package on."""
    parts = index.parts[path]
    count = 1
    while count < len(parts) and parts[:-count] in index.packages:
        count += 1
    return ".".join(parts[-count:])


def _ask(
    interpreted: Interpreted, tasks: Sequence[Task], failures: list[Failure]
) -> Iterator[Forecast]:
    """What the rules foresee for the files of the tasks, the same finding once."""
    best: dict[tuple[str, str, Span, bool], Forecast] = {}
    wanted = {task.path: task for task in tasks}
    for options, names in _ways(tasks):
        for name in sorted(names):
            for forecast in _of_rule(name, options, interpreted, tasks, failures):
                task = wanted.get(forecast.path)
                if task is None or task.options != options or name not in task.foresees:
                    continue
                key = name, forecast.path, forecast.span, forecast.denies
                old = best.get(key)
                if old is None or (forecast.certain and not old.certain):
                    best[key] = forecast
    yield from best.values()


def _ways(tasks: Iterable[Task]) -> Iterator[tuple[RuleOptions, frozenset[str]]]:
    names: dict[RuleOptions, frozenset[str]] = {}
    for task in tasks:
        names[task.options] = names.get(task.options, frozenset()) | task.foresees
    yield from names.items()


def _of_rule(
    name: str,
    options: RuleOptions,
    interpreted: Interpreted,
    tasks: Sequence[Task],
    failures: list[Failure],
) -> list[Forecast]:
    """What one rule foresees; one that raises has foreseen nothing."""
    try:
        rule = registry.load(name, options)
        if rule is None:
            return []
        found = list(rule.foresee(interpreted.programs))
        return [made for one in found if (made := _forecast(rule, one, interpreted)) is not None]
    except Exception:
        error = last_line()
        failures.extend(Failure(task.path, name, error) for task in tasks if name in task.foresees)
        return []


def _forecast(rule: Rule, foreseen: Foreseen, interpreted: Interpreted) -> Forecast | None:
    path, span = foreseen.place
    module = interpreted.modules.get(path)
    if module is None:
        return None
    severity = foreseen.severity or rule.severity if foreseen.certain else "info"
    confidence = rule.confidence if foreseen.certain else "medium"
    return Forecast(
        rule.name(),
        foreseen.message,
        path,
        span,
        tuple(_chain(foreseen, interpreted.sources)),
        severity,
        confidence,
        foreseen.certain,
        _around(module, span[0]),
        foreseen.about,
        foreseen.denies,
    )


def _chain(foreseen: Foreseen, sources: Mapping[str, Source]) -> Iterator[Place]:
    """One place for each line, the finding's own left out."""
    seen = {(foreseen.place[0], foreseen.place[1][0])}
    for path, span, text in foreseen.places:
        source = sources.get(path)
        if source is not None and (path, span[0]) not in seen:
            seen.add((path, span[0]))
            place = source.between(source.offset(*span[:2]), source.offset(*span[2:]))
            yield Place(path, *place[:4], text, place[4])


def _around(module: Module, line: int) -> str:
    """The qualified name of the innermost function that a line is in."""
    best: Function = module.top
    for function in module.functions:
        first = function.first or function.line
        if not function.is_module and first <= line <= function.end_line and first >= best.first:
            best = function
    return "" if best.is_module else best.qualname
