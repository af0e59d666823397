"""Where numbers of more than 32 bits come from."""

from __future__ import annotations

LIBRARIES: set[str] = set()

BITS = 32
# Functions whose numbers are that long; True: if their argument asks for so many bits.
LONG = {
    "time.time_ns": False,
    "time.monotonic_ns": False,
    "time.perf_counter_ns": False,
    "random.getrandbits": True,
    "secrets.randbits": True,
}
# What keeps a number as long as it is.
SHORTENS = frozenset({"builtins.int", "builtins.abs"})
# Attributes of `uuid.UUID`.
LONG_ATTRIBUTES = ("int",)
