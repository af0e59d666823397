from collections.abc import Iterator
from math import prod

from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.queries.jitted import jitted_here
from gotcha_lint.queries.places import is_test
from gotcha_lint.rule import Example, Report, Rule

_LOADED = frozenset(
    [
        "numpy.load",
        "numpy.loadtxt",
        "numpy.genfromtxt",
        "numpy.fromfile",
        "numpy.memmap",
        "jax.numpy.load",
        "scipy.io.loadmat",
    ]
)
_SHAPE_AT = {
    "zeros": 0,
    "ones": 0,
    "full": 0,
    "empty": 0,
    "normal": 1,
    "uniform": 1,
    "randint": 1,
    "rand": 0,
}
_LARGE = 1 << 18  # elements: 1 MB of float32


class LargeConstantCaptured(Rule):
    """Captures a large array in a jitted function: it is baked into the program.

    ## What happens
    A captured array is a constant of the traced program, of the text that is compiled, and of the
    executable, once per compiled shape: a table of 67 MB made 134 MB of program text and compiled
    in 0.55 s instead of 0.007 s. JAX warns of it only above 2 GB
    (`jax_captured_constants_warn_bytes`).

    ## Instead
    Pass the array as an argument: it stays where it is, and is not copied.

    ## Not reported
    Small arrays, and arrays whose size is not known.
    """

    roots = frozenset({"jit", "pmap", "shard_map"})
    confirmed_by = (("large-constant-captured", ""),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                table = jnp.zeros((1024, 1024))


                @jax.jit
                def look_up(i):
                    return table[i]  # ! large-constant-captured


                size = len(look_up.lower(0).as_text())
            """,
            good="""
                import jax
                import jax.numpy as jnp

                table = jnp.zeros((1024, 1024))


                @jax.jit
                def look_up(table, i):
                    return table[i]


                size = len(look_up.lower(table, 0).as_text())
            """,
            unseen="zeros are compressed in the program's text; random numbers would make it slow",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        via, function = site.result.via[-1:], jitted_here(site)
        if function is None or is_test(site.body):
            return
        for name, use in function.captured.items():
            binds = [bind for bind in site.body.of(Bind) if bind.name == name]
            if len(binds) == 1 and (why := _large(binds[0])):
                yield Report(
                    use,
                    f"`{name}` ({why}) is captured by `{function.name}`: it becomes a constant of "
                    f"every program compiled from it; pass it as an argument",
                    places=((site.node, f"`{function.name}` is given to `{via[0].name}` here"),),
                )


def _large(bind: Bind) -> str:
    """Why the array is large, as far as its origin shows."""
    call = bind.body.call_of(bind.source)
    if call is None or bind.value.kind not in (Kind.ARRAY, Kind.HOST):
        return ""
    if call.name in _LOADED:
        return f"from `{call.name}`"
    if call.name in ("jax.device_put", "jax.numpy.asarray", "jax.numpy.array") and call.args:
        inner = call.body.call_of(call.node.args[0].value) if call.node.args else None
        return f"from `{inner.name}`" if inner is not None and inner.name in _LOADED else ""
    position = _SHAPE_AT.get(call.name.rpartition(".")[2])
    count = _count(call.arg(position, "shape", "size")) if position is not None else 0
    return f"{count:,} elements" if count >= _LARGE else ""


def _count(shape: Value | None) -> int:
    literal = shape.literal if shape is not None else None
    sizes = literal if isinstance(literal, tuple) else (literal,)
    known = [size for size in sizes if isinstance(size, int)]
    return prod(known) if len(known) == len(sizes) else 0
