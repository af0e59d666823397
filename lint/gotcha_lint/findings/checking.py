"""Loads rules and runs them over analysed functions. One that raises loses its findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gotcha_lint.analysis.sites import Body, Place
from gotcha_lint.output.last_line import last_line
from gotcha_lint.rule import Report, Rule, load
from gotcha_lint.task import Failure, RuleOptions, Task

Chosen = tuple[list[Rule], list[tuple[str, str]]]  # rules, and those that cannot be had, with why
Reported = tuple[Rule, Body, Place | None, Report]


class Chooser:
    """Loads the rules that a file wants; most files want the same ones."""

    def __init__(self) -> None:
        self._known: dict[tuple[frozenset[str], RuleOptions], Chosen] = {}

    def words(self, tasks: Iterable[Task], texts: Iterable[str]) -> frozenset[str]:
        """The words in these texts that a rule cannot do without."""
        ways = {(task.rules, task.options) for task in tasks}
        missing = {word for way in ways for rule in self._chosen(*way)[0] for word in rule.roots}
        found: set[str] = set()
        for text in texts:
            new = {word for word in missing if word in text}
            found |= new
            missing -= new
        return frozenset(found)

    def rules(
        self, task: Task, words: frozenset[str]
    ) -> tuple[dict[type, list[Rule]], list[Failure]]:
        """The rules that are on for a file, by the type of site they look at.

        `words` are those of all files: `jit` may stand in a wrapper of another one.
        """
        chosen, broken = self._chosen(task.rules, task.options)
        wanted: dict[type, list[Rule]] = {}
        for rule in chosen:
            wants = rule.wants
            if wants and (not rule.roots or not rule.roots.isdisjoint(words)):
                wanted.setdefault(wants, []).append(rule)
        return wanted, [Failure(task.path, name, error) for name, error in broken]

    def _chosen(self, names: frozenset[str], options: RuleOptions) -> Chosen:
        key = names, options
        if key not in self._known:
            rules, broken = self._known[key] = [], []
            for name in sorted(names):
                try:
                    rule = load(name, options)
                    if rule is not None and rule.wants:  # asked here, as it may fail too
                        rules.append(rule)
                except Exception:
                    broken.append((name, last_line()))
        return self._known[key]


def run_rules(
    bodies: Iterable[Body], rules: Mapping[type, list[Rule]]
) -> tuple[list[Reported], dict[str, str]]:
    """What the rules report, and the errors of those that raised, by name."""
    reports: list[Reported] = []
    broken: dict[str, str] = {}
    whole = rules.get(Body, ())
    by_site = [(kind, chosen) for kind, chosen in rules.items() if kind is not Body]
    for body in bodies:
        for kind, chosen in by_site:
            sites = [*body.of(kind), *(body.aside.of(kind) if body.aside else ())]
            for rule in chosen if sites else ():
                _run(rule, body, sites, reports, broken)
        for rule in whole:
            _run(rule, body, [None], reports, broken)
    return [one for one in reports if one[0].name() not in broken], broken


def _run(
    rule: Rule,
    body: Body,
    places: Sequence[Place | None],
    reports: list[Reported],
    broken: dict[str, str],
) -> None:
    """What a rule reports; once it has raised, it is not run again in this file."""
    check = rule.check
    try:
        for place in places if not broken or rule.name() not in broken else ():
            for report in check(body if place is None else place):
                reports.append((rule, body, place, report))
    except RecursionError:  # no fault of the rule: the file is reported as too deep
        raise
    except Exception:
        broken[rule.name()] = last_line()
