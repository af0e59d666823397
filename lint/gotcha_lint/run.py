"""A run of the linter: files, findings, fixes, output, exit code."""

from __future__ import annotations

import difflib
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gotcha_lint import reporting
from gotcha_lint.config.options import Options, UsageError
from gotcha_lint.config.settings import SettingsFinder, display_path
from gotcha_lint.files.discover import MissingPath, Walk
from gotcha_lint.finding import Finding
from gotcha_lint.findings.baseline import DEFAULT, Baselines
from gotcha_lint.findings.baseline import write as write_baseline
from gotcha_lint.findings.fixer import Findings, LintFailed, Outcome, SourceFile, fix_files
from gotcha_lint.output import terminal
from gotcha_lint.output.progress import Bar
from gotcha_lint.reporting import count
from gotcha_lint.tools import Tools

CLEAN, FOUND, USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130
_STDIN = "<stdin>"


@dataclass
class Inputs:
    """The files to lint, and the content of those that do not come from the disk."""

    files: list[str]
    overlay: dict[str, bytes] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    """Files that the user named, rather than a directory above them."""


def find_inputs(options: Options, finder: SettingsFinder) -> Inputs:
    """The files that the paths mean. Raises UsageError."""
    walk = Walk(finder, lambda text: terminal.note(f"warning: {text}"))
    if options.reads_stdin:
        return _standard_input(options, walk)
    if options.stdin_filename is not None:
        raise UsageError("--stdin-filename is for standard input: give the path -")
    try:
        files = walk.files(options.paths or (".",))
    except MissingPath as error:
        raise UsageError(str(error)) from error
    if not files and not options.quiet:
        terminal.note("warning: no Python files under the given paths")
    named = {os.path.realpath(path) for path in options.paths if os.path.isfile(path)}
    return Inputs(files, named=frozenset(f for f in files if os.path.realpath(f) in named))


def _standard_input(options: Options, walk: Walk) -> Inputs:
    if len(options.paths) > 1:
        raise UsageError("- cannot be combined with other paths")
    name = options.stdin_filename or _STDIN
    content = sys.stdin.buffer.read()
    excluded = walk.settings_for(name).force_exclude and walk.is_excluded(name)
    return Inputs([] if excluded else [name], {name: content}, frozenset({name}))


def run(options: Options, finder: SettingsFinder, tools: Tools) -> int:
    """Lints, prints, and returns the exit code. Raises UsageError and ConfigError."""
    reporting.check_output(options.output_file)
    begun = time.monotonic()
    inputs = find_inputs(options, finder)
    for path in inputs.files:
        finder(path)  # a wrong configuration ends the run before the work
    if options.write_baseline:
        return _write_baseline(options, finder, tools, inputs)
    if options.add_allow:
        return _add_allow(options, finder, tools, inputs)
    baselines = Baselines(lambda path: finder(path).baseline)
    baselines.read(inputs.files)
    found = time.monotonic()
    report = lint(options, finder, tools, inputs)
    findings, outcome = baselines.new(report.findings), None
    if options.fix or options.diff:
        outcome = _fix(options, finder, tools, inputs, report, baselines)
        findings = sorted(
            (f for found in outcome.findings.values() for f in found),
            key=lambda finding: finding.order,
        )
    if options.with_run:
        from gotcha_lint.views.with_run import with_run

        findings = with_run(findings, options.with_run, report.source, tools.rules, finder)
    code = INTERNAL if report.failures else CLEAN
    if outcome is not None:
        code = max(code, _deliver(options, inputs, report, outcome))
    if not options.diff:
        _print(options, tools, report, findings, outcome)
        code = max(code, _verdict(options, finder, findings))
    _remarks(options, report, findings, outcome)
    if not (options.quiet or options.diff):
        _about_baseline(inputs, report, baselines)
    if options.statistics and not options.quiet:
        whole = {"find": found - begun, **report.seconds, "all": time.monotonic() - begun}
        terminal.note(_stages(whole, len(inputs.files)))
    if options.verbose:
        _details(finder, inputs, time.monotonic() - begun)
    return code


def _stages(seconds: Mapping[str, float], files: int) -> str:
    """How long each stage of a run took. Findings that a cache knows need only the first two."""
    words = {
        "find": f"to find {count(files, 'file')}",
        "read": "to read their projects and the cache",
        "engine": "to work out what runs and compiles",
        "files": "for places, comments and fixes",
        "cache": "to keep them in the cache",
    }
    told = [f"{seconds[name]:.2f} s {text}" for name, text in words.items() if name in seconds]
    rest = seconds["all"] - sum(seconds[name] for name in words if name in seconds)
    return f"{seconds['all']:.2f} s: {', '.join(told)}, {rest:.2f} s for the rest"


def lint(
    options: Options,
    finder: SettingsFinder,
    tools: Tools,
    inputs: Inputs,
    overlay: Mapping[str, bytes] | None = None,
) -> Any:
    """The report of the engine; `overlay` stands for the content of files that fixes change."""
    contents = {name: inputs.overlay[name] for name in inputs.files if name in inputs.overlay}
    with Bar(wanted=not options.quiet) as bar:
        return tools.lint(
            inputs.files,
            finder,
            jobs=options.jobs,
            screen=options.screen,
            overlay=contents | dict(overlay or {}),
            progress=bar,
            cached=options.cache,
            named=inputs.named,
        )


def _fix(
    options: Options,
    finder: SettingsFinder,
    tools: Tools,
    inputs: Inputs,
    report: Any,
    baselines: Baselines,
) -> Outcome:
    def lint_many(overlay: Mapping[str, bytes]) -> Findings:
        again = lint(options, finder, tools, inputs, overlay)
        if new := {(f.path, f.rule) for f in again.failures} - broken:
            raise LintFailed(f"the result breaks the linter: {', '.join(sorted(new)[0])}")
        return _grouped(baselines.new(again.findings))

    broken = {(failure.path, failure.rule) for failure in report.failures}
    findings = _grouped(baselines.new(report.findings))
    fixable = sorted(path for path, found in findings.items() if any(f.fix for f in found))
    sources = {path: source for path in fixable if (source := report.source(path)) is not None}
    return fix_files(sources, findings, lint_many, unsafe=options.unsafe_fixes)


def _add_allow(options: Options, finder: SettingsFinder, tools: Tools, inputs: Inputs) -> int:
    """Writes comments that allow the findings; prints those that are left."""
    from gotcha_lint.findings.add_allow import commented

    baselines = Baselines(lambda path: finder(path).baseline)
    baselines.read(inputs.files)
    report = lint(options, finder, tools, inputs)
    tell_failures(report.failures)
    added = files = 0
    good = True
    for path, found in _grouped(baselines.new(report.findings)).items():
        source = report.source(path)
        if source is None or not (done := commented(source, found)).added:
            continue
        written = _write(path, source, done.text)
        good, added, files = good and written, added + done.added * written, files + written
    if not options.quiet:
        terminal.note(f"added {count(added, 'comment')} to {count(files, 'file')}")
        terminal.note("fill in the reasons: grep -rn 'WHY: say here'") if added else None
    again = lint(options, finder, tools, inputs)
    left = baselines.new(again.findings)
    _print(options, tools, again, left, None)
    return max(
        INTERNAL if again.failures else CLEAN,
        CLEAN if good else USAGE,
        _verdict(options, finder, left),
    )


def _grouped(findings: Sequence[Finding]) -> dict[str, list[Finding]]:
    files: dict[str, list[Finding]] = {}
    for finding in findings:
        files.setdefault(finding.path, []).append(finding)
    return files


def _deliver(options: Options, inputs: Inputs, report: Any, outcome: Outcome) -> int:
    """Prints the difference, or writes the fixed files."""
    if options.diff:
        text = "".join(_differences(report, outcome))
        reporting.publish(options, text)
        return FOUND if text and not options.exit_zero else CLEAN
    if inputs.overlay:
        ((name, content),) = inputs.overlay.items()
        changed = outcome.texts.get(name)
        terminal.write_bytes(content if changed is None else report.source(name).encode(changed))
        return CLEAN
    results = [_write(path, report.source(path), text) for path, text in outcome.texts.items()]
    return CLEAN if all(results) else USAGE


def _differences(report: Any, outcome: Outcome) -> Iterator[str]:
    for path, text in sorted(outcome.texts.items()):
        source = report.source(path)
        before, after = source.text, text
        if source.magics is not None:
            before, after = source.magics.original, source.magics.written(text)
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
        for line in difflib.unified_diff(old, new, path, path):
            yield line if line.endswith(("\n", "\r")) else f"{line}\n\\ No newline at end of file\n"


def _write(path: str, source: SourceFile, text: str) -> bool:
    from gotcha_lint.text.source import read, write

    try:
        if read(path).raw != getattr(source, "raw", None):
            terminal.error(f"{path}: not fixed, it changed while it was linted")
            return False
        write(path, source.encode(text))
    except Exception as error:  # the disk's word, or an encoding's; other files are still written
        terminal.error(f"{path}: not fixed, it cannot be written: {error}")
        return False
    return True


def _print(
    options: Options,
    tools: Tools,
    report: Any,
    findings: Sequence[Finding],
    outcome: Outcome | None,
) -> None:
    source = report.source
    if outcome is not None and outcome.texts:
        source = _fixed_sources(report, outcome)
    view = reporting.shown(options, findings, source, tools.rules, report.failures)
    text = reporting.rendered(options, view)
    if options.fix and options.reads_stdin and options.output_file is None:
        terminal.note(text.rstrip("\n")) if text else None  # standard output has the fixed file
    else:
        reporting.publish(options, text)


def _fixed_sources(report: Any, outcome: Outcome) -> Any:
    """The places of findings after fixing are places of the fixed text."""
    from gotcha_lint.text.source import decode

    fixed = {
        path: decode(path, report.source(path).encode(text)) for path, text in outcome.texts.items()
    }
    return lambda path: fixed.get(path) or report.source(path)


def _verdict(options: Options, finder: SettingsFinder, findings: Sequence[Finding]) -> int:
    if options.exit_zero:
        return CLEAN
    failing = {"error": ("error",), "warning": ("error", "warning"), "never": ()}
    fails = any(finding.severity in failing[finder(finding.path).fail_on] for finding in findings)
    return FOUND if fails else CLEAN


def tell_failures(failures: Iterable[Any]) -> None:
    """A line for each fault of ours, with the files that it hit."""
    files: dict[tuple[str, str], list[str]] = {}
    for failure in failures:
        files.setdefault((failure.rule, failure.error), []).append(failure.path)
    for (rule, error), (path, *others) in files.items():
        more = f" and {count(len(others), 'more file')}" if others else ""
        terminal.error(f"internal error in {rule} on {path}{more}: {error}")


def _remarks(
    options: Options, report: Any, findings: Sequence[Finding], outcome: Outcome | None
) -> None:
    """Everything that goes to standard error."""
    tell_failures(report.failures)
    for back in outcome.taken_back if outcome else ():
        finding = back.finding
        place = f"{finding.path}:{finding.line}:{finding.column}"
        terminal.note(f"note: {place}: the fix of `{finding.name}` was undone: {back.reason}")
    if not (options.quiet or options.diff):
        fixed = len(outcome.applied) if outcome else 0
        text = reporting.summary(
            findings, report.checked, fixed, options.unsafe_fixes, report.skipped
        )
        terminal.note(text)


def _about_baseline(inputs: Inputs, report: Any, baselines: Baselines) -> None:
    known = len(report.findings) - len(baselines.new(report.findings))
    if known:
        terminal.note(f"not shown: {count(known, 'known finding')} (baseline)")
    if gone := baselines.gone(inputs.files, report.findings):
        verb = "is" if gone == 1 else "are"
        text = f"{count(gone, 'finding')} of the baseline {verb} gone"
        terminal.note(f"{text}: --write-baseline takes it out")


def _write_baseline(options: Options, finder: SettingsFinder, tools: Tools, inputs: Inputs) -> int:
    """Findings of now become known ones, each in the baseline that holds for its file."""
    report = lint(options, finder, tools, inputs)
    files: dict[str, list[str]] = {}
    for path in inputs.files:
        own = finder(path)
        files.setdefault(own.baseline or os.path.join(own.root, DEFAULT), []).append(path)
    for file, paths in files.items():
        found = [finding for finding in report.findings if finding.path in set(paths)]
        number = write_baseline(file, paths, found)
        shown = display_path(file)
        terminal.note(f"wrote {count(number, 'finding')} to {shown}")
        if finder(paths[0]).baseline is None and not options.quiet:
            terminal.note(f'to use it: `baseline = "{DEFAULT}"` in [tool.gotcha], or --baseline')
    tell_failures(report.failures)
    return INTERNAL if report.failures else CLEAN


def _details(finder: SettingsFinder, inputs: Inputs, seconds: float) -> None:
    sources = ", ".join(finder.sources()) or "none"
    terminal.note(f"configuration: {sources}")
    files = reporting.count(len(inputs.files), "file")
    terminal.note(f"linted {files} in {seconds:.2f} s")
