"""The options of a run: what `GOTCHA_SANITIZE` and `GOTCHA_OPTIONS` may set."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Options:
    """What the user may set. A problem is told, and the program runs on with the default."""

    checks: tuple[str, ...] = ()  # names; none means all that are on by default
    fail_on: tuple[str, ...] = ()  # names, causes (`recompile/shape`) or severities
    exitcode: int = 0  # the process ends with it when a finding of `fail_on` was made
    abort_on: tuple[str, ...] = ()  # as fail_on: such a finding ends the program at once
    warmup: int = 1  # compiles of one function that are not reported at once
    min_const_bytes: int = 10**6  # constants that are smaller, all copies counted, are notes
    suppressions: str = ""  # a file of `name:glob[:reason]` lines
    log_path: str = ""  # JSONL; %p is the process id
    log_size: int = 64 * 2**20  # bytes of the record; then it is folded into its sums
    html: str = ""  # the page, written at exit; %p as above
    quiet: bool = False  # no report on standard error
    color: str = "auto"  # auto, always, never
    max_lines: int = 50  # of the report at exit: a screenful
    redact: bool = False  # no source lines, no values
    training: bool = False  # looks at the values of training steps, which takes time
    guard: int = 0  # steps that captured functions are evaluated again under JAX's own checks
    hosts: str = ""  # a folder that all hosts share; else the store of jax.distributed is used
    slow_wait: float = 60.0  # seconds after which a host that waits for others is spoken of
    slow_compile: float = 30.0  # seconds after which a running compile is spoken of
    problems: tuple[str, ...] = field(default=(), compare=False)
