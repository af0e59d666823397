from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.methods import is_stateless
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import last_word, source_of, walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.optax import RESTORES
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import Example, Report, Rule

# What a training state has and a dict has not.
_FIELDS = frozenset(
    ["params", "opt_state", "step", "tx", "apply_fn", "apply_gradients", "batch_stats", "replace"]
)
_MAKERS = frozenset({"replace", "_replace", "create"})
_PLACES = frozenset({"directory", "step"})  # what says where, not what
_UPDATE = "optax.GradientTransformation.update"
_STEPS = 6


class OrbaxRestoreWithoutTarget(Rule):
    """Restores a training state with Orbax without a target, and uses it as the state it was.

    ## What happens
    Orbax stores arrays and names, no types: without a target, NamedTuples and dataclasses come back
    as dicts, tuples as lists. The next update fails with `AttributeError: 'dict' object has no
    attribute 'mu'`, a `TrainState` with `'dict' object has no attribute 'params'`.

    ## Instead
    Give the structure: `checkpointer.restore(path, jax.eval_shape(lambda: state))`, for a manager
    `manager.restore(step, args=ocp.args.StandardRestore(target))`.

    ## Not reported
    Results of which only dicts, lists and arrays are used; those that go through other functions
    first. Optimizers without a state, like plain `optax.sgd`, do not mind.

    ## In a run
    `gotcha-lint --explain-error` explains the error; the sanitizer does not look at files.

    ## References
    https://orbax.readthedocs.io/en/latest/guides/checkpoint/orbax_checkpoint_101.html
    """

    severity = "error"
    preview = True
    roots = frozenset({"orbax"})
    examples = (
        Example(
            bad="""
                import tempfile

                import jax.numpy as jnp
                import optax
                import orbax.checkpoint as ocp

                params = {"w": jnp.ones(3)}
                tx = optax.adam(1e-3)
                state = {"params": params, "opt_state": tx.init(params)}
                path = tempfile.mkdtemp() + "/state"

                with ocp.StandardCheckpointer() as checkpointer:
                    checkpointer.save(path, state)
                    checkpointer.wait_until_finished()
                    restored = checkpointer.restore(path)

                opt_state = restored["opt_state"]
                updates, opt_state = tx.update(params, opt_state)  # ! orbax-restore-without-target
            """,
            good="""
                import tempfile

                import jax.numpy as jnp
                import optax
                import orbax.checkpoint as ocp

                params = {"w": jnp.ones(3)}
                tx = optax.adam(1e-3)
                state = {"params": params, "opt_state": tx.init(params)}
                path = tempfile.mkdtemp() + "/state"

                with ocp.StandardCheckpointer() as checkpointer:
                    checkpointer.save(path, state)
                    checkpointer.wait_until_finished()
                    restored = checkpointer.restore(path, state)

                opt_state = restored["opt_state"]
                updates, opt_state = tx.update(params, opt_state)
            """,
            raises="'dict' object has no attribute 'mu'",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if is_test(site.model.path) or not any(_is_bare(site, call) for call in site.of(Call)):
            return
        for node, flowing, attribute in _uses(site):
            restored = _restored(site, node, flowing)
            if restored is None or expected_to_fail(site, node):
                continue
            if attribute and restored.name.endswith("Manager.restore"):
                continue  # of several items, a manager gives an object with attributes
            yield Report(
                node,
                f"`{source_of(node, 40)}` was restored without a target: it is made of dicts and "
                "lists, not of the types that were saved; give `restore` the structure, by "
                "`jax.eval_shape`",
                places=((restored.node, "restored here"),),
            )


def _uses(body: Body) -> Iterator[tuple[cst.BaseExpression, Flowing, bool]]:
    """Expressions that have to be typed states, and whether an attribute is what asks for it."""
    for call in body.of(Call):
        state = _given_state(call)
        if state is not None:
            yield state, Flowing(body, call.at), False
    whole = Flowing(body)
    for node in walk(body.function.node, into_functions=False):
        if isinstance(node, cst.Attribute) and node.attr.value in _FIELDS:
            yield node.value, whole, True


def _given_state(call: Call) -> cst.BaseExpression | None:
    """What an optimizer is given as its state, or a training state as the optimizer's."""
    if call.name == _UPDATE:
        stateless = call.base is not None and is_stateless(call.base)
        return None if stateless else call.arg_node(1, "state")
    makes = call.callee.kind is Kind.CLASS or last_word(call.node.func) in _MAKERS
    return call.arg_node(-1, "opt_state") if makes else None


def _restored(body: Body, node: cst.CSTNode, flowing: Flowing) -> Call | None:
    """The call that restored what an expression is, or is a part of."""
    for _ in range(_STEPS):
        if isinstance(node, cst.Subscript):
            node = node.value
            continue
        source, flowing = flowing.origin(node)
        if source is node:
            break
        node = source
    call = body.call_of(node)
    return call if call is not None and _is_bare(body, call) else None


def _is_bare(body: Body, call: Call) -> bool:
    """`restore(path)`, `restore(step, args=StandardRestore())`: nothing tells the types."""
    if call.name not in RESTORES or call.starred:
        return False
    plain = [arg for arg in call.node.args if arg.keyword is None]
    named = {arg.keyword.value: arg.value for arg in call.node.args if arg.keyword is not None}
    kind = body.call_of(named.pop("args", None))
    told = "args" in call.kwargs and (kind is None or bool(kind.node.args))
    return not told and len(plain) <= 1 and named.keys() <= _PLACES
