"""`gotcha-sanitize export run.jsonl --to prometheus -o run.prom`: a run for other tools."""

from __future__ import annotations

from pathlib import Path

import click

from gotcha_lint.home import install
from gotcha_sanitizer import exporters
from gotcha_sanitizer.commands._runs import RECORD, load
from gotcha_sanitizer.run.merge import merge
from gotcha_sanitizer.run.os_errors import in_words


@click.command(epilog="All but metrics and trace need the extra of their name, as '.[prometheus]'.")
@click.argument("records", nargs=-1, required=True, type=RECORD, metavar="RUN.jsonl...")
@click.option("--to", "form", type=click.Choice(exporters.names()), required=True)
@click.option("--output", "-o", type=click.Path(path_type=Path), required=True,
              help="A file; for tensorboard a folder.")  # fmt: skip
def command(records: tuple[Path, ...], form: str, output: Path) -> int:
    """Write recorded runs in the format of another tool."""
    exporter = exporters.load(form)
    whole = merge([load(path) for path in records])
    try:
        exporter.write(whole, output)
    except ImportError as error:
        raise click.ClickException(f"{error}; it needs {install(exporter.EXTRA)}") from error
    except OSError as error:
        raise click.FileError(str(output), in_words(error)) from error
    return 0
