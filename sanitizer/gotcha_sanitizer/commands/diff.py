"""`gotcha-sanitize diff a.jsonl b.jsonl`: what a change to a program does to its compiling."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from gotcha_sanitizer.commands._runs import RECORD, load, publish
from gotcha_sanitizer.run.difference import Change, Difference, compare
from gotcha_sanitizer.values.finding import Finding, as_dict
from gotcha_sanitizer.values.words import place, plural, seconds, short

_MOST = 20


@click.command(epilog="Exit codes: 0, or 1 with --fail-on-more when B compiles more often than A.")
@click.argument("before", metavar="A.jsonl", type=RECORD)
@click.argument("after", metavar="B.jsonl", type=RECORD)
@click.option("--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text")
@click.option("--fail-on-more", is_flag=True, help="Exit with 1 when B compiles more.")
@click.option(
    "--output-file", "-o", type=click.Path(path_type=Path), help="Write the output there."
)
def command(
    before: Path, after: Path, form: str, fail_on_more: bool, output_file: Path | None
) -> int:
    """Compare two recorded runs. Shows compiles, seconds, findings, persistent-cache hits."""
    difference = compare(load(before), load(after))
    publish({"text": text, "markdown": markdown, "json": as_json}[form](difference), output_file)
    return int(fail_on_more and difference.compiles > 0)


def headline(difference: Difference) -> str:
    """`adds 2 compiles, +38 s`."""
    count = difference.compiles
    if difference.nothing:
        found = plural(len(difference.after.problems), "finding")
        both = plural(difference.after.count("compiles"), "compile")
        words = [f"nothing changed: {both} and {found} in both runs"]
    elif count:
        words = [f"{'adds' if count > 0 else 'saves'} {plural(abs(count), 'compile')}"]
    else:
        words = ["as many compiles as before"]
    if abs(difference.seconds) >= 0.001:
        change = "more" if difference.seconds > 0 else "less"
        words.append(f"compiling takes {seconds(abs(difference.seconds))} {change}")
    if difference.new:
        words.append(plural(len(difference.new), "new finding"))
    if difference.gone:
        words.append(f"{plural(len(difference.gone), 'finding')} gone")
    if difference.lost_hits:
        words.append(f"{plural(difference.lost_hits, 'persistent-cache hit')} lost")
    return ", ".join(words)


def text(difference: Difference) -> str:
    """For a terminal."""
    lines = [headline(difference), *_settings(difference)]
    rows = [_cells(change) for change in difference.changes[:_MOST]]
    if rows:
        width = max(len(row[0]) for row in rows)
        lines += ["", f"  {'function':<{width}}  {'compiles':>11}  {'seconds':>20}  causes"]
        for name, compiles, took, causes in rows:
            lines.append(f"  {name:<{width}}  {compiles:>11}  {took:>20}  {causes}".rstrip())
    if (rest := len(difference.changes) - _MOST) > 0:
        lines.append(f"  and {plural(rest, 'more function')}")
    lines += [f"  {line}" for line in _lost(difference)]
    for word, found in (("new", difference.new), ("gone", difference.gone)):
        lines += [""] if found else []
        lines += [f"  {word}: {_finding(finding)}" for finding in found]
    return "\n".join(lines) + "\n"


def markdown(difference: Difference) -> str:
    """For a pull request."""
    lines = [f"**gotcha: {headline(difference)}**", ""]
    if difference.settings:
        lines += [*(f"- {_plain(line.strip())}" for line in _settings(difference)), ""]
    if difference.changes:
        lines += ["| function | compiles | seconds | causes |", "| --- | --- | --- | --- |"]
        for change in difference.changes[:_MOST]:
            lines.append("| " + " | ".join(_plain(cell) for cell in _cells(change)) + " |")
        lines.append("")
    if (rest := len(difference.changes) - _MOST) > 0:
        lines += [f"and {plural(rest, 'more function')}", ""]
    lines += [f"- {_plain(line)}" for line in _lost(difference)]
    for word, found in (("new", difference.new), ("gone", difference.gone)):
        lines += [f"- {word}: {_plain(_finding(finding))}" for finding in found]
    return "\n".join(lines).rstrip() + "\n"


def as_json(difference: Difference) -> str:
    """For machines."""
    whole: dict[str, Any] = {
        "compiles": difference.compiles,
        "seconds": round(difference.seconds, 4),
        "lost_hits": difference.lost_hits,
        "settings": {name: list(pair) for name, pair in difference.settings.items()},
        "functions": [_function(change) for change in difference.changes],
        "new": [as_dict(finding) for finding in difference.new],
        "gone": [as_dict(finding) for finding in difference.gone],
    }
    return json.dumps(whole, indent=2) + "\n"


def _function(change: Change) -> dict[str, Any]:
    before, after = change.before, change.after
    return {
        "function": change.row.function,
        "path": change.row.path,
        "line": change.row.line,
        "compiles": [before.compiles if before else 0, after.compiles if after else 0],
        "seconds": [round(row.total, 4) if row else 0.0 for row in (before, after)],
        "causes": change.causes,
        "lost_hits": list(change.lost_hits),
    }


def _settings(difference: Difference) -> Iterator[str]:
    for name, (old, new) in difference.settings.items():
        yield f"  {name}: {old} -> {new}"


def _lost(difference: Difference) -> Iterator[str]:
    """One line for each reason, with the functions that it is the reason for."""
    reasons: dict[str, dict[str, int]] = {}
    for change in difference.changes:
        for why in change.lost_hits:
            names = reasons.setdefault(why, {})
            names[_name(change)] = names.get(_name(change), 0) + 1
    for why, names in reasons.items():
        shown = [f"{name} x{n}" if n > 1 else name for name, n in names.items()]
        more = f" and {plural(len(shown) - 3, 'more function')}" if len(shown) > 3 else ""
        yield f"no longer in the persistent cache: {why}: {', '.join(shown[:3])}{more}"


def _cells(change: Change) -> tuple[str, str, str, str]:
    before, after = change.before, change.after
    compiles = f"{before.compiles if before else 0} -> {after.compiles if after else 0}"
    took = " -> ".join(seconds(row.total) if row else "0" for row in (before, after))
    causes = ", ".join(f"{cause} {count:+}" for cause, count in change.causes.items())
    return _name(change), compiles, took, causes


def _name(change: Change) -> str:
    row = change.row
    what = f"{row.function} outside of jit" if row.eager else row.function
    return f"{what} ({short(row.path)}:{row.line})"


def _finding(finding: Finding) -> str:
    cause = f" ({finding.cause})" if finding.cause else ""
    price = f", {seconds(finding.seconds)} lost" if finding.seconds >= 0.001 else ""
    return f"{finding.name}{cause} at {place(finding.site)}{price}: {finding.message}"


def _plain(cell: str) -> str:
    """Text that Markdown shows as it is."""
    return "".join(f"\\{char}" if char in "\\|<>*_`[]#" else char for char in cell)
