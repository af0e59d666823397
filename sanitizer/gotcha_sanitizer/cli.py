"""The command line of the sanitizer: `gotcha-sanitize COMMAND`; the commands are in commands/."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

import click

from gotcha_lint import __version__
from gotcha_lint.output import terminal
from gotcha_sanitizer import commands
from gotcha_sanitizer.run.record import BadRecord

CLEAN, FOUND, USAGE, INTERNAL = 0, 1, 2, 3
EPILOG = """\b
Exit codes: 0 no problem, 1 what was asked for failed (findings with --fail-on, more
compiles with --fail-on-more, doctor), 2 usage or an unreadable file, 3 internal error; `run` ends
as the program does.
Without a command line: GOTCHA_SANITIZE=1 python train.py"""


class _Commands(click.Group):
    """The modules of commands/, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in commands.names() if self.get_command(ctx, name) is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in commands.names():
            return None
        module = import_module(f"{commands.__name__}.{cmd_name.replace('-', '_')}")
        return getattr(module, "command", None)


@click.command(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG
)
@click.version_option(
    __version__, "--version", "-V", prog_name="gotcha-sanitize", message="%(prog)s %(version)s"
)
def command() -> None:
    """Run a JAX program with the sanitizer, and look at what it recorded."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code; no exception leaves it but SystemExit."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        code = command.main(args, prog_name="gotcha-sanitize", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else CLEAN
    except click.ClickException as error:
        _error(error.format_message())
    except BadRecord as error:
        _error(str(error))
    except BrokenPipeError:
        terminal.close_quietly()
        return FOUND
    except (KeyboardInterrupt, click.Abort):
        terminal.note("interrupted")
        return 130
    except Exception as error:
        import traceback

        traceback.print_exc()
        _error(f"internal error: {type(error).__name__}: {error}")
        return INTERNAL
    return USAGE


def _error(text: str) -> None:
    terminal.note(f"gotcha-sanitize: {text}")


if __name__ == "__main__":
    raise SystemExit(main())
