"""`gotcha-sanitize contract write|check run.jsonl`: what a program may compile, in a file."""

from __future__ import annotations

import os
from pathlib import Path

import click

from gotcha_sanitizer.commands._runs import RECORD, load, publish
from gotcha_sanitizer.run import contract
from gotcha_sanitizer.run.merge import merge
from gotcha_sanitizer.run.os_errors import in_words
from gotcha_sanitizer.values.words import plural

_FILE = "gotcha-contract.toml"
_option = click.option(
    "--file",
    "-f",
    "file",
    type=click.Path(path_type=Path),
    default=_FILE,
    show_default=True,
    help="The contract.",
)


@click.group(
    epilog="Commit the file, and check a short run against it in CI: more compiles, other "
    "arguments, lost donation, larger constants, new waits in a loop and more memory fail; what "
    "costs less is reported."
)
def command() -> None:
    """Keep what a program compiles and costs in a committed file."""


@command.command()
@click.argument("records", nargs=-1, required=True, type=RECORD, metavar="RUN.jsonl...")
@_option
def write(records: tuple[Path, ...], file: Path) -> int:
    """Write the contract that these records fulfil."""
    found = _found(records)
    publish(contract.write(found), file)
    publish(f"wrote {file}: {plural(len(found.functions), 'function')}\n")
    return 0


@command.command()
@click.argument("records", nargs=-1, required=True, type=RECORD, metavar="RUN.jsonl...")
@_option
def check(records: tuple[Path, ...], file: Path) -> int:
    """Compare the records with the contract. Exit code: 1 where it is broken."""
    try:
        agreed = contract.read(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        reason = in_words(error) if isinstance(error, OSError) else error
        raise click.ClickException(
            f"{file}: {reason}; write it with `gotcha-sanitize contract write`"
        ) from error
    told = contract.compare(agreed, _found(records))
    broken = [each for each in told if not each.allowed]
    lines = [f"{'  ' if each.allowed else '! '}{each.what}" for each in told]
    if broken:
        lines.append(f"{file} is broken: {plural(len(broken), 'difference')}")
        lines.append("where they are meant: gotcha-sanitize contract write, and commit the file")
    else:
        lines.append(f"{file} holds" + ("; it may be tightened" if told else ""))
    publish("\n".join(lines) + "\n")
    return int(bool(broken))


def _found(records: tuple[Path, ...]) -> contract.Contract:
    return contract.of(merge([load(path) for path in records]), os.getcwd())
