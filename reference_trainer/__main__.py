"""`python -m reference_trainer train|eval|sample|export|plot`."""

from __future__ import annotations

import argparse
import difflib
import errno
import importlib
import re
import sys
from collections.abc import Sequence

from reference_trainer.config import UserError

COMMANDS = {
    "train": "train a model; the same command goes on with a run that was stopped",
    "eval": "held-out loss of a checkpoint, beside the baselines",
    "sample": "text from a checkpoint",
    "export": "write a checkpoint's forward function, to be run without this code",
    "plot": "draw the losses of a run, also of one that is going on",
}

EXIT_CODES = (
    "exit codes: 0 done (also after SIGTERM, with a checkpoint); 1 the run failed (not finite, out "
    "of memory, disk full, another process lost); 2 a mistake in the command, the configuration, "
    "the data or a checkpoint"
)
OUT_OF_MEMORY = (
    "out of memory: set data.batch=0 (as many rows as fit), optimizer.accumulate, "
    "compute.remat=full, compute.loss_chunk or run.parallel=fsdp"
)


FULL = (
    "the disk is full: make room and give the same command again; checkpoints that were saved are "
    "whole"
)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="reference_trainer", epilog=EXIT_CODES)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen = next((a for a in (sys.argv[1:] if argv is None else argv) if a in COMMANDS), None)
    for name, words in COMMANDS.items():
        command = commands.add_parser(name, help=words, description=words)
        if name == chosen:  # the others are not imported
            importlib.import_module(f"reference_trainer.commands.{name}").options(command)
    args, more = parser.parse_known_args(argv)
    sys.unraisablehook = _report
    settings = [text for text in more if "=" in text and not text.startswith("-")]
    if len(settings) < len(more) or (more and args.command != "train"):
        known = re.findall(r"--[\w-]+", commands.choices[args.command].format_help())
        parser.error("not understood: " + " ".join(text + meant(text, known) for text in more))
    args.settings = [*getattr(args, "settings", []), *settings]  # argparse stops at an option
    run = importlib.import_module(f"reference_trainer.commands.{args.command}").run
    try:
        return run(args)
    except UserError as error:
        print(f"reference_trainer: {error}", file=sys.stderr)
        return error.code
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == "reference_trainer":
            raise
        how = "pip install '.[trainer]' in a checkout"
        print(f"reference_trainer: {package} is not installed: {how}", file=sys.stderr)
        return 2
    except OSError as error:
        full = error.errno == errno.ENOSPC
        words = FULL if full else f"{error.filename or error}: {error.strerror}"
        print(f"reference_trainer: {words}", file=sys.stderr)
        return 1 if full else 2
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        print(f"reference_trainer: {OUT_OF_MEMORY}\n{str(error)[:300]}", file=sys.stderr)
        return 1


def _report(found: sys.UnraisableHookArgs) -> None:
    """As Python reports an error in a thread of C++, but for one: threads that still write when a
    save has failed, as on a full disk, find its event loop closed. The failure itself is raised.
    """
    if not (isinstance(found.exc_value, RuntimeError) and "loop is closed" in str(found.exc_value)):
        sys.__unraisablehook__(found)


def meant(text: str, known: Sequence[str]) -> str:
    """The option that was probably meant, as words to add to an error; else nothing."""
    near = difflib.get_close_matches(text.partition("=")[0], known, n=1)
    return f"; did you mean {near[0]!r}?" if near and text.startswith("-") else ""


if __name__ == "__main__":
    raise SystemExit(main())
