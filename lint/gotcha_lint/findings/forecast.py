"""Findings that follow from what a project compiles: its programs are worked out, rules are asked.

A unit (see `solve.units`) follows from the texts of a file and of those that it imports. What
happens in a file is what its own unit shows, and those of all that import it: so a file has the
same forecasts alone and with its whole tree, and units that have not changed are not run again.
LibCST has its say later, when a forecast becomes a draft (see `drafting`). Files that cannot be
parsed are left out here; they are reported elsewhere.
"""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

from gotcha_lint import registry
from gotcha_lint.domain.sites import Span
from gotcha_lint.facts import library_names
from gotcha_lint.facts.flags import MODES
from gotcha_lint.facts.paths import is_test
from gotcha_lint.files.screen import code, imported_names, is_of_jax, outside_of_texts
from gotcha_lint.files.workspace import Workspace
from gotcha_lint.finding import Place
from gotcha_lint.output.last_line import last_line
from gotcha_lint.patterns.data.dropped_datasets import dropped_steps
from gotcha_lint.patterns.data.pipeline_order import cycled_loaders, late_shuffles
from gotcha_lint.program.elsewhere import Answer, Elsewhere
from gotcha_lint.program.flags import handed_flags
from gotcha_lint.program.import_graph import ImportGraph
from gotcha_lint.program.ir import Function, Module
from gotcha_lint.program.modules import ModuleIndex
from gotcha_lint.program.options import Declared, Words, words_of
from gotcha_lint.program.parse import NotParsed, parse
from gotcha_lint.rule import HERE, Foreseen, Rule, load
from gotcha_lint.solve.options import Asked, ask, ignored, still_hold, unread
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.units import Running, Unit
from gotcha_lint.task import Failure, Forecast, RuleOptions, Task
from gotcha_lint.text.deep import allow_deep_recursion
from gotcha_lint.text.source import Source, decode
from gotcha_lint.text.unreadable import Unreadable
from gotcha_lint.text.unwarned import unwarned

_QUOTED = 60  # characters of a message
_LARGE = 100  # modules of a component: what was made of them is given back before the next one
_WIDE = b"enable_x64"
# Comments that name a fault, and do not say that it is meant.
_REGRETS = re.compile(
    r"\b(todo|fixme|xxx|hack|bug|wrong|mistake|oops|avoid|should not|don't|not)\b"
)
_RUNS = 100  # of a server, before it forgets what it need not keep
_LIMITS = frozenset({"OutOfBudget", "RecursionError"})  # what was noted until then stands


Found = Mapping[str, tuple[Forecast, ...]]  # by the options of the rules, as text
Forecasts = dict[str, tuple[Forecast, ...]]  # by the path of the file
_Best = dict[str, dict[tuple[str, Span], Forecast]]


@dataclass(frozen=True, slots=True)
class Kept:
    """What a unit has shown. `key`: what that follows from, but for the options of the module.

    Whether one is read follows from all files of the project: `asked` holds the answers, and
    `elsewhere` those to what rules have asked of the other files.
    """

    key: str
    found: Found
    asked: tuple[Asked, ...] = ()
    elsewhere: tuple[Answer, ...] = ()


KeptUnits = dict[str, Kept]  # by the path of the module


@dataclass(slots=True)
class Interpreted:
    """Some files of a component, and what they compile."""

    sources: dict[str, Source]
    modules: dict[str, Module]
    programs: Programs = field(default_factory=Programs)
    failures: list[Failure] = field(default_factory=list)


def foresee(
    space: Workspace,
    tasks: Sequence[Task],
    kept: KeptUnits | None = None,
    live: Live | None = None,
    share: frozenset[str] | None = None,
) -> tuple[Forecasts, list[Failure]]:
    """The forecasts for each file of the tasks, and what went wrong within.

    `kept` units of an earlier run spare work; new ones are added to them. With what is `live`,
    new ones are made faster. `share`: what the units of these modules alone show (see `shares`).
    """
    wanted = {task.path: task for task in tasks if task.foresees}
    ways = sorted({task.options for task in wanted.values()}, key=repr)
    kept = {} if kept is None else kept
    best: _Best = {}
    failures: list[Failure] = []
    if live is not None:
        live.begin()
    large = False  # was the last one?
    with _without_collection():
        for component in space.components:
            asked = [path for path in sorted(component) if path in wanted]
            if not asked or (share is not None and share.isdisjoint(component)):
                continue
            if large and live is None:
                gc.collect()  # not after the last one: a process that ran a share ends then
            files = Component(space, component)
            shown = sorted(files.graph.importers(asked))
            if share is not None:
                shown = [path for path in shown if path in share]
            new = _run_new(files, shown, ways, kept, list(wanted.values()), failures, live)
            large = len(component) > _LARGE
            for path in shown:
                unit = kept.get(path) or new.get(path)
                if unit is not None:
                    _add(_asked_for(unit.found, wanted), best)
    return _in_order(best), failures


def shares(space: Workspace, count: int) -> list[frozenset[str]]:
    """The modules whose units each of so many processes may run; together they are all.

    They follow each other in the order in which units are taken, so that `joined` comes to what
    one process would: neighbours in a folder import the same, which each process runs once.
    """
    order = [path for component in space.components for path in sorted(component)]
    whole = sum(len(space.raw[path]) for path in order) or 1
    out: list[set[str]] = [set() for _ in range(count)]
    before = 0
    for path in order:
        out[min(before * count // whole, count - 1)].add(path)
        before += len(space.raw[path])
    return [frozenset(paths) for paths in out if paths]


def joined(parts: Iterable[Forecasts]) -> Forecasts:
    """What all shares show, in their order."""
    best: _Best = {}
    for part in parts:
        _add(((path, each) for path, found in part.items() for each in found), best)
    return _in_order(best)


def _in_order(best: _Best) -> Forecasts:
    return {path: tuple(sorted(f.values(), key=lambda f: f.order)) for path, f in best.items()}


@dataclass(slots=True)
class Live:
    """What an editor's server keeps between two runs: modules as they were read, and engines."""

    read: dict[str, tuple[bytes, Module, Source]] = field(default_factory=dict)
    running: dict[str, Running] = field(default_factory=dict)  # by the first file of a component
    runs: int = 0

    def begin(self) -> None:
        """Starts over every 100 runs: an engine keeps facts of code that was deleted."""
        self.runs += 1
        if self.runs % _RUNS == 0:
            self.read.clear()
            self.running.clear()


def _run_new(
    files: Component,
    paths: Sequence[str],
    ways: Sequence[RuleOptions],
    kept: KeptUnits,
    tasks: Sequence[Task],
    failures: list[Failure],
    live: Live | None,
) -> dict[str, Kept]:
    """Runs the units that have changed; returns those that are not kept, as a part failed."""
    incomplete: dict[str, Kept] = {}
    said = sorted(files.rows.items()) or ""
    wide = files.may_be_wide
    keys = {path: f"{files.digests[path].hex()} {ways}{said}{wide}" for path in paths}
    new = [path for path in paths if not _holds(kept.get(path), keys[path], files)]
    for path in new:
        kept.pop(path, None)
    read = files.read(new, None if live is None else live.read)
    using = files.using(new)

    running = None if live is None else live.running.setdefault(min(files.raw), Running())
    declared = Declared()

    def take(path: str, unit: Unit | None) -> None:
        lost = [] if unit is None else _failures(unit)
        try:
            programs = Programs(elsewhere=Elsewhere(files.raw))
            if unit is not None:
                lost += _add_to(programs, unit)
                programs.wide = wide
            asked: tuple[Asked, ...] = ()
            try:
                asked = _add_text(path, programs, files, read, declared)
            except Exception:  # ... of its text, none of what it runs
                lost.append(Failure(path, "interpreter", last_line()))
            found = _ask(programs, read, ways, tasks, lost)
            made = Kept(keys[path], found, asked, programs.elsewhere.answers)
            (incomplete if lost else kept)[path] = made
        except Exception:  # a fault of ours in one unit hides no finding of another
            lost.append(Failure(path, "interpreter", last_line()))
        failures.extend(lost)

    others = [path for path in new if path not in using and path in read.modules]
    taken: set[str] = set()
    for unit in _units(files, read, using, others, running):
        taken.add(unit.path)
        take(unit.path, unit)
    for path in others:  # they offer options, too
        if path not in taken:
            take(path, None)
    failures.extend(read.failures)
    if not read.failures:  # the others are no Python
        left = set(new) - read.modules.keys()
        kept.update({path: Kept(keys[path], {}) for path in left})
    return incomplete


def _add_text(
    path: str, programs: Programs, files: Component, read: Interpreted, declared: Declared
) -> tuple[Asked, ...]:
    """What the text of a module shows without being run: options, and flags that it hands on."""
    if is_test(path):
        return ()
    module, closure = read.modules[path], files.graph.closures[path]
    seen = {each: read.modules[each] for each in closure if each in read.modules}
    asked = ask(module, seen.values(), files.words, declared)
    programs.unread = list(unread(path, asked))
    programs.ignored = list(ignored(module, seen, declared))
    programs.flags = list(handed_flags(module, MODES))
    programs.shuffles, programs.cycled = list(late_shuffles(module)), list(cycled_loaders(module))
    programs.dropped = list(dropped_steps(module))
    return asked


def _holds(kept: Kept | None, key: str, files: Component) -> bool:
    """Would a unit show the same again?"""
    if kept is None or kept.key != key:
        return False
    if kept.elsewhere and not Elsewhere(files.raw).still_answers(kept.elsewhere):
        return False
    return not kept.asked or still_hold(kept.asked, files.words)


def _asked_for(found: Found, wanted: Mapping[str, Task]) -> Iterator[tuple[str, Forecast]]:
    """What a unit shows of the files of the tasks, to the rules that they run."""
    for way, forecasts in found.items():
        for forecast in forecasts:
            task = wanted.get(forecast.path)
            if task is not None and repr(task.options) == way and forecast.name in task.rules:
                yield forecast.path, forecast


def _add(found: Iterable[tuple[str, Forecast]], best: _Best) -> None:
    """The same finding once: a certain one, the gravest, where there is such a one."""
    for path, forecast in found:
        own = best.setdefault(path, {})
        key = forecast.name, forecast.span
        if key not in own or _weight(forecast) > _weight(own[key]):
            own[key] = forecast


def _weight(forecast: Forecast) -> tuple[bool, bool]:
    """Any other is as good as the first one: they come in the order of the program."""
    return forecast.certain, forecast.certain and forecast.severity != "info"


def interpret(
    space: Workspace,
    component: Collection[str],
    asked: Collection[str],
    *,
    count: bool = False,
    running: Running | None = None,
) -> Interpreted:
    """Runs the interpreter over the files of a component that matter for those that are asked.

    `count`: as of `Programs.counted`. `running`: instead of a new one, to look at its engine later.
    """
    if not asked:
        return Interpreted({}, {})
    with _without_collection():
        files = Component(space, component)
        shown = sorted(files.graph.importers(asked))
        out = files.read(shown)
        ran = list(_units(files, out, files.using(shown), (), running))
        out.programs = Programs(count)
        for unit in ran:
            out.failures += [*_failures(unit), *_add_to(out.programs, unit)]
    return out


class Component:
    """Files that imports join."""

    def __init__(self, space: Workspace, component: Collection[str]) -> None:
        self.raw = {path: space.raw[path] for path in component}
        self.rows = space.rows
        self.graph = ImportGraph({path: space.links.get(path, ()) for path in component})
        self.index = ModuleIndex(sorted(component), library_names())
        self.own = {path: self._digest(path) for path in component}
        self.digests = self.graph.digests(self.own)

    @cached_property
    def may_be_wide(self) -> bool:
        """Does some file of the component name the option that switches 64-bit types on?"""
        return any(_WIDE in raw.lower() for raw in self.raw.values())

    @cached_property
    def words(self) -> Words:
        """What the files of the component read by name, tests apart."""
        return words_of(raw for path, raw in self.raw.items() if not is_test(path))

    def using(self, paths: Collection[str]) -> list[str]:
        """Those that import a JAX library, at any distance; the others compile nothing."""
        closures = self.graph.closures
        near = set[str]().union(*(closures[path] for path in paths))
        users = {path for path in near if self._uses_jax(path)}
        return [path for path in paths if not users.isdisjoint(closures[path])]

    def _uses_jax(self, path: str) -> bool:
        """Does it import a JAX library? A module of the project may have `jax` in its name."""
        raw = self.raw[path]
        if not self._has_of_jax(imported_names(code(path, raw)), path):
            return False
        if path.endswith(".ipynb") or not (b'"""' in raw or b"'''" in raw):
            return True
        if self._has_of_jax(imported_names(outside_of_texts(raw)), path):
            return True
        return self._has_of_jax(_names_of_imports(path, raw), path)  # the parser has the last word

    def _has_of_jax(self, names: Iterable[str], path: str) -> bool:
        rows = {row.partition(".")[0] for row in self.rows}  # of which the user says what they do
        of_jax = (n for n in names if is_of_jax(n) or n.partition(".")[0] in rows)
        return any(not self._is_own(name, path) for name in of_jax)

    def _is_own(self, name: str, path: str) -> bool:
        parts = name.split(".")
        ways = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
        return any(self.index.find(way, path) in self.raw for way in ways if way)

    def _digest(self, path: str) -> bytes:
        name = f"{path}\0{_module_name(self.index, path)}\0".encode("utf-8", "surrogatepass")
        return blake2b(name + self.raw[path], digest_size=16).digest()

    def read(
        self,
        paths: Collection[str],
        known: dict[str, tuple[bytes, Module, Source]] | None = None,
    ) -> Interpreted:
        """The modules that are run with these, and those that are only looked at.

        Those that are `known`, by the digests of their texts, are not read again.
        """
        out = Interpreted({}, {})
        closures = self.graph.closures
        needed = set[str]().union(*(closures[path] for path in paths))
        for path in sorted(needed):
            digest = self.own[path]
            if known is not None and path in known and known[path][0] == digest:
                _, out.modules[path], out.sources[path] = known[path]
                continue
            try:
                source = decode(path, self.raw[path])
                name = _module_name(self.index, path)
                out.modules[path] = parse(path, name, source.text)
                out.sources[path] = source
                if known is not None:
                    known[path] = digest, out.modules[path], source
            except (Unreadable, NotParsed):
                continue
            except Exception:
                out.failures.append(Failure(path, "lowering", last_line()))
        return out


def _names_of_imports(path: str, raw: bytes) -> set[str]:
    """The names that a file imports, by its syntax tree; by its text where it has none."""
    try:
        with unwarned():
            tree = ast.parse(decode(path, raw).text)
    except (Unreadable, SyntaxError, ValueError, RecursionError, MemoryError):
        return imported_names(raw)
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def _units(
    files: Component,
    read: Interpreted,
    paths: Sequence[str],
    looked_at: Sequence[str],
    running: Running | None = None,
) -> Iterator[Unit]:
    """The units of these modules, as far as they run; of others what their text shows."""
    allow_deep_recursion()
    try:
        running = Running() if running is None else running
        running.take(read.modules, files.index, files.graph, files.rows)
        yield from running.units(paths)
        yield from running.texts(tuple(looked_at))
    except RecursionError:  # nested deeper than is followed: what was noted until then stands
        pass
    except Exception:
        read.failures += [Failure(path, "interpreter", last_line()) for path in read.modules]


def _add_to(programs: Programs, unit: Unit) -> list[Failure]:
    """Takes what the roots of a unit did; one whose events cannot be read shows nothing."""
    failures: list[Failure] = []
    for segment in unit.segments:
        try:
            programs.add(segment)
        except Exception:
            failures.append(Failure(unit.path, "interpreter", last_line()))
    return failures


def _failures(unit: Unit) -> list[Failure]:
    return [
        Failure(path, "interpreter", error)
        for path, _, error in unit.failures
        if error not in _LIMITS
    ]


@contextmanager
def _without_collection() -> Iterator[None]:
    """Next to nothing of what an engine holds is garbage before its end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _module_name(index: ModuleIndex, path: str) -> str:
    """`a.b` of `a/b.py`, from the topmost package on."""
    parts = index.parts[path]
    count = 1
    while count < len(parts) and parts[:-count] in index.packages:
        count += 1
    return ".".join(parts[-count:])


def _ask(
    programs: Programs,
    read: Interpreted,
    ways: Sequence[RuleOptions],
    tasks: Sequence[Task],
    failures: list[Failure],
) -> Found:
    """What all rules foresee, disabled rules included: the result is cached for all settings."""
    names = sorted(name for name, rule in registry.rules().items() if rule.module)
    return {
        repr(options): tuple(
            forecast
            for name in names
            for forecast in _of_rule(name, options, programs, read, tasks, failures)
        )
        for options in ways
    }


def _of_rule(
    name: str,
    options: RuleOptions,
    programs: Programs,
    read: Interpreted,
    tasks: Sequence[Task],
    failures: list[Failure],
) -> list[Forecast]:
    """What one rule foresees; one that raises has foreseen nothing."""
    try:
        rule = load(name, options)
        if rule is None:
            return []
        found = list(rule.foresee(programs))
        return [made for one in found if (made := _forecast(rule, one, read)) is not None]
    except Exception:
        error = last_line()
        failures.extend(Failure(task.path, name, error) for task in tasks if name in task.rules)
        return []


def _forecast(rule: Rule, foreseen: Foreseen, read: Interpreted) -> Forecast | None:
    path, span = foreseen.place
    module = read.modules.get(path)
    if module is None:
        return None
    around = _around(module, span[0])
    text = read.sources[path].text
    if rule.spoken is not None and rule.spoken.search(_text_around(module, text, span)):
        return None
    certain = foreseen.certain and not _is_doubted(rule, text, span, around)
    severity = foreseen.severity or rule.severity if certain else "info"
    confidence = rule.confidence if certain else "medium"
    message = foreseen.message
    if HERE in message:
        message = message.replace(HERE, _written(read.sources[path], span))
    if foreseen.quotes:
        message = message.format(*(_quoted(read.sources[at], each) for at, each in foreseen.quotes))
    return Forecast(
        rule.name(),
        message,
        path,
        span,
        tuple(_chain(foreseen, read.sources)),
        severity,
        confidence,
        certain,
        around,
        foreseen.hint,
    )


def _written(source: Source, span: Span) -> str:
    """The text of an expression on one line."""
    return " ".join(source.text[source.offset(*span[:2]) : source.offset(*span[2:])].split())


def _quoted(source: Source, span: Span) -> str:
    """The text of an expression on one line, shortened: for messages."""
    words = _written(source, span)
    return words if len(words) <= _QUOTED else f"{words[: _QUOTED - 3]}..."


def _is_doubted(rule: Rule, text: str, span: Span, around: str) -> bool:
    """Does the text say that it is meant: a line, the function, a comment of the paragraph?"""
    if rule.meant is None and not any(phrase in text.lower() for phrase in rule.doubts):
        return False
    lines = text.split("\n")
    first, last = span[0], min(span[2], len(lines))
    own = (*lines[first - 1 : last], around.rpartition(".")[2])
    if rule.meant is not None and any(map(rule.meant.search, own)):
        return True
    while first > 1 and lines[first - 2].strip():
        first -= 1
    comments = [line.partition("#")[2].lower() for line in lines[first - 1 : last]]
    meant = [comment for comment in comments if not _REGRETS.search(comment)]
    return any(phrase in comment for comment in meant for phrase in rule.doubts)


def _text_around(module: Module, text: str, span: Span) -> str:
    """The statement's lines, or those of the outermost function that they are in."""
    lines = text.split("\n")
    first, last = span[0], span[2]
    for function in module.functions:
        begin = function.first or function.line
        if not (function.is_module or function.is_class) and begin <= span[0] <= function.end_line:
            first, last = min(first, begin), max(last, function.end_line)
    return "\n".join(lines[first - 1 : last])


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
