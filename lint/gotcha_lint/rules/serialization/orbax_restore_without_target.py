from collections.abc import Iterator

from gotcha_lint.interpret.faults.remarks import RESTORED_STATE
from gotcha_lint.rule import HERE, Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class OrbaxRestoreWithoutTarget(Rule):
    """Restores a training state without a target, and uses it as the state it was.

    ## What happens
    Orbax stores arrays and names, no types: without a target, NamedTuples and dataclasses come back
    as dicts, tuples as lists. The next update fails with `AttributeError: 'dict' object has no
    attribute 'mu'`, a `TrainState` with `'dict' object has no attribute 'params'`. Flax does the
    same in `msgpack_restore(data)` and in `from_bytes(None, data)`: a tuple becomes a dict with the
    keys `'0'`, `'1'`, and an update stops with `'str' object has no attribute 'mu'`.

    ## Instead
    Give the structure: `checkpointer.restore(path, jax.eval_shape(lambda: state))`, for a manager
    `manager.restore(step, args=ocp.args.StandardRestore(target))`. In Flax: `from_bytes(state,
    data)`.

    ## Not reported
    Results of which only dicts, lists and arrays are used; those that go through other functions
    first. Optimizers without a state, like plain `optax.sgd`, do not mind.

    ## In a run
    `gotcha-lint --explain-error` explains the error; the sanitizer does not look at files.

    ## References
    https://orbax.readthedocs.io/en/latest/guides/checkpoint/orbax_checkpoint_101.html
    """

    severity = "error"
    confidence = "medium"
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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(RESTORED_STATE):
            yield Foreseen(
                (fault.path, fault.span),
                f"`{HERE}` was restored without a target: it is made of dicts and lists, not of "
                "the types that were saved; give the structure, for Orbax by `jax.eval_shape`",
                fault.places,
            )
