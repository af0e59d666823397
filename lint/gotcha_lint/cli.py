"""The command line of the linter: `gotcha-lint [PATHS]`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import click
from click.shell_completion import CompletionItem

from gotcha_lint import __version__
from gotcha_lint.config.options import Options, UsageError, default_jobs
from gotcha_lint.config.settings import ConfigError, Overrides, SettingsFinder
from gotcha_lint.output import terminal
from gotcha_lint.tools import Tools

EPILOG = """\b
Exit codes: 0 clean, 1 findings, 2 usage or configuration, 3 internal error.
Shell completion: eval "$(gotcha-lint --completion bash)"  (or zsh, fish)
Configuration: [tool.gotcha] in pyproject.toml, or gotcha.toml."""


def _formats() -> click.ParamType:
    from gotcha_lint import formats

    return click.Choice(formats.names())


def complete_names(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from gotcha_lint.config.selection import known_names

    head, comma, tail = incomplete.rpartition(",")
    names = sorted(known_names(Tools().rules))
    return [CompletionItem(head + comma + name) for name in names if name.startswith(tail)]


def _split(ctx: click.Context, param: click.Parameter, value: Sequence[str]) -> tuple[str, ...]:
    words = (word.strip() for item in value for word in item.split(","))
    return tuple(word for word in words if word)


def _names_option(name: str, help: str) -> Callable[[Any], Any]:
    return click.option(
        name,
        multiple=True,
        metavar="NAMES",
        callback=_split,
        shell_complete=complete_names,
        help=f"{help} Rules or families, comma separated; may be repeated.",
    )


@click.command(context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.argument("paths", nargs=-1, type=click.Path(allow_dash=True))
@_names_option("--select", "Report these only.")
@_names_option("--ignore", "Do not report these.")
@_names_option("--extend-select", "Report these too.")
@click.option("--all/--no-all", default=None, help="Show uncertain findings, too.")
@click.option("--fix", is_flag=True, help="Apply the safe fixes.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: the unsafe ones too.")
@click.option("--diff", is_flag=True, help="Show what --fix would do and write nothing.")
@click.option("--output-format", type=_formats(), default="full", show_default=True)
@click.option("--output-file", "-o", metavar="FILE", help="Write the output there.")
@click.option("--fail-on", type=click.Choice(["error", "warning", "never"]), default=None)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even when there are findings.")
@click.option("--baseline", metavar="FILE", help="Do not report the findings that it names.")
@click.option(
    "--write-baseline",
    is_flag=True,
    help="Write today's findings to the baseline (gotcha-baseline.json); exit.",
)
@click.option(
    "--add-allow",
    is_flag=True,
    help="Write comments that allow today's findings, with a reason to fill in; exit.",
)
@click.option(
    "--with-run",
    multiple=True,
    metavar="RUN.jsonl",
    help="Mark what a run of the sanitizer confirms, and list what else it found.",
)
@click.option("--statistics", is_flag=True, help="Count findings by kind; time the stages.")
@click.option("--watch", is_flag=True, help="Lint again whenever a file changes, until Ctrl-C.")
@click.option("--config", metavar="FILE", help="Use this configuration for all files.")
@click.option(
    "--force-exclude/--no-force-exclude",
    default=None,
    help="Apply the excludes to named files, too.",
)
@click.option("--stdin-filename", metavar="NAME", help="The name of the input that - reads.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), metavar="N", help="Worker processes.")
@click.option("--no-cache", is_flag=True, help="Analyse everything again; keep nothing.")
@click.option("--no-screen", is_flag=True, help="Analyse files that mention no JAX library too.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@click.option("--quiet", "-q", is_flag=True, help="Print findings and errors, nothing else.")
@click.option("--verbose", "-v", is_flag=True, help="Say more: configuration, time, tracebacks.")
@click.option(
    "--explain", metavar="NAME", shell_complete=complete_names, help="Explain a gotcha; exit."
)
@click.option(
    "--explain-error",
    metavar="[FILE]",
    is_flag=False,
    flag_value="-",
    help="Explain a JAX traceback from a file or standard input; exit.",
)
@click.option("--list-rules", is_flag=True, help="List all rules; exit.")
@click.option("--why", metavar="FILE:LINE", help="Print what is known about a line; exit.")
@click.option("--compiles", is_flag=True, help="List what is compiled, how often and why; exit.")
@click.option("--show-settings", is_flag=True, help="Show the settings that apply; exit.")
@click.option("--server", is_flag=True, help="Serve an editor (LSP) on standard input and output.")
@click.option(
    "--mcp", is_flag=True, help="Serve a coding agent (MCP) on standard input and output."
)
@click.option(
    "--completion", type=click.Choice(["bash", "zsh", "fish"]), help="Print its script; exit."
)
@click.version_option(
    __version__, "--version", "-V", prog_name="gotcha-lint", message="%(prog)s %(version)s"
)
@click.pass_obj
def command(tools: Tools, /, **given: Any) -> int:
    """Find the pitfalls of compiled training code in JAX.

    PATHS are files and directories, by default the current one; - is standard input.
    """
    early = _early(given, tools)
    if early is not None:
        return early
    options = _options(given)
    finder = _finder(given, tools)
    if options.why is not None:
        from gotcha_lint.commands import why

        return why(options, finder, tools)
    if options.compiles:
        from gotcha_lint.commands import compiles

        return compiles(options, finder, tools)
    if options.show_settings:
        from gotcha_lint.commands import show_settings

        return show_settings(options, finder)
    from gotcha_lint.run import find_inputs, run

    if given["watch"]:
        from gotcha_lint.watch import watch

        return watch(
            lambda: run(options, _finder(given, tools), tools),
            lambda: find_inputs(replace(options, quiet=True), _finder(given, tools)).files,
            clear=terminal.is_terminal(sys.stdout),
        )
    return run(options, finder, tools)


def _early(given: dict[str, Any], tools: Tools) -> int | None:
    """What needs neither files nor a configuration."""
    from gotcha_lint import commands

    if given["server"]:
        return commands.server()
    if given["mcp"]:
        return commands.mcp()
    if given["completion"]:
        return _completion(given["completion"])
    if given["explain"] is not None:
        return commands.explain_rule(given["explain"], given["color"], tools)
    if given["list_rules"]:
        return commands.list_rules(given["output_format"], given["color"], tools)
    if given["explain_error"] is not None:
        return commands.explain_error(given["explain_error"], given["color"], tools)
    return None


def _options(given: dict[str, Any]) -> Options:
    if given["unsafe_fixes"] and not (given["fix"] or given["diff"]):
        raise UsageError("--unsafe-fixes goes with --fix or --diff")
    if given["with_run"] and (given["fix"] or given["diff"]):
        raise UsageError("--with-run is about the files as they ran: leave out --fix and --diff")
    if given["write_baseline"] and (given["fix"] or given["diff"] or "-" in given["paths"]):
        raise UsageError("--write-baseline takes files as they are: leave out --fix, --diff and -")
    changes = given["fix"] or given["diff"] or given["write_baseline"] or "-" in given["paths"]
    if given["add_allow"] and (changes or given["with_run"]):
        raise UsageError(
            "--add-allow changes files as they are: it goes with none of "
            "--fix, --diff, --write-baseline, --with-run and -"
        )
    if given["watch"] and (changes or given["add_allow"]):
        raise UsageError("--watch only looks: leave out what changes or writes files, and -")
    own = {key: given[key] for key in Options.__dataclass_fields__ if key in given}
    own["jobs"] = given["jobs"] or default_jobs()
    return Options(**own, cache=not given["no_cache"], screen=not given["no_screen"])


def _finder(given: dict[str, Any], tools: Tools) -> SettingsFinder:
    from gotcha_lint.config.check import unknown_names
    from gotcha_lint.config.selection import known_names

    def known() -> frozenset[str]:
        return known_names(tools.rules)

    wrong: list[str] = []
    for key in ("select", "ignore", "extend_select"):
        option = f"--{key.replace('_', '-')}"
        problems = unknown_names(given[key], known()) if given[key] else ()
        wrong += [f"{option}: {problem}" for problem in problems]
    if wrong:
        raise ConfigError(*wrong)
    overrides = Overrides(**{key: given[key] for key in Overrides.__dataclass_fields__})
    return SettingsFinder(overrides, given["config"], known)


def main(argv: Sequence[str] | None = None, tools: Tools | None = None) -> int:
    """Runs the command line and returns the exit code; no exception leaves it."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        return _guarded(args, tools or Tools())
    except BrokenPipeError:
        terminal.close_quietly()
        return 1
    except (KeyboardInterrupt, click.Abort):
        terminal.note("interrupted")
        return 130
    except Exception as error:
        if "--verbose" in args or "-v" in args:
            import traceback

            traceback.print_exc()
        terminal.error(f"internal error: {type(error).__name__}: {error} (see --verbose)")
        return 3


def run_and_leave() -> None:
    """The program: ends the process without freeing the trees node by node, a tenth of a run."""
    code = main()
    if "multiprocessing" in sys.modules:  # an interrupt or an error leaves workers that wait
        for worker in sys.modules["multiprocessing"].active_children():
            worker.kill()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # the reader of a pipe has gone
        code = code or 1
    os._exit(code)


def _guarded(args: list[str], tools: Tools) -> int:
    try:
        code = command.main(
            args,
            prog_name="gotcha-lint",
            complete_var="_GOTCHA_LINT_COMPLETE",
            standalone_mode=False,
            obj=tools,
        )
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except ConfigError as error:
        for problem in error.problems:
            terminal.error(problem)
    except UsageError as error:
        terminal.error(str(error))
    except click.ClickException as error:
        terminal.error(error.format_message())
    return 2


def _completion(shell: str) -> int:
    """`--completion SHELL`: the script that the shell must evaluate."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    terminal.out(kind(command, {}, "gotcha-lint", "_GOTCHA_LINT_COMPLETE").source() + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
