"""The report at the end of a run: a screenful; errors first, then by what they cost."""

from __future__ import annotations

import linecache
import os
import textwrap
from collections.abc import Iterator, Sequence

from gotcha_lint.output.paint import one_line, paint
from gotcha_sanitizer import old_python
from gotcha_sanitizer.explain.long_compile import reasons
from gotcha_sanitizer.explain.savings import Saving, saving
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.reporters._table import inlined, table
from gotcha_sanitizer.run.record import Run
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.rows import STAGES
from gotcha_sanitizer.values.words import place, plural, seconds, short

WIDTH = 96  # of a wide terminal, and of a pipe
_NOTES = 4


def render(
    run: Run,
    options: Options | None = None,
    colour: bool = False,
    pid: int = 0,
    at_end: bool = False,
    lines_option: str = "GOTCHA_OPTIONS=max_lines=",
    columns: int = 0,
) -> str:
    """The run in words, in `options.max_lines` lines.

    `at_end`: below what was said meanwhile, which is not said again. `lines_option`: how its
    reader asks for more lines. `columns`: of the terminal; 0 in a pipe, which gets lines whole.
    The findings that have room are told whole, the cheaper ones in two lines each. It is longer
    only where one finding and what is never left out (`degraded:`) fill more than that.
    """
    options = options or Options()
    pid = pid or int(run.start.get("pid", 0))
    if not run.rows and not run.findings and not run.degraded:
        return ""
    above = [each for each in run.problems if at_end and each.evidence.get("told")]
    rest = [finding for finding in run.problems if finding not in above]
    if above and not rest and not _has_more(run):
        return ""
    width = min(columns or WIDTH, WIDTH)
    head = [f"=={pid}==gotcha: {paint(_headline(run), 'bold', colour)}"]
    if run.divergence:
        head += ["", *_wrapped("hosts differ, a probable hang: ", run.divergence, width)]
    if run.wait:
        head += ["", *_wrapped("hosts: ", run.wait, width)]
    tail = list(_tail(run, width, columns))
    room = options.max_lines - len(head) - len(tail)
    body = [f"{_title(finding, colour)}: see above" for finding in above]
    body = ["", *body] if body else []
    body += _findings(run, rest, room - len(body), options, colour, lines_option, width)
    return "\n".join([*head, *body, *tail]) + "\n"


def _has_more(run: Run) -> bool:
    """Something to tell beside the crash that the program ended with."""
    lost = run.degraded.keys() - old_python.UNSEEN.keys()
    return bool(run.count("compiles") or run.notes or run.divergence or lost)


def _findings(
    run: Run,
    problems: Sequence[Finding],
    room: int,
    options: Options,
    colour: bool,
    lines_option: str,
    width: int,
) -> Iterator[str]:
    """As many whole as leave room for all the others in brief; the first one in any case."""
    first = {finding.name: finding for finding in reversed(problems)}
    whole = [
        ["", *block(each, options, colour, saving(each, run), each is first[each.name], width)]
        for each in problems
    ]
    needed = sum(map(len, whole))
    told = len(whole)
    while told > 1 and sum(map(len, whole[:told])) + _lines_in_brief(len(whole) - told) > room:
        told -= 1
    for lines in whole[:told]:
        yield from lines
    rest = problems[told:]
    if not rest:
        return
    left = room - sum(map(len, whole[:told])) - _lines_in_brief(0, framed=True)
    shown = rest[: max(0, left // 2)]
    yield ""
    for finding in shown:
        yield from _brief(finding, colour, width)
    cut = (
        f"and {plural(len(rest) - len(shown), 'more finding')}; " if len(rest) > len(shown) else ""
    )
    yield f"  {cut}all of it: {lines_option}{options.max_lines - room + needed}"


def _lines_in_brief(findings: int, framed: bool = False) -> int:
    return 2 * findings + (2 if findings or framed else 0)


def _tail(run: Run, width: int, columns: int) -> Iterator[str]:
    if run.rows:
        yield ""
        yield from table(run, columns)
    yield from inlined(run)
    for why in dict.fromkeys(filter(None, map(reasons, run.programs))):
        yield from textwrap.wrap(
            one_line(why), width, initial_indent="  ", subsequent_indent="    "
        )
    lines = [*_notes(run), *_edited(run), *(f"  {x}" for x in old_python.lines(run.degraded))]
    if not run.complete:
        lines.append("  the record has no end: the process was killed, or is still running")
    for line in lines:
        yield from textwrap.wrap(line, columns, subsequent_indent="    ") if columns else [line]


def _headline(run: Run) -> str:
    count = len(run.problems)
    spent = sum(run.total(stage) for stage in STAGES)
    compiles, hits = run.count("compiles"), run.count("cache_hits")
    programs = plural(compiles, "compile")
    cached = f" and {plural(hits, 'program')} from the persistent cache" if hits else ""
    found = plural(count, "finding") if count else "no findings"
    if run.busy and spent > 1.05 * run.busy + 0.1 and spent > run.last:
        spread = f"{seconds(run.busy)} of {seconds(run.last)} ({seconds(spent)} in several threads)"
        return f"{found}; {programs}{cached} took {spread}"
    if not compiles and not hits:
        return f"{found}; nothing was compiled in {seconds(run.last)}"
    return f"{found}; {programs}{cached} took {seconds(spent)} of {seconds(run.last)}"


def block(
    finding: Finding,
    options: Options,
    colour: bool,
    saves: Saving | None = None,
    more: bool = True,
    width: int = WIDTH,
) -> Iterator[str]:
    """One finding: what, where, why, what to do; `more`: and the command for its page."""
    yield _title(finding, colour)
    yield from _wrapped("", finding.message, width)
    if finding.site and not options.redact:
        yield from _source(finding.site, width)
    for site, message in finding.chain[:2]:
        yield f"      {place(site)}: {message}"
    if finding.advice:
        yield from _wrapped("fix: ", finding.advice, width)
    if saves is not None:
        yield from _wrapped("saves: ", str(saves), width)
    if more:
        yield f"      more: gotcha-lint --explain {finding.name}"


def _title(finding: Finding, colour: bool) -> str:
    name = finding.name + (f" ({finding.cause})" if finding.cause else "")
    cost = f", {seconds(finding.seconds)} lost" if finding.seconds >= 0.001 else ""
    tone = "red" if finding.severity == "error" else "yellow"
    return f"  {paint(name, tone, colour)} at {place(finding.site)}{cost}"


def _brief(finding: Finding, colour: bool, width: int) -> Iterator[str]:
    """What happened and where; what to do, and the page, are left to the whole report."""
    yield _title(finding, colour)
    words = one_line(finding.message)
    yield " " * 6 + textwrap.shorten(words, width - 6, placeholder=" ...")


def _wrapped(head: str, text: str, width: int) -> Iterator[str]:
    first, rest = " " * 6, " " * (6 + len(head))
    text = one_line(head + text)
    yield from textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest)


def _source(site: Site, width: int) -> Iterator[str]:
    try:
        line = one_line(linecache.getline(site.path, site.line).strip())
    except ValueError:  # a path that no file can have, in a record of another machine
        return
    if line:
        yield f"      {site.line:>5} | {line[: width - 14]}"


def _edited(run: Run) -> Iterator[str]:
    """The lines that are shown are those of today."""
    began = run.start.get("time")
    for path in dict.fromkeys(found.site.path for found in run.problems if found.site):
        try:
            edited = isinstance(began, (int, float)) and os.path.getmtime(path) > began
        except (OSError, ValueError):  # a record of another machine
            continue
        if edited:
            yield f"  note: {short(path)} was changed after the run began: lines may not match"


def _notes(run: Run) -> Iterator[str]:
    for finding in run.notes[:_NOTES]:
        yield f"  note: {place(finding.site)}: {finding.message}"
    if (more := len(run.notes) - _NOTES) > 0:
        yield f"  and {plural(more, 'more note')}"
