from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.events import Effect
from gotcha_lint.interpret.layers.linen import NESTED, ONE_COLLECTION, STATISTICS
from gotcha_lint.program.data_flow import argument_of_call, steps_of, words_of
from gotcha_lint.program.ir import Function, Span
from gotcha_lint.rule import HERE, Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree


class LinenApplyParams(Rule):
    """Gives `apply` of a linen module the bare parameters, or these alone where it has statistics.

    ## What happens
    `init` gives `{"params": {...}}`, and `apply` wants the same. Without the outer dict
    `ScopeCollectionNotFound: Tried to access "kernel" from collection "params" in "/Dense_0" but
    the collection is empty.`, for a single layer `ApplyScopeInvalidVariablesTypeError`. With one
    too many `ApplyScopeInvalidVariablesStructureError: Expect the `variables` (first argument)
    passed to apply() to be a dict with the structure {"params": ...}, but got a dict with an extra
    params layer`. A batch norm keeps its averages in another collection: with the parameters alone
    `Tried to access "mean" from collection "batch_stats" in "/BatchNorm_0" but the collection is
    empty`, in evaluation as in training.

    ## Instead
    Keep one of both, and wrap where it is needed: `params = model.init(key, x)["params"]`, then
    `model.apply({"params": params}, x)`; with batch norms
    `{"params": params, "batch_stats": batch_stats}`.

    ## Not reported
    Trees that do not come from `init` of a model that is known, and `apply` of other objects: a
    wrapper may add the dict itself.

    ## In a run
    JAX's own message says it; the sanitizer and `gotcha-lint --explain-error` add the cure.
    """

    severity = "error"
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
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        return nn.BatchNorm(use_running_average=not train)(nn.Dense(2)(x))


                model = Model()
                x = jnp.ones((1, 3))
                variables = model.init(jax.random.key(0), x, train=False)
                params, batch_stats = variables["params"], variables["batch_stats"]
                y = model.apply({"params": params}, x, train=False)  # ! linen-apply-params
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        return nn.BatchNorm(use_running_average=not train)(nn.Dense(2)(x))


                model = Model()
                x = jnp.ones((1, 3))
                variables = model.init(jax.random.key(0), x, train=False)
                params, batch_stats = variables["params"], variables["batch_stats"]
                y = model.apply({"params": params, "batch_stats": batch_stats}, x, train=False)
            """,
            raises='Tried to access "mean" from collection "batch_stats"',
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for effect in programs.effects["apply"].values():
            found = argument_of_call(effect.within, effect.span, 0, "variables")
            span, callee = found or (effect.span, None)
            word = words_of(effect.within, callee[1]) if callee is not None else ""
            if effect.what == ONE_COLLECTION:
                message = (
                    f"`{HERE}` is one collection, but `{word or 'apply'}` expects all variables: "
                    f'`{{"params": {HERE}}}`'
                )
            elif effect.what == NESTED:
                message = (
                    f"`{_inner(effect.within, span) or HERE}` already is what `init` gave, "
                    "`{'params': ...}`: here it is wrapped once more; give it as it is, or its "
                    "`['params']`"
                )
            elif effect.what == STATISTICS:
                message = (
                    f"a batch norm in this module reads `batch_stats`, and `{HERE}` has none: "
                    'Flax raises; give `"batch_stats"` of the training state, too'
                )
            else:
                continue
            reads = ((*at, "reads them here") for at in effect.origins)
            calls = ((*at, "called here") for at in effect.calls[1:])
            yield Foreseen(
                (effect.path, span),
                message,
                (*reads, *calls),
                certain=not effect.maybe or _is_first(effect),
                hint=effect.what,
            )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        if hint == ONE_COLLECTION:
            changes = (Change(node, before='{"params": ', after="}"),)
            return Rewrite('wrap it in `{"params": ...}`', changes, safe=False)
        match node:
            case cst.Dict(elements=[cst.DictElement(value=inner)]) if hint == NESTED:
                change = Change(node, like=inner)
                return Rewrite("give the variables as they are", (change,), safe=False)
        return None


def _is_first(effect: Effect) -> bool:
    """A loop replaces it by something unknown: in the first iteration it is this for certain."""
    return any(value.unknown and value.marks for value in effect.values)


def _inner(function: Function, span: Span) -> str:
    """What stands under "params", where the dict is written in place."""
    made = {i[1]: i for i in steps_of(function)}
    for i in made.values():
        for key, value in i[2] if i[0] == "dict" and i[-1] == span else ():
            known = made.get(key)
            if known is not None and known[:3:2] == ("const", "params"):
                return words_of(function, value)
    return ""
