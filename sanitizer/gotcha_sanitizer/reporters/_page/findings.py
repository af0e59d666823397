"""The findings: what happened, what differed, where in the source, and what to do."""

from __future__ import annotations

import linecache

from gotcha_lint.home import more
from gotcha_sanitizer.reporters._page.markup import Markup, join, prose, tag
from gotcha_sanitizer.run.record import Json, Run
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.words import place, plural, seconds

_MOST = 200
_OPEN = 20
_CONTEXT = 2
_LONGEST = 300  # characters of a source line
_PROGRAMS = 25


def findings(run: Run) -> Markup:
    """The problems, then the notes in a part that opens."""
    redact = bool(run.start.get("redact"))
    problems = [_card(run, finding, redact) for finding in run.problems[:_MOST]]
    notes = [_card(run, finding, redact) for finding in run.notes[:_MOST]]
    return tag(
        "section",
        tag("h2", "Findings"),
        *(problems[:_OPEN] or [tag("p", "None: nothing that the sanitizer looks for was seen.")]),
        _folded(problems[_OPEN:], "finding", " that cost less", len(run.problems)),
        _folded(notes, "note", "", len(run.notes)),
        id="findings",
    )


def _folded(cards: list[Markup], word: str, which: str, count: int) -> Markup:
    if not cards:
        return Markup("")
    return tag("details", tag("summary", plural(len(cards), word) + which), *cards, _more(count))


def _more(count: int) -> Markup:
    text = f"and {count - _MOST:,} more: `gotcha-sanitize report --format json` has all of them"
    return tag("p", text, class_="soft") if count > _MOST else Markup("")


def _card(run: Run, finding: Finding, redact: bool) -> Markup:
    return tag(
        "article",
        _head(finding),
        tag("p", prose(finding.message)),
        _differences(finding),
        _source(finding.site) if finding.site and not redact else "",
        _chain(finding),
        tag("p", tag("strong", "Do: "), prose(finding.advice), class_="fix")
        if finding.advice
        else "",
        _programs(run, finding) if finding.name == "recompile" else "",
        class_=f"card finding {finding.severity}",
    )


def _head(finding: Finding) -> Markup:
    cost = seconds(finding.seconds) + " lost" if finding.seconds >= 0.001 else ""
    times = f"{finding.count:,} times" if finding.count > 1 else ""
    cause = f" ({finding.cause})" if finding.cause else ""
    return tag(
        "div",
        tag("span", finding.severity, class_=f"badge {finding.severity}"),
        tag("h3", _name(finding), cause),
        tag("span", place(finding.site), class_="mono"),
        tag("span", ", ".join(filter(None, (times, cost))), class_="cost"),
        class_="head",
    )


def _name(finding: Finding) -> Markup:
    """Linked to its page on the web; without one, the command that prints it is the tooltip."""
    if finding.url:
        return tag("a", finding.name, href=finding.url)
    return tag("span", finding.name, title=more(finding.name))


def _differences(finding: Finding) -> Markup:
    """`x: float32[8] -> float32[9]`, as a table of what, before and after."""
    given = finding.evidence.get("differences", ())
    lines = [str(line) for line in given] if isinstance(given, (list, tuple)) else []
    rows = [_difference(line) for line in lines if " -> " in line]
    if not rows:
        return Markup("")
    label = f"What differed, for {finding.name} at {place(finding.site)}"
    return tag("table", tag("tbody", *rows), class_="differences mono", aria_label=label)


def _difference(line: str) -> Markup:
    old, _, new = line.partition(" -> ")
    path, colon, was = old.partition(": ")
    path, old = (path, was) if colon else ("", old)
    return tag(
        "tr",
        tag("th", path, scope="row"),
        tag("td", tag("del", old)),
        tag("td", "→"),
        tag("td", tag("ins", new)),
    )


def _source(site: Site) -> Markup:
    try:
        lines = linecache.getlines(site.path)
    except ValueError:  # no path at all: a zero byte in it
        return Markup("")
    if not 0 < site.line <= len(lines):
        return Markup("")
    first, last = max(1, site.line - _CONTEXT), min(len(lines), site.line + _CONTEXT)
    shown = (
        tag(
            "span",
            tag("i", f"{number:>5} "),
            lines[number - 1].rstrip().expandtabs(4)[:_LONGEST],
            class_="here" if number == site.line else None,
        )
        for number in range(first, last + 1)
    )
    label = f"{place(site)}, the marked line"
    return tag("pre", join(shown), aria_label=label, tabindex="0", role="region")


def _chain(finding: Finding) -> Markup:
    items = [
        tag("li", tag("span", place(site), class_="mono"), prose(f": {message}"))
        for site, message in finding.chain
    ]
    return tag("ul", *items, class_="chain") if items else Markup("")


def _programs(run: Run, finding: Finding) -> Markup:
    """Every compilation of the function, oldest first, with what differed each time."""
    defined = {(site.path, site.line) for site, _ in finding.chain}
    mine = [p for p in run.programs if p["function"] == finding.function and _is_of(p, defined)]
    if not mine:
        return Markup("")
    head = [
        tag("th", "at", scope="col", class_="number"),
        tag("th", "took", scope="col", class_="number"),
        tag("th", "arguments", scope="col"),
        tag("th", "what differed", scope="col"),
    ]
    rows = (_program(program) for program in mine[:_PROGRAMS])
    left = len(mine) - _PROGRAMS
    return tag(
        "details",
        tag("summary", f"all {plural(len(mine), 'compile')} of {finding.function}"),
        tag(
            "div",
            tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows)),
            class_="scroll",
        ),
        tag("p", f"and {left:,} more", class_="soft") if left > 0 else "",
    )


def _is_of(program: Json, defined: set[tuple[str, int]]) -> bool:
    return not program["eager"] and (not defined or tuple(program["defined"]) in defined)


def _program(program: Json) -> Markup:
    return tag(
        "tr",
        tag("td", seconds(program["at"]), class_="number"),
        tag("td", seconds(sum(program["seconds"].values())), class_="number"),
        tag("td", program["shapes"], class_="mono"),
        tag("td", "; ".join(program["why"]) or "the first", class_="mono"),
    )
