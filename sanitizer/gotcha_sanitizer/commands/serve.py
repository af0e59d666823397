"""`gotcha-sanitize serve run.jsonl`: the page of a run, while it grows."""

from __future__ import annotations

from pathlib import Path

import click

from gotcha_lint.output import terminal
from gotcha_sanitizer.commands._runs import RECORD
from gotcha_sanitizer.live.server import Live, Server


@click.command(epilog="Ctrl-C ends it. The run itself is not touched: only its record is read.")
@click.argument("records", nargs=-1, required=True, type=RECORD, metavar="RUN.jsonl...")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen at. Any but this machine's own needs the token in the address.",
)
def command(records: tuple[Path, ...], port: int, host: str) -> int:
    """Show the page of a run in a browser while the run goes on."""
    live = Live(records)
    live.look()
    try:
        server = Server(live, host, port)
    except OSError as error:
        raise click.ClickException(
            f"{host}:{port}: {error.strerror or error}; choose another --port"
        ) from error
    terminal.out(f"{server.url}\n")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        live.over.set()
    finally:
        server.server_close()
    return 0
