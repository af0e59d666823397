"""One process calls what waits for all of them."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class CollectiveOnOneProcess(Rule):
    """Saves by Orbax, or gathers, under `if jax.process_index() == 0`.

    ## What happens
    Nothing on one host. On several, the first process waits at a barrier for the others, which are
    never there: after minutes the run ends with `DEADLINE_EXCEEDED`, or hangs, at the first
    checkpoint. Orbax has barriers in `save` and `restore`, and so has `save_checkpoint` of Flax,
    which saves through Orbax; `process_allgather`, `broadcast_one_to_all` and
    `sync_global_devices` are barriers. A `pmap` with an axis name reduces over the devices of all
    hosts.

    ## Instead
    Call it in all processes. Orbax writes what is replicated only once; what is printed or
    uploaded stays under the test.

    ## Not reported
    Tests of which each side calls such a function; a checkpointer with `multiprocessing_options`.

    ## In a run
    Nothing on one host.

    ## References
    https://docs.jax.dev/en/latest/multi_process.html
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from jax.experimental.multihost_utils import process_allgather


                def mean_of_all(loss):
                    if jax.process_index() == 0:
                        print(process_allgather(loss).mean())  # ! collective-on-one-process


                mean_of_all(jnp.ones(()))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from jax.experimental.multihost_utils import process_allgather


                def mean_of_all(loss):
                    losses = process_allgather(loss)
                    if jax.process_index() == 0:
                        print(losses.mean())


                mean_of_all(jnp.ones(()))
            """,
            unseen="it takes more than one host",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for one in programs.one_process.alone():
            if is_test(one.at[0]) or (one.what in _OF_FLAX and _is_plain(programs)):
                continue
            places = [(*one.guard, "this asks which process it is")]
            if one.waits != one.at:
                places.append((*one.waits, "it waits here"))
            yield Foreseen(
                one.at,
                f"`{one.what}` waits for all processes, and only some come here: on several hosts "
                "the run hangs; call it in all of them",
                tuple(places),
                one.certain,
            )


_OF_FLAX = frozenset(("save_checkpoint",))
_SETTING = "flax_use_orbax_checkpointing"


def _is_plain(programs: Programs) -> bool:
    """Does the project ask Flax to save without Orbax, which takes one process?"""
    return programs.elsewhere.says((_SETTING,), "")
