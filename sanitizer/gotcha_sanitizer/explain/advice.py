"""What to do about each cause of a recompile: one table for reports, pages and the API."""

from __future__ import annotations

from dataclasses import dataclass

from gotcha_sanitizer.values.events import Explained


@dataclass(frozen=True, slots=True)
class Advice:
    """`what` goes before the difference in a message; `fix` says what to do."""

    what: str
    fix: str
    long: str = ""  # for the page, where `what` is not enough

    @property
    def meaning(self) -> str:
        return self.long or self.what


ADVICE: dict[str, Advice] = {
    "new-function": Advice(
        "",
        "make the jitted function once, outside the loop",
        "a function object made again each time: a lambda, a nested function, a partial, a bound "
        "method",
    ),
    "call-style": Advice(
        "arguments given by position, then by name", "call it in the same way everywhere"
    ),
    "static-identity": Advice(
        "a static argument that compares by identity",
        "give its class `__eq__` and `__hash__` (a frozen dataclass has both), or make it once",
    ),
    "static-value": Advice(
        "another static value", "pass it as an ordinary argument, unless it decides shapes"
    ),
    "pytree": Advice(
        "another tree of containers", "keep the keys and types of the containers the same"
    ),
    "pytree-static": Advice(
        "other static data inside an argument",
        "make what the tree holds as static data (functions, optimizers) once, and share it",
    ),
    "shape": Advice("another shape", "pad to a few fixed sizes, with a mask"),
    "dtype": Advice("another dtype", "convert to one dtype before the call"),
    "weak-type": Advice(
        "a Python number where an array was, or the reverse",
        "make it an array of an explicit dtype from the start, as `jnp.zeros((), jnp.float32)`",
    ),
    "sharding": Advice("another sharding", "place the arguments with `jax.device_put` before"),
    "committed": Advice(
        "the same array, placed in another way",
        "place all arguments the same way, with `jax.device_put` or without",
    ),
    "context": Advice("another setting of JAX", "change the setting once, before the first call"),
    "jit-options": Advice("other options of jit", "jit the function once and keep the result"),
    "transform": Advice(
        "evaluated by a transformation outside of jit", "put `jax.jit` around the outermost call"
    ),
    "cache-cleared": Advice(
        "", "clear the caches less often", "JAX no longer had the earlier trace"
    ),
    "unknown": Advice("", "`jax.log_compiles` may tell more", "nothing that the sanitizer can see"),
}


_FILTER = "to `equinox.filter_jit` all that is no array is static"


def advise(explained: Explained) -> str:
    """The cure for the main cause, with the names that it is about."""
    mine = [each for each in explained.differences if each.cause == explained.cause]
    fix = ADVICE[explained.cause].fix
    if explained.cause == "new-function" and not mine[0].renewed:
        names = ", ".join(f"`{each.path}`" for each in mine[:3])
        return f"pass {names} as an argument, and {fix}"
    if explained.cause == "static-value" and "filtered" in explained.program.signature.options:
        return f"pass an array, as `jnp.asarray({mine[0].path})`: {_FILTER}"
    return fix
