from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.queries.stale import names_read
from gotcha_lint.rule import Example, Report, Rule

_HASHED = frozenset({"__hash__", "__eq__"})
_PYTREES = (
    "flax.nnx.Module",
    "flax.nnx.Pytree",
    "equinox.Module",
    "flax.linen.Module",
    "haiku.Module",
    "flax.struct.PyTreeNode",
    "typing.NamedTuple",
    "enum.Enum",
)


class ParameterIgnoredForSelf(Rule):
    """A traced method takes `x`, never reads it, and reads `self.x` instead.

    ## What happens
    Callers pass the current value; the program has the one that `self.x` had when it was traced,
    baked in as a constant. Nothing fails: an evaluation keeps reporting the first weights.

    ## In a run
    Of this example nothing: which of two numbers a program should have read, no run can tell. Where
    the attribute changes after the trace, the old value is reported.

    ## Instead
    Read the parameter.
    """

    severity = "error"
    preview = True
    confirmed_by = (("stale-capture", "self"),)
    examples = (
        Example(
            bad="""
                from functools import partial

                import jax


                class Model:
                    def __init__(self):
                        self.scale = 2.0

                    @partial(jax.jit, static_argnums=0)
                    def apply(self, scale, x):
                        return self.scale * x  # ! parameter-ignored-for-self


                result = Model().apply(5.0, 1.0)
            """,
            good="""
                from functools import partial

                import jax


                class Model:
                    def __init__(self):
                        self.scale = 2.0

                    @partial(jax.jit, static_argnums=0)
                    def apply(self, scale, x):
                        return scale * x


                result = Model().apply(5.0, 1.0)
            """,
            shows="float(result) == 2.0",
        ),
    )

    def check(self, body: Body) -> Iterator[Report]:
        function = body.function
        if body.trace is None or not function.is_method or len(function.params) < 2:
            return
        if not _is_hashed_by_identity(body):
            return
        params = [p.name for p in function.params[1:] if not p.name.startswith("_")]
        own = list(_own_attributes(function))
        if not own:
            return
        unread = set(params) - {name.value for name in names_read(function.node)}
        for name, node in dict(own).items():
            if name in unread:
                yield Report(
                    node,
                    f"`{function.name}` ignores its parameter `{name}` and reads `self.{name}`, "
                    f"whose value is fixed when it is traced",
                    why_traced=True,
                )
                unread.discard(name)
        for name in sorted(unread & _differentiated(body)):
            attribute, node = own[0]
            yield Report(
                node,
                f"`{function.name}` is differentiated by `{name}`, which it never reads: its "
                f"gradient is 0; it reads `self.{attribute}`",
                why_traced=True,
            )


def _differentiated(body: Body) -> frozenset[str]:
    """The parameters that a `jax.grad` of this very function is taken of."""
    trace = body.trace
    if trace is None or trace.soft or not trace.direct or not trace.known:
        return frozenset()
    role = trace.chain[-1][1].partition(" of ")[0]
    return (trace.wrt or frozenset()) if role in GRADS else frozenset()


def _is_hashed_by_identity(body: Body) -> bool:
    """A plain class: no pytree, no hash of its own."""
    cls, project = body.function.cls, body.project
    if project is None or cls is None:
        return False
    own = project.ancestors((body.model.path, cls.number))[0]
    methods = {method for each in own for method in project.cls(each).methods}
    registered = project.is_a(own[0], *_PYTREES) or project.decorators(own[0])
    return methods.isdisjoint(_HASHED) and not registered


def _own_attributes(function: Function) -> Iterator[tuple[str, cst.Attribute]]:
    """Reads of `self.x`, not calls of methods; functions that are nested in it included."""
    nodes = list(walk(function.node))
    others = {id(node.func) for node in nodes if isinstance(node, cst.Call)}
    others |= {id(n.target) for n in nodes if isinstance(n, cst.AssignTarget | cst.AugAssign)}
    for node in nodes:
        if isinstance(node, cst.Attribute) and id(node) not in others:
            base = node.value
            if isinstance(base, cst.Name) and base.value == function.self_name:
                yield node.attr.value, node
