"""The report at the end of a run: at most a screenful, the most expensive first."""

from __future__ import annotations

import linecache
import textwrap
from collections.abc import Iterator

from gotcha_lint.formats._terminal import one_line, paint
from gotcha_sanitizer.finding import Finding
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.parts import Site
from gotcha_sanitizer.record import STAGES, Inlined, Row, Run, stages
from gotcha_sanitizer.words import place, plural, seconds, short

_WIDTH = 96
_ROWS, _INLINED = 8, 3


def render(run: Run, options: Options | None = None, colour: bool = False, pid: int = 0) -> str:
    """The run in words."""
    options = options or Options()
    pid = pid or int(run.start.get("pid", 0))
    mark = f"=={pid}==gotcha: "
    if not run.rows and not run.findings and not run.degraded:
        return ""
    lines = [mark + paint(_headline(run), "bold", colour)]
    if run.divergence:
        lines += ["", *_wrapped("hosts differ, a probable hang: ", run.divergence)]
    problems = run.problems
    for finding in problems[: options.max_report]:
        lines += ["", *block(finding, options, colour)]
    if (more := len(problems) - options.max_report) > 0:
        lines += [
            "",
            f"  and {plural(more, 'finding')} more: GOTCHA_OPTIONS=max_report={len(problems)}",
        ]
    lines += ["", *_table(run)] if run.rows else []
    lines += _inlined(run)
    lines += _notes(run)
    lines += [f"  degraded: {feature}: {why}" for feature, why in sorted(run.degraded.items())]
    if not run.complete:
        lines.append("  the record has no end: the process was killed, or is still running")
    return "\n".join(lines) + "\n"


def _headline(run: Run) -> str:
    count = len(run.problems)
    spent = sum(run.total(stage) for stage in STAGES)
    programs = plural(run.count("compiles"), "compile")
    hits = run.count("cache_hits")
    cached = f" and {plural(hits, 'program')} from the persistent cache" if hits else ""
    found = plural(count, "finding") if count else "no findings"
    return f"{found}; {programs}{cached} took {seconds(spent)} of {seconds(run.last)}"


def block(finding: Finding, options: Options, colour: bool) -> Iterator[str]:
    """One finding: what, where, why, what to do."""
    name = finding.name + (f" ({finding.cause})" if finding.cause else "")
    cost = f", {seconds(finding.seconds)} lost" if finding.seconds >= 0.001 else ""
    tone = "red" if finding.severity == "error" else "yellow"
    yield f"  {paint(name, tone, colour)} at {place(finding.site)}{cost}"
    yield from _wrapped("", finding.message)
    if finding.site and not options.redact:
        yield from _source(finding.site)
    for site, message in finding.chain[:2]:
        yield f"      {place(site)}: {message}"
    if finding.advice:
        yield from _wrapped("fix: ", finding.advice)
    yield f"      more: gotcha-lint --explain {finding.name}"


def _wrapped(head: str, text: str) -> Iterator[str]:
    first, rest = " " * 6, " " * (6 + len(head))
    text = one_line(head + text)
    yield from textwrap.wrap(text, _WIDTH, initial_indent=first, subsequent_indent=rest)


def _source(site: Site) -> Iterator[str]:
    try:
        line = one_line(linecache.getline(site.path, site.line).strip())
    except ValueError:  # a path that no file can have, in a record of another machine
        return
    if line:
        yield f"      {site.line:>5} | {line[: _WIDTH - 14]}"


def _table(run: Run) -> Iterator[str]:
    """Where the seconds of compiling went."""
    rows = sorted(run.rows.values(), key=lambda row: -row.total)
    shown, rest = _collapsed(rows)
    width = min(max(len(_name(row)) for row in shown), 44)
    heads = "  ".join(f"{stage:>8}" for stage in stages(run))
    yield f"  {'compiled':<{width}}  {'times':>5}  {heads}  why"
    for row in shown:
        times = " ".join(f"{_spent(row.seconds[stage]):>8} " for stage in stages(run))
        why = ", ".join(f"{cause} {n}" if n > 1 else cause for cause, n in row.causes.items())
        yield f"  {_name(row):<{width}.{width}}  {row.programs:>5}  {times} {why}".rstrip()
    if rest:
        yield f"  and {plural(len(rest), 'other')}, {seconds(sum(row.total for row in rest))}"


def _inlined(run: Run) -> Iterator[str]:
    """Functions whose seconds, and number of programs, are part of those of others."""
    known = run.only_inlined
    yield from (f"  {_name(each)}: {each}" for each in known[:_INLINED])
    if (more := len(known) - _INLINED) > 0:
        yield f"  and {plural(more, 'function')} more inlined in others: n/a"


def _spent(took: float) -> str:
    """A stage that was not seen, as a trace inside of an eager gradient, took some time too."""
    return seconds(took) if took else "n/a"


def _collapsed(rows: list[Row]) -> tuple[list[Row], list[Row]]:
    mine = [row for row in rows if not row.eager]
    operations = [row for row in rows if row.eager]
    shown = mine[:_ROWS] + operations[: max(0, min(2, _ROWS - len(mine)))]
    return shown, [row for row in rows if row not in shown]


def _name(row: Row | Inlined) -> str:
    if isinstance(row, Inlined):
        what = row.name
    else:
        what = f"{row.function} outside of jit" if row.eager else row.function
    return f"{what} ({short(row.path)}:{row.line})"


def _notes(run: Run) -> Iterator[str]:
    for finding in run.notes[:4]:
        yield f"  note: {place(finding.site)}: {finding.message}"
    if (more := len(run.notes) - 4) > 0:
        yield f"  and {plural(more, 'note')} more"
