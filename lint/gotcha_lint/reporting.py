"""From a report to text: a format or the statistics to standard output or a file, a summary."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from gotcha_lint import __version__, formats
from gotcha_lint.config.options import Options, UsageError
from gotcha_lint.config.selection import RuleText
from gotcha_lint.finding import Finding
from gotcha_lint.output import terminal


def shown(
    options: Options,
    findings: Sequence[Finding],
    source: Callable[[str], formats.SourceText | None],
    rules: Mapping[str, RuleText],
    failures: Sequence[formats.FailureText],
) -> formats.Shown:
    """What the chosen format is given."""
    to_file = options.output_file is not None
    colour = (
        options.color == "always" if to_file else terminal.wants_colour(options.color, sys.stdout)
    )
    linked = links(options, colour)
    return formats.Shown(
        findings,
        source,
        rules.get,
        width=terminal.PIPE if to_file else terminal.width(sys.stdout),
        source_width=terminal.PIPE_SOURCE if to_file else terminal.source_width(sys.stdout),
        wrapped=not to_file and terminal.is_terminal(sys.stdout),
        page=terminal.local_page if linked else formats.no_page,
        colour=colour,
        version=__version__,
        root=os.getcwd(),
        failures=failures,
    )


def links(options: Options, colour: bool) -> bool:
    """Links are for terminals alone: a pipe or a log may keep their codes as text."""
    return colour and options.output_file is None and terminal.is_terminal(sys.stdout)


def rendered(options: Options, report: formats.Shown) -> str:
    """The findings, or how many there are of each kind."""
    if not options.statistics:
        return formats.load(options.output_format)(report)
    counts = Counter(finding.name for finding in report.findings)
    fixable = {finding.name for finding in report.findings if finding.fix is not None}
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if options.output_format == "json":
        keys = [{"name": name, "count": n, "fixable": name in fixable} for name, n in rows]
        return json.dumps(keys, indent=2) + "\n"
    width = max((len(name) for name in counts), default=0)
    lines = [f"{n:>5}  {name:<{width}}  {_summary(report, name)}".rstrip() for name, n in rows]
    return "".join(line + "\n" for line in lines)


def _summary(report: formats.Shown, name: str) -> str:
    rule = report.rule(name)
    return rule.summary if rule else ""


def check_output(path: str | None) -> None:
    """Refuses an output file that cannot be made, before the work is done."""
    if path is None:
        return
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise UsageError(f"--output-file {path}: is a directory")
    if not os.path.isdir(folder):
        raise UsageError(f"--output-file {path}: no such directory: {folder}")


def publish(options: Options, text: str) -> None:
    """To standard output, or whole to the output file."""
    path = options.output_file
    if path is None:
        terminal.out(text)
        return
    data = text.encode("utf-8", "backslashreplace")
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a pipe or device stays what it is
            with open(path, "wb") as file:
                file.write(data)
        else:
            from gotcha_lint.text.source import write

            write(path, data)
    except OSError as error:
        raise UsageError(f"--output-file {path}: {error.strerror or error}") from error


def summary(
    findings: Sequence[Finding], checked: int, fixed: int, unsafe: bool, skipped: int = 0
) -> str:
    """The last line for people: how much of what, and what `--fix` could do.

    `skipped` of the `checked` files use no JAX and were not analysed.
    """
    files = count(checked, "file")
    left_out = (
        [f"{checked - skipped} analysed, {skipped} skipped: no JAX in them"] if skipped else []
    )
    done = f"fixed {fixed}; " if fixed else ""
    if not findings:
        return "; ".join([f"{done}no findings in {files}", *left_out])
    severities = Counter(finding.severity for finding in findings)
    parts = [count(n, severity) for severity in ("error", "warning") if (n := severities[severity])]
    parts += [f"{severities['info']} info"] if severities["info"] else []
    text = f"{done}{count(len(findings), 'finding')} in {files} ({', '.join(parts)})"
    safe = sum(f.fix is not None and f.fix.safe for f in findings)
    risky = sum(f.fix is not None and not f.fix.safe for f in findings)
    hints = [f"{safe} fixable with --fix"] if safe else []
    hints += [f"{risky} more with --unsafe-fixes"] if risky and not unsafe else []
    return "; ".join([text, *hints, *left_out])


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
