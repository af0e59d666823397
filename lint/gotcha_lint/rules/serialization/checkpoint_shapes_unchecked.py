from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.faults.remarks import UNCHECKED_SHAPES
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


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
    confidence = "medium"
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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(UNCHECKED_SHAPES):
            yield Foreseen(
                (fault.path, fault.span),
                f"`{fault.text[0]}` takes whatever shapes are stored: a checkpoint of another "
                "model loads silently; compare the shapes with the target's",
            )
