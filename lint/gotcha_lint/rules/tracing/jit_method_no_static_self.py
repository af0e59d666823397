from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import dotted, last_word, walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.classes import is_plain
from gotcha_lint.queries.jitted import is_own_jit
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.rule_helpers.wording import called, lines_of, variations
from gotcha_lint.solve.programs import Programs

_BOUNDARIES = frozenset({"jit", "pmap", "nnx.jit"})
_INNER = frozenset({"jit", "pmap", "grad", "value_and_grad", "vmap", "checkpoint", "inline"})
# Decorators over the jitted method that hand `self` on.
_OVER = frozenset({"classmethod", "property", "override", "abstractmethod", "cached_property"})


class JitMethodNoStaticSelf(Rule):
    """Decorates a method with `jax.jit`, so that `self` is an argument.

    ## What happens
    `TypeError: Error interpreting argument to <function Model.predict at 0x...> as an abstract
    array. The problematic value is of type <class 'Model'> and was passed to the function at path
    self.` The arguments of a jitted function are arrays, or trees of them, and an ordinary object
    is neither.

    ## Instead
    Jit a function of the arrays that it needs, or register the class as a pytree
    (`jax.tree_util.register_dataclass`). `static_argnums=0` removes the error and brings a worse
    fault: attributes are read once, see `stale-self`.

    ## Not reported
    Classes that are pytrees (Equinox, Flax NNX, `flax.struct`, registered ones) or may be: those
    with a base, a metaclass or a decorator that is not known. Static methods.

    ## References
    https://docs.jax.dev/en/latest/faq.html
    """

    severity = "error"
    roots = frozenset({"jit", "pmap"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                class Model:
                    def __init__(self):
                        self.w = jnp.ones(3)

                    @jax.jit  # ! jit-method-no-static-self
                    def predict(self, batch):
                        return batch @ self.w


                Model().predict(jnp.ones((4, 3)))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def predict(w, batch):
                    return batch @ w


                class Model:
                    def __init__(self):
                        self.w = jnp.ones(3)

                    def predict(self, batch):
                        return predict(self.w, batch)


                Model().predict(jnp.ones((4, 3)))
            """,
            raises="as an abstract array",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        method, project = _jitted_method(site), site.body.project
        if method is None or project is None or is_test(site.body.model.path):
            return
        cls = method.cls
        assert cls is not None
        path = site.body.model.path
        if _takes_an_object(project, path, method) and is_plain(
            project, site.body.model, (path, cls.number)
        ):
            yield Report(
                site.node,
                f"`{method.name}` is jitted with `{method.self_name}` as an argument, and an "
                f"object of `{cls.name}` is neither an array nor a pytree: each call raises "
                "TypeError",
            )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row, variation in variations(programs, "no tree"):
            function, call = row.function, variation.call
            if function is not None and call.span[1] != call.span[3]:  # a call that is written out
                yield Foreseen(
                    (function.path, (function.line, 1, function.line, 1)),
                    f"`self` is an argument of the jitted method {called(function)}, and its class "
                    "is not a pytree: the call raises; jit a function of the arrays",
                    variation.places,
                    variation.certain,
                    about=lines_of(function),
                )


def _jitted_method(site: Call) -> Function | None:
    """The method that this jit is given, with its object among what is traced."""
    if not (site.callee.kind is Kind.NAMED or is_own_jit(site)):
        return None
    via = site.result.via[-1] if site.result.via else None
    if via is None or via.name not in _BOUNDARIES or not via.known or via.filtered:
        return None
    method = _under_it(site) if site.decorator else _of_the_class(site)
    if method is None or not method.self_name or method.params[0].kind != "positional":
        return None
    positional = sum(param.kind == "positional" for param in method.params)
    fixed = method.self_name in via.static_names or not {0, -positional}.isdisjoint(via.static_nums)
    return None if fixed else method


def _under_it(site: Call) -> Function | None:
    """`@jax.jit` over a method."""
    function = site.arg(0)
    if function is None or function.kind is not Kind.FUNCTION or len(function.targets) != 1:
        return None
    if function.maybe or function.bound or any(v.name not in _INNER for v in function.via):
        return None
    path, number = next(iter(function.targets))
    if path != site.body.model.path:
        return None
    method = site.body.model.functions[number]
    return method if _reaches_the_object(site, method) else None


def _of_the_class(site: Call) -> Function | None:
    """`predict = jax.jit(predict)` in the class itself."""
    match site.at.statement:
        case cst.SimpleStatementLine(
            body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name())], value=value)]
        ) if value is site.node:
            name = dotted(site.arg_node(0, "fun", "f"))
        case _:
            return None
    for cls in site.body.model.classes:
        block = cls.node.body
        if isinstance(block, cst.IndentedBlock) and site.at.statement in block.body:
            method = cls.methods.get(name or "")
            node = method.node if method is not None else None
            plain = isinstance(node, cst.FunctionDef) and not node.decorators
            return method if plain else None
    return None


def _reaches_the_object(site: Call, method: Function) -> bool:
    """No decorator stands over it that may fill `self` in."""
    assert isinstance(method.node, cst.FunctionDef)
    mine = site.body.model.stand_ins.get(id(site.node))
    over: list[str] = []
    for decorator in method.node.decorators:
        if decorator is mine:
            return set(over) <= _OVER
        over.append(last_word(decorator.decorator))
    return False


def _takes_an_object(project: Project, path: str, method: Function) -> bool:
    """Called `self`, or asked for what the class defines: not a function in a namespace."""
    cls, own = method.cls, method.self_name
    assert cls is not None
    if own == "self":
        return True
    ancestors = project.ancestors((path, cls.number))[0]
    defined = {
        name for one in ancestors for name in (*project.cls(one).methods, *project.cls(one).fields)
    }
    return any(
        isinstance(node, cst.Attribute) and dotted(node.value) == own and node.attr.value in defined
        for node in walk(method.node)
    )
