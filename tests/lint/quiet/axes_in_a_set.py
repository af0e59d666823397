"""What is left to sum over, or summed already, are sets of axes: they have no order."""

import jax
from jax.sharding import PartitionSpec as P

SUMMED = {"data", "fsdp"}
REST = {"data", "fsdp", "expert"}


def gathered(weights, mesh):
    return jax.shard_map(
        lambda weights: weights,
        mesh=mesh,
        in_specs=(P("expert", None, reduced=SUMMED), P(None, reduced={"data", "fsdp", "expert"})),
        out_specs=P("expert", None, unreduced=frozenset(REST - {"expert"})),
    )(weights, weights)
