from collections.abc import Iterator

from gotcha_lint.analysis.sites import Body, Call, Discard
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.compared import looks_at_shapes
from gotcha_lint.queries.live import goes_back, is_number
from gotcha_lint.rule import Example, Report, Rule

# Function -> where the target stands among its arguments.
_RESTORES = {
    "flax.serialization.from_bytes": (0, "target"),
    "flax.serialization.from_state_dict": (0, "target"),
    "flax.nnx.replace_by_pure_dict": (0, "state"),
    "flax.training.checkpoints.restore_checkpoint": (1, "target"),
    "orbax.checkpoint.PyTreeCheckpointer.restore": (1, "item"),
}

# Those that are given a dict -> where it stands.
_GIVEN = {
    "flax.serialization.from_state_dict": (1, "state"),
    "flax.nnx.replace_by_pure_dict": (1, "pure_dict"),
}
_IN_PLACE = frozenset({"flax.nnx.replace_by_pure_dict"})


class CheckpointShapesUnchecked(Rule):
    """Loads parameters into a model without looking at their shapes.

    ## What happens
    The stored shapes win silently, and the stored dtypes too: a checkpoint of a model with other
    sizes loads without an error, and layers that the target lacks are dropped. The program runs
    with another model than it was written for, or fails far away with a shape error.
    `flax.serialization.from_bytes` and `PyTreeCheckpointer.restore(item=...)` both do this;
    `StandardCheckpointer` compares and raises.

    ## Instead
    Compare the restored tree with the target, or restore with `StandardCheckpointer` and an
    abstract target made by `jax.eval_shape`. Keep the model's settings with its weights.

    ## Not reported
    Dicts that were made of the same tree, `from_state_dict(tree, change(to_state_dict(tree)))`, a
    target that is one number, and loads behind a check that this function or its callers call.

    ## References
    https://github.com/google/flax/issues/2436
    """

    severity = "warning"
    preview = True
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                from flax.serialization import from_bytes, to_bytes


                def load(target, data):
                    return from_bytes(target, data)  # ! checkpoint-shapes-unchecked


                saved = to_bytes({"w": jnp.ones((4, 2))})
                try:
                    params = load({"w": jnp.zeros((4, 8))}, saved)
                except ValueError:
                    params = None
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax.serialization import from_bytes, to_bytes


                def load(target, data):
                    loaded = from_bytes(target, data)
                    if jax.tree.map(jnp.shape, loaded) != jax.tree.map(jnp.shape, target):
                        raise ValueError("the checkpoint is of a model of another size")
                    return loaded


                saved = to_bytes({"w": jnp.ones((4, 2))})
                try:
                    params = load({"w": jnp.zeros((4, 8))}, saved)
                except ValueError:
                    params = None
            """,
            shows="params is not None",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        calls = [call for call in site.of(Call) if call.name in _RESTORES and _has_target(call)]
        calls = [call for call in calls if not _is_in_memory(site, call)]
        if not calls or looks_at_shapes(site) or is_test(site.model.path) or _is_handler(site):
            return
        thrown = {id(discard.node) for discard in site.of(Discard)}
        for call in calls:
            kept = call.name in _IN_PLACE or id(call.node) not in thrown
            if kept and "restore_args" not in call.kwargs:
                word = call.name.rpartition(".")[2]
                yield Report(
                    call.node,
                    f"`{word}` takes whatever shapes are stored: a checkpoint of another model "
                    "loads silently; "
                    "compare the shapes with the target's",
                )


def _has_target(call: Call) -> bool:
    position, name = _RESTORES[call.name]
    if "name" in call.kwargs:  # a part of a tree, in the handler of a class of its own
        return False
    target = call.arg(position, name)
    return target is not None and target.kind not in (Kind.NONE, Kind.CLASS)


def _is_in_memory(body: Body, call: Call) -> bool:
    """What is given was computed from the target itself, or the target is a mere count."""
    target = call.arg_node(*_RESTORES[call.name])
    given = call.arg_node(*_GIVEN[call.name]) if call.name in _GIVEN else None
    if target is None or given is None:
        return is_number(body, target)
    return body.only_traced or goes_back(body, target, given)


def _is_handler(body: Body) -> bool:
    """How a class of its own is restored: its caller has the whole checkpoint."""
    return "from_state_dict" in body.function.name
