"""What all processes of a run have to call together: it waits for the others.

Tried with two processes of jax 0.10 on CPUs, orbax-checkpoint 0.11 and flax 0.12: what is called by
the first one alone ends with `DEADLINE_EXCEEDED` of a barrier, or never.
"""

from __future__ import annotations

PROCESS_INDEX = "jax.process_index()"  # the number itself, as a value
INDEX_CALLS = frozenset(("jax.process_index", "jax.host_id"))
_MULTIHOST = "jax.experimental.multihost_utils"
COLLECTIVES = frozenset(
    (
        f"{_MULTIHOST}.process_allgather",
        f"{_MULTIHOST}.sync_global_devices",
        f"{_MULTIHOST}.broadcast_one_to_all",
        f"{_MULTIHOST}.assert_equal",
        "flax.training.checkpoints.save_checkpoint",
        "flax.training.checkpoints.save_checkpoint_multiprocess",
    )
)
# Options of a checkpointer by which fewer processes than all may save.
FEWER = frozenset(("multiprocessing_options", "active_processes", "primary_host", "*", "**"))
