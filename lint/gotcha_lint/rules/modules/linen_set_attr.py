from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.results import LINEN
from gotcha_lint.analysis.sites import Body, Store
from gotcha_lint.analysis.syntax import dotted, walk
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import Example, Report, Rule

# While these run, a module is not frozen yet.
_OPEN = frozenset({"setup", "__post_init__", "__init__", "__setattr__", "__setstate__", "__new__"})


class LinenSetAttr(Rule):
    """Assigns to an attribute of a Linen module outside of `setup`.

    ## What happens
    `SetAttributeFrozenModuleError: Can't set hidden=[[-1.2183008  0.6848242] ...] for Module of
    type Model: Module instance is frozen outside of setup method.` A module is a description; what
    a call computes is returned, or kept in a collection of variables.

    ## Instead
    Return the value; or `self.sow("intermediates", "hidden", hidden)`, or a `self.variable(...)`.

    ## Not reported
    `setup` and `__post_init__`, and what they call. Methods that neither are `__call__` or
    `@nn.compact` nor are called there: on a module that is not bound they may assign. Assignments
    to what `self.variable` gave (`self.mean.value = ...`), and by `object.__setattr__`.
    """

    severity = "error"
    roots = frozenset({"linen"})
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        self.hidden = nn.Dense(2)(x)  # ! linen-set-attr
                        return nn.relu(self.hidden)


                variables = Model().init(jax.random.key(0), jnp.ones((4, 3)))
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        hidden = nn.Dense(2)(x)
                        self.sow("intermediates", "hidden", hidden)
                        return nn.relu(hidden)


                variables = Model().init(jax.random.key(0), jnp.ones((4, 3)))
            """,
            raises="SetAttributeFrozenModuleError",
        ),
    )

    def check(self, site: Store) -> Iterator[Report]:
        function, project, target = site.body.function, site.body.project, site.node
        if function.cls is None or project is None or not isinstance(target, cst.Attribute):
            return
        cid = (site.body.model.path, function.cls.number)
        own = function.self_name
        if not own or dotted(target.value) != own or not project.is_a(cid, LINEN):
            return
        if _is_open(site.body) or _has_setter(site.body, target.attr.value):
            return
        if not expected_to_fail(site.body, target):
            yield Report(
                target,
                f"a Linen module is frozen outside of `setup`: `{own}.{target.attr.value} = ...` "
                f"in `{function.name}` raises; return the value, or keep it in a variable",
            )


def _is_open(body: Body) -> bool:
    """Set-up code, or a method that may run before the module is bound to its variables."""
    function, project = body.function, body.project
    assert function.cls is not None and project is not None
    classes = project.ancestors((body.model.path, function.cls.number))[0]
    if any(path != body.model.path for path, _ in classes) or _decorated(body):
        return True
    methods = [m for _, number in classes for m in body.model.classes[number].methods.values()]
    if any(m.name == "__setattr__" for m in methods) or function.name in _OPEN:
        return True
    before = [m for m in methods if m.name in _OPEN]
    inside = [m for m in methods if _is_bound(m)]
    if any(function.name in _own_calls(m) for m in before):
        return True
    return not _is_bound(function) and not any(function.name in _own_calls(m) for m in inside)


def _is_bound(method: Function) -> bool:
    compact = method.has_decorator("compact", "nn.compact", "linen.compact", "flax.linen.compact")
    return method.name == "__call__" or compact


def _own_calls(method: Function) -> set[str]:
    """The attributes that a method names."""
    nodes = walk(method.node)
    return {node.attr.value for node in nodes if isinstance(node, cst.Attribute)}


def _decorated(body: Body) -> bool:
    """By something that may hand in another `self`: only `compact` and `nowrap` are known."""
    node = body.function.node
    if not isinstance(node, cst.FunctionDef):
        return True
    words = [(dotted(d.decorator) or "?").rpartition(".")[2] for d in node.decorators]
    return any(word not in ("compact", "jit", "remat", "checkpoint") for word in words)


def _has_setter(body: Body, name: str) -> bool:
    """A property of the class: what its setter does is not a new attribute."""
    cls = body.function.cls
    return cls is not None and name in cls.methods
