"""`python -m gotcha_sanitizer SCRIPT [ARGS...]`, or `-m MODULE [ARGS...]`: see `launch`."""

from __future__ import annotations

import sys

_USAGE = "usage: python -m gotcha_sanitizer (SCRIPT | -m MODULE) [ARGS...]"


def main() -> int:
    if not sys.flags.safe_path:  # `python -m` put the working directory there
        del sys.path[0]
    from gotcha_sanitizer.user.launch import CannotStart, run_module, run_script

    match sys.argv[1:]:
        case ["-h" | "--help"]:
            print(f"{_USAGE}\n\nRuns a program with the sanitizer on; `gotcha-sanitize` has more.")
            return 0
        case ["-m", name, *args]:
            run, what = run_module, name
        case ["--", what, *args]:
            run = run_script
        case [what, *args] if not what.startswith("-"):
            run = run_script
        case _:
            print(_USAGE, file=sys.stderr)
            return 2
    try:
        run(what, args)
    except CannotStart as error:
        print(f"{sys.executable}: {error}", file=sys.stderr)
        return 1 if run is run_module else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
