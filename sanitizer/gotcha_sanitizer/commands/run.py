"""`gotcha-sanitize run train.py`: as `python train.py`, with the sanitizer on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, MutableMapping
from dataclasses import fields
from typing import Any

import click

from gotcha_sanitizer.option_text import parse
from gotcha_sanitizer.options import Options

# The keys of GOTCHA_OPTIONS, as flags.
HELP = {
    "checks": "Look for these gotchas only, comma separated.",
    "fail_on": "What --exitcode is about: names, `recompile/shape`, or severities.",
    "abort_on": "Findings that end the program at once: names, `recompile/shape`, or severities.",
    "exitcode": "End with this code when a finding of --fail-on was made.",
    "warmup": "Compiles of one function that are not reported at once.",
    "min_const_bytes": "Smaller constants are notes, as 64K or 1M.",
    "suppressions": "A file of `name:glob[:reason]` lines.",
    "log_path": "Record the run there, as JSON lines; %p is the process id.",
    "log_size": "Bytes of the record, after which it is folded into its sums, as 64M; 0: never.",
    "html": "Write a page about the run there.",
    "quiet": "No report on standard error.",
    "color": "auto, always or never.",
    "max_lines": "Lines of the report at the end.",
    "redact": "No source lines and no values, for sharing.",
    "training": "Look at the values of training steps: weights that never move, ...",
    "guard": "Evaluate captured steps again under JAX's own checks, so many steps long.",
    "hosts": "A folder that all hosts of the run share, to compare them while they run.",
    "slow_wait": "Seconds after which a host that waits for others is spoken of.",
    "slow_compile": "Seconds after which a running compile is spoken of.",
}
_PATHS = {"suppressions", "log_path", "html", "hosts"}


def _flag(name: str, default: object) -> Any:
    flag = f"--{name.replace('_', '-')}"
    if isinstance(default, bool):
        return click.option(flag, is_flag=True, help=HELP[name])
    return click.option(flag, metavar="VALUE", help=HELP[name])


def _flags(function: Any) -> Any:
    for each in reversed([each for each in fields(Options) if each.name in HELP]):
        function = _flag(each.name, each.default)(function)
    return function


@click.command(
    context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False},
    epilog="Options of this command go before SCRIPT; all that follows it is the program's.",
)
@click.option("-m", "module", is_flag=True, help="SCRIPT is the name of a module, as `python -m`.")
@_flags
@click.argument("script")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def command(module: bool, script: str, args: tuple[str, ...], **given: Any) -> int:
    """Run a program with the sanitizer on. Ends with the program's own exit code."""
    text = joined(os.environ.get("GOTCHA_OPTIONS", ""), given)
    problems = parse(text, said="").problems
    if problems:
        raise click.UsageError("; ".join(problems))
    return launch(["-m", script, *args] if module else ["--", script, *args], text, os.environ)


def joined(before: str, given: Mapping[str, Any]) -> str:
    """GOTCHA_OPTIONS with the flags after it: the last one of a key holds."""
    parts = [before] if before else []
    for name, value in given.items():
        if value in (None, False):
            continue
        text = "1" if value is True else str(value)
        text = os.path.abspath(text) if name in _PATHS else text
        parts.append(f"{name}={text.replace(':', chr(92) + ':')}")
    return ":".join(parts)


def launch(program: list[str], options: str, environ: MutableMapping[str, str]) -> int:
    """Becomes the program. Where a process cannot become another, waits for it."""
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined] # -S, -O, -W, ...
    argv = [sys.executable, *flags, "-m", "gotcha_sanitizer", *program]
    environ["GOTCHA_OPTIONS"] = options
    if os.name == "nt":
        return subprocess.call(argv)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, argv)
