"""The options that print something and end the run."""

from __future__ import annotations

import json
import os
import sys

from gotcha_lint import pages, reporting
from gotcha_lint.config.options import Options, UsageError
from gotcha_lint.config.settings import (
    SettingsFinder,
    as_table,
    display_path,
)
from gotcha_lint.config.spelling import did_you_mean
from gotcha_lint.failing_line import at_line
from gotcha_lint.files.workspace import shown_name
from gotcha_lint.home import install
from gotcha_lint.output import explain, terminal
from gotcha_lint.run import CLEAN, FOUND, INTERNAL, find_inputs, tell_failures
from gotcha_lint.tools import Tools


def explain_rule(name: str, color: str, tools: Tools) -> int:
    """`--explain NAME`: the page of a gotcha, or the rules of a family."""
    rules = tools.rules
    colour = terminal.wants_colour(color, sys.stdout)
    width = terminal.width(sys.stdout)
    asked, name = name, name.lower().replace("_", "-")
    family = {key: rule for key, rule in rules.items() if rule.family == name}
    if not family and (text := pages.page(name)):
        terminal.out(explain.plain(text, width=width, colour=colour) + "\n")
        return CLEAN
    if name in rules:  # one without a page: of the engine itself
        terminal.out(explain.explain(rules[name], width=width, colour=colour))
        return CLEAN
    if not family:
        known = {*rules, *pages.names()}
        raise UsageError(f'no gotcha is called "{asked}"{did_you_mean(name, known)}')
    terminal.out(explain.rule_table(family, colour=colour))
    return CLEAN


def list_rules(output_format: str, color: str, tools: Tools) -> int:
    """`--list-rules`: all of them, as a table or as JSON."""
    if output_format == "json":
        terminal.out(explain.rule_list(tools.rules))
    else:
        colour = terminal.wants_colour(color, sys.stdout)
        terminal.out(explain.rule_table(tools.rules, colour=colour))
    return CLEAN


def explain_error(file: str, color: str, tools: Tools) -> int:
    """`--explain-error [FILE]`: what a JAX error means, and what the linter says of its place."""
    from gotcha_lint import errors

    try:
        if file == "-":
            if terminal.is_terminal(sys.stdin):
                terminal.note("paste the traceback, then press Ctrl-D")
            raw = sys.stdin.buffer.read()
        else:
            with open(file, "rb") as traceback:
                raw = traceback.read()
    except OSError as error:
        raise UsageError(f"--explain-error {file}: {error.strerror or error}") from error
    meaning = errors.recognise(raw.decode("utf-8", "replace"))
    if meaning is None:
        terminal.error("no JAX error that is known here in this text")
        return FOUND
    colour = terminal.wants_colour(color, sys.stdout)
    code, said = at_line(meaning.path, meaning.line, meaning.source, meaning.known.names, tools)
    text = errors.as_text(
        meaning, width=terminal.width(sys.stdout), colour=colour, linter=said, code=code
    )
    terminal.out(text)
    return CLEAN


def why(options: Options, finder: SettingsFinder, tools: Tools) -> int:
    """`--why FILE:LINE`: what the analysis knows about a line."""
    path, _, line = (options.why or "").rpartition(":")
    if not path or not line.isascii() or not line.isdigit() or int(line) < 1:
        raise UsageError(f"--why {options.why}: expected FILE:LINE")
    if not os.path.isfile(path):
        raise UsageError(f"--why {options.why}: no such file: {path}")
    overlay = find_inputs(options, finder).overlay if options.reads_stdin else {}
    try:
        text, failures = tools.why(
            shown_name(os.path.abspath(path)),
            int(line),
            finder,
            screen=options.screen,
            overlay=overlay,
        )
    except ValueError as error:
        raise UsageError(f"--why {options.why}: {error}") from error
    tell_failures(failures)
    reporting.publish(options, text.rstrip("\n") + "\n")
    return INTERNAL if failures else CLEAN


def compiles(options: Options, finder: SettingsFinder, tools: Tools) -> int:
    """`--compiles`: the compiled functions, and how many programs each has."""
    if options.output_format not in ("full", "concise", "json"):
        raise UsageError("--compiles is a table, or JSON with --output-format json")
    from gotcha_lint.views.compiles import as_json, with_runs
    from gotcha_lint.views.compiles_table import table

    inputs = find_inputs(options, finder)
    rows, failures = tools.compiles(
        inputs.files, finder, screen=options.screen, overlay=inputs.overlay
    )
    if options.with_run:
        rows = with_runs(rows, options.with_run)
    tell_failures(failures)
    width = terminal.width(sys.stdout)
    reporting.publish(
        options, as_json(rows) if options.output_format == "json" else table(rows, width)
    )
    return INTERNAL if failures else CLEAN


def show_settings(options: Options, finder: SettingsFinder) -> int:
    """`--show-settings`: what holds, and for how many of the files."""
    groups: dict[str, tuple[dict[str, object], int]] = {}
    for path in find_inputs(options, finder).files or [os.path.join(os.getcwd(), "x.py")]:
        settings = finder(path)
        key = display_path(settings.source) if settings.source else "no configuration file"
        groups[key] = as_table(settings), groups.get(key, ({}, 0))[1] + 1
    blocks = [_settings_block(key, table, count) for key, (table, count) in sorted(groups.items())]
    reporting.publish(options, "\n".join(blocks))
    return CLEAN


def _settings_block(source: str, table: dict[str, object], count: int) -> str:
    lines = [f"# {source}: {count} file{'' if count == 1 else 's'}"]
    lines += [f"{key} = {_toml(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, dict):
        pairs = ", ".join(f"{json.dumps(str(k))} = {_toml(v)}" for k, v in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(_toml(item) for item in value)}]"
    return json.dumps(value)


def server() -> int:
    """Serves an editor. Raises UsageError where the server's library is not installed."""
    try:
        from gotcha_lint.server.serve import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise UsageError(f"--server needs {install('server')}") from error
    return serve()


def mcp() -> int:
    """Serves a coding agent. Raises UsageError where the protocol's library is not installed."""
    try:
        from gotcha_lint.agent.serve import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise UsageError(f"--mcp needs {install('mcp')}") from error
    return serve()
