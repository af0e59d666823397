from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import literal
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.remat import LIFTED, LIFTED_STATIC
from gotcha_lint.queries.constants import written
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, text_of

_LAST = -1


class RematNegativeStatic(Rule):
    """Gives `nn.remat` of Flax the static argument -1, which is not the last one.

    ## What happens
    The last argument stays traced: `TracerBoolConversionError` where the layer branches on it, as
    `nn.Dropout` does on `deterministic` once its rate is not 0. Flax subtracts 1 for `self`, and
    puts the variables and the random keys before the arguments: -1 becomes the variables, and -2
    the last argument. Where nothing branches on it, -1 does nothing at all.

    ## Instead
    The position, counted from `self`, which is 0: `static_argnums=(2,)` for `train` of
    `__call__(self, x, train)`, and `train` given by position.

    ## Not reported
    -1 together with -2, which does name the last argument. `jax.checkpoint` and `nnx.remat`, where
    -1 is the last argument.

    ## In a run
    Nothing: it fails while it is traced, or it does nothing.
    """

    severity = "warning"
    roots = frozenset({"remat", "checkpoint"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn


                class Block(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        return nn.Dropout(0.1)(nn.Dense(4)(x), deterministic=not train)


                block = nn.remat(Block, static_argnums=(-1,))()  # ! remat-negative-static
                variables = block.init(jax.random.key(0), jnp.ones((2, 4)), False)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn


                class Block(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        return nn.Dropout(0.1)(nn.Dense(4)(x), deterministic=not train)


                block = nn.remat(Block, static_argnums=(2,))()
                variables = block.init(jax.random.key(0), jnp.ones((2, 4)), False)
            """,
            raises="TracerBoolConversionError",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        node = _static(site)
        numbers = _numbers(site, node) if node is not None else ()
        if node is None or _LAST not in numbers or _LAST - 1 in numbers:
            return
        if not expected_to_fail(site.body, site.node):
            yield Report(
                node,
                "-1 is not the last argument here, because Flax adds variables and keys: the last "
                "argument stays traced; give its position, where `self` is 0",
                _fix(site, node),
            )


def _static(site: Call) -> cst.BaseExpression | None:
    """What `nn.remat(Block, static_argnums=...)` is given, or `partial(nn.remat, ...)`."""
    if site.name in LIFTED:
        return site.arg_node(LIFTED_STATIC, "static_argnums")
    lifted = site.arg(0) if site.name == "functools.partial" else None
    if lifted is None or lifted.kind is not Kind.NAMED or lifted.of not in LIFTED:
        return None
    return site.arg_node(-1, "static_argnums")


def _numbers(site: Call, node: cst.BaseExpression) -> tuple[object, ...]:
    """As they are written here, or where the name is given its value; a list is an error of JAX."""
    found = written(site, node)
    given = literal(found) if not isinstance(found, cst.List) else None
    return given if isinstance(given, tuple) else (given,)


def _fix(site: Call, node: cst.BaseExpression) -> Rewrite | None:
    """The position of the last argument; a call that gives it by its name has to change too."""
    call = _call_method(site)
    last = len(call.params) - 1 if call is not None else 0
    if call is None or last < 1 or any(param.kind != "positional" for param in call.params):
        return None
    written = [part.value for part in node.elements] if isinstance(node, cst.Tuple) else [node]
    change = [Change(part, text=str(last)) for part in written if text_of(part) == str(_LAST)]
    return Rewrite("name the last argument", tuple(change), safe=False) if change else None


def _call_method(site: Call) -> Function | None:
    """`__call__` of a class of this file, if it is what is wrapped."""
    project, path = site.body.project, site.body.model.path
    wrapped = site.arg(0, "target")
    if project is None or wrapped is None or wrapped.cls is None or "methods" in site.kwargs:
        return None
    method = project.method(wrapped.cls, "__call__")
    return site.body.model.functions[method[1]] if method and method[0] == path else None
