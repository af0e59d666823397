from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.results import LINEN
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import literal
from gotcha_lint.analysis.values import COLLECTION, VARIABLES, Kind, Value, under_key
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.linen import is_apply
from gotcha_lint.rule import Change, Example, Foreseen, Report, Rewrite, Rule, text_of
from gotcha_lint.solve.programs import Programs

_LAYER = "flax.module"


class LinenApplyParams(Rule):
    """Gives `apply` of a linen module the bare parameters, or all variables as the parameters.

    ## What happens
    `init` gives `{"params": {...}}`, and `apply` wants the same. Without the outer dict
    `ScopeCollectionNotFound: Tried to access "kernel" from collection "params" in "/Dense_0" but
    the collection is empty.`, for a single layer `ApplyScopeInvalidVariablesTypeError`. With one
    too many `ApplyScopeInvalidVariablesStructureError: Expect the `variables` (first argument)
    passed to apply() to be a dict with the structure {"params": ...}, but got a dict with an extra
    params layer`.

    ## Instead
    Keep one of both, and wrap where it is needed: `params = model.init(key, x)["params"]`, then
    `model.apply({"params": params}, x)`.

    ## Not reported
    Trees that do not come from `init` of a model that is known, those that are one thing here and
    another there, and `apply` of other objects: a wrapper may add the dict itself.

    ## In a run
    JAX's own message says it; the sanitizer and `gotcha-lint --explain-error` add the cure.
    """

    severity = "error"
    roots = frozenset({"apply", "apply_fn"})
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        return nn.Dense(2)(x)


                model = Model()
                x = jnp.ones((1, 3))
                params = model.init(jax.random.key(0), x)["params"]


                def loss(params, x):
                    return model.apply(params, x).mean()  # ! linen-apply-params


                gradients = jax.grad(loss)(params, x)
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        return nn.Dense(2)(x)


                model = Model()
                x = jnp.ones((1, 3))
                params = model.init(jax.random.key(0), x)["params"]


                def loss(params, x):
                    return model.apply({"params": params}, x).mean()


                gradients = jax.grad(loss)(params, x)
            """,
            raises="the collection is empty",
        ),
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        return nn.Dense(2)(x)


                model = Model()
                x = jnp.ones((1, 3))
                params = model.init(jax.random.key(0), x)
                y = model.apply({"params": params}, x)  # ! linen-apply-params
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        return nn.Dense(2)(x)


                model = Model()
                x = jnp.ones((1, 3))
                params = model.init(jax.random.key(0), x)
                y = model.apply(params, x)
            """,
            raises="with an extra params layer",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if not is_apply(site) or not _is_linen(site) or _is_expected(site):
            return
        given, node = site.arg(0, "variables"), site.arg_node(0, "variables")
        if given is None or node is None:
            return
        if given.kind is Kind.TREE and given.of == COLLECTION:
            yield Report(
                node,
                f"`{text_of(node)}` is one collection, but `{text_of(site.node.func)}` expects all "
                f'variables: `{{"params": {text_of(node)}}}`',
                _wrap(node),
            )
        elif _is_nested(given):
            inner = _inner(node)
            word = text_of(inner or node)
            yield Report(
                node,
                f"`{word}` already is what `init` gave, `{{'params': ...}}`: here it is wrapped "
                "once more; give it as it is, or its `['params']`",
                _unwrap(node, inner),
            )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for effect in programs.effects["apply"].values():
            if effect.what == "params":
                yield Foreseen(
                    (effect.path, effect.span),
                    "`apply` gets the parameters alone, but expects all variables: "
                    '`{"params": params}`',
                    certain=not effect.maybe,
                )


def _is_linen(site: Call) -> bool:
    """The method of a linen module, or the `apply` of one that a state was created with."""
    models = site.callee.self_ if site.name.endswith("apply_fn") else (site.base,)
    return bool(models) and all(_is_module(site, model) for model in models)


def _is_module(site: Call, model: Value | None) -> bool:
    project = site.body.project
    if model is None or model.kind is not Kind.OBJECT or project is None:
        return False
    if model.cls is None:
        return model.of == _LAYER
    return project.is_a(model.cls, LINEN) and project.method(model.cls, "apply") is None


def _is_expected(site: Call) -> bool:
    return is_test(site.body.model.path) or expected_to_fail(site.body, site.node)


def _is_nested(given: Value) -> bool:
    """`{"params": variables}`."""
    inner = under_key(given, "params") if given.kind is Kind.LIST else None
    return inner is not None and inner.kind is Kind.TREE and inner.of == VARIABLES


def _inner(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """What stands under "params", where the dict is written in place."""
    for element in node.elements if isinstance(node, cst.Dict) else ():
        if isinstance(element, cst.DictElement) and literal(element.key) == "params":
            return element.value
    return None


def _wrap(node: cst.BaseExpression) -> Rewrite:
    changes = (Change(node, before='{"params": ', after="}"),)
    return Rewrite('wrap it in `{"params": ...}`', changes, safe=False)


def _unwrap(node: cst.BaseExpression, inner: cst.BaseExpression | None) -> Rewrite | None:
    if inner is None or not isinstance(node, cst.Dict) or len(node.elements) > 1:
        return None
    return Rewrite("give the variables as they are", (Change(node, like=inner),), safe=False)
