"""`gotcha-sanitize nan train.py`: as `python train.py`; the first NaN ends it, and is explained."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import FrameType, TracebackType

import click

from gotcha_sanitizer.run import session
from gotcha_sanitizer.user import launch
from gotcha_sanitizer.user.first_nan import NonFinite, first_nan
from gotcha_sanitizer.values.parts import Site

# JAX looks at every result, gives no buffer away, and hands on all frames beside those it shows.
_FLAGS = {"JAX_DEBUG_NANS": "1", "JAX_TRACEBACK_FILTERING": "remove_frames"}


@click.command(
    context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False},
    epilog="All that follows SCRIPT is the program's.",
)
@click.option("-m", "module", is_flag=True, help="SCRIPT is the name of a module, as `python -m`.")
@click.argument("script")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def command(module: bool, script: str, args: tuple[str, ...]) -> int:
    """Run a program, and name what made the first NaN.

    It runs under `jax_debug_nans`: slower, and with nothing donated. The function that returned the
    NaN is then evaluated again, with the arguments of that call, step by step.
    """
    os.environ.update(_FLAGS)
    # The answer comes last and alone: no report below it, and no other name for the exception.
    asked = os.environ.get("GOTCHA_OPTIONS", "")
    os.environ["GOTCHA_OPTIONS"] = f"{asked}:quiet=1"
    if (running := session.current()) is not None:  # GOTCHA_SANITIZE was set for this command too
        running.notices.be_quiet()
    return run_nan(script, args, module)


def run_nan(script: str, args: tuple[str, ...], module: bool = False) -> int:
    """Runs the program here. Exit code: 1 after a NaN, else what the program leaves with."""
    run = launch.run_module if module else launch.run_script
    try:
        run(script, args)
    except launch.CannotStart as error:
        print(f"{sys.executable}: {error}", file=sys.stderr)
        return 1 if module else 2
    except FloatingPointError as error:
        frames = list(_frames(error))
        error.__cause__ = None
        sys.excepthook(type(error), error, error.__traceback__)
        print(f"\n{explanation(frames)}", file=sys.stderr)
        return 1
    print("no NaN came out of a compiled function or an operation", file=sys.stderr)
    return 0


def _frames(error: BaseException) -> Iterator[FrameType]:
    """All frames of an exception, outermost first, with those that JAX takes out."""
    whole = error.__cause__ if type(error.__cause__).__name__ == "UnfilteredStackTrace" else error
    traceback: TracebackType | None = (whole or error).__traceback__
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def explanation(frames: list[FrameType]) -> str:
    """What made the NaN in the outermost call that these frames are in, in words."""
    import jax

    from gotcha_sanitizer.frames import owner, where
    from gotcha_sanitizer.hooks import internals

    call = internals.evaluated(jax, frames)
    if call is None:
        return "which function gave the NaN cannot be seen: its call is not in the traceback"
    jax.config.update("jax_debug_nans", False)
    try:
        found = first_nan(call.fun, *call.args, **call.kwargs)
    except Exception as error:  # deleted buffers, code that cannot run twice
        try:
            found = _of_program(frames)
        except Exception:
            return f"the function could not be evaluated again: {type(error).__name__}: {error}"
    if found is None:
        return "evaluated step by step, the function gives no NaN: only its compiled form does"
    last = next((f for f in reversed(frames) if owner(f.f_code.co_filename) == "user"), None)
    site = where(last).site
    return str(found if _is_users(found) or site is None else _placed(found, site))


def _of_program(frames: list[FrameType]) -> NonFinite | None:
    """The same of the program that JAX has traced: no code of the user's runs again."""
    import jax
    import jax.extend.core  # not imported with jax

    from gotcha_sanitizer.hooks import internals

    program = internals.traced(jax, frames)
    if program is None:
        raise LookupError("no traced program in the traceback")
    return first_nan(program.fun, *program.args)


def _is_users(found: NonFinite) -> bool:
    from gotcha_sanitizer.frames import owner

    return bool(found.argument) or (found.site is not None and owner(found.site.path) == "user")


def _placed(found: NonFinite, site: Site) -> NonFinite:
    """An operation outside of jit: the line is that of the call."""
    return replace(found, site=site, path=())
