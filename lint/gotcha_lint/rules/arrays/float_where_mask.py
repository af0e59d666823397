from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import literal
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.numbers import DEFAULTS, MOVING, NUMBERS, REDUCTIONS
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import Example, Foreseen, Report, Rule, text_of
from gotcha_lint.solve.programs import Programs


class FloatWhereMask(Rule):
    """Gives a mask of numbers as `where=` of a sum, mean or softmax.

    ## What happens
    `ValueError: jnp.sum: where must be None or a boolean array; got
    where.dtype=dtype('float32').` Older releases of JAX took it.

    ## Instead
    The boolean mask itself, `jnp.sum(x, where=lengths > 0)`, or `mask.astype(bool)`. A mean over
    nothing is NaN.

    ## Not reported
    Masks whose type is not seen in the function.
    """

    severity = "error"
    preview = True
    roots = frozenset({"where"})
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                losses = jnp.array([1.0, 2.0, 3.0])
                mask = (jnp.array([4, 0, 2]) > 0).astype(jnp.float32)
                total = jnp.sum(losses, where=mask)  # ! float-where-mask
            """,
            good="""
                import jax.numpy as jnp

                losses = jnp.array([1.0, 2.0, 3.0])
                mask = jnp.array([4, 0, 2]) > 0
                total = jnp.sum(losses, where=mask)
            """,
            raises="where must be None or a boolean array",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if site.name not in REDUCTIONS or "where" not in site.kwargs:
            return
        mask = site.arg_node(-1, "where")
        if mask is None or expected_to_fail(site.body, site.node):
            return
        flowing = Flowing(site.body, site.at)
        made = flowing.origin(mask)[0]
        word = _numbers(flowing, made)
        if word:
            yield Report(
                mask,
                f"`{text_of(mask)}` is of type {word}, but `where=` takes a boolean mask only",
                places=((made, "made here"),) if made is not mask else (),
            )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("float mask"):
            dtype, name = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`{name}` gets a mask of type {dtype}, but `where=` takes a boolean mask only",
                fault.places,
                fault.certain,
            )


def _numbers(flowing: Flowing, node: cst.CSTNode, depth: int = 3) -> str:
    """The type of an array that is surely of numbers; empty where that is not known."""
    node = flowing.resolve(node)
    call = flowing.body.call_of(node)
    if call is None or call.starred or call.decorator or not depth:
        return ""
    last = call.name.rpartition(".")[2]
    if call.name in MOVING:
        func, own = call.node.func, call.name.startswith("array.")
        moved = (
            func.value if own and isinstance(func, cst.Attribute) else call.arg_node(0, "m", "a")
        )
        return _numbers(flowing, moved, depth - 1) if moved is not None else ""
    if call.name == "jax.numpy.where":
        chosen = [literal(call.arg_node(place, name)) for place, name in ((1, "x"), (2, "y"))]
        return next((type(one).__name__ for one in chosen if type(one) is float), "")
    if last == "astype":
        return _type(call, call.arg(0, "dtype"), call.arg_node(0, "dtype"))
    if call.name in NUMBERS:
        return last
    place = DEFAULTS.get(call.name)
    if place is None:
        return ""
    node_ = call.arg_node(place, "dtype")
    if node_ is None and last in ("ones", "zeros"):
        return "float"
    return _type(call, call.arg(place, "dtype"), node_) if node_ is not None else ""


def _type(call: Call, value: Value | None, node: cst.CSTNode | None) -> str:
    """`jnp.float32`, `float`, `"int32"`."""
    if value is not None and value.kind is Kind.NAMED:
        library, _, name = value.of.rpartition(".")
        known = library in ("jax.numpy", "numpy", "builtins")
        return name if known and name.startswith(("float", "bfloat", "int", "uint")) else ""
    text = literal(node)
    known = isinstance(text, str) and text.startswith(("float", "bfloat", "int", "uint"))
    return str(text) if known else ""
