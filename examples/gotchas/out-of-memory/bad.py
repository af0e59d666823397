"""Needs more memory than the device has.

The message says how much one allocation wanted, not who holds the rest. In training it is most often
the activations kept for the backward pass, the logits of a large vocabulary, two copies of the state
(no donation), or arrays that a list keeps alive ([memory-growth](memory-growth.md)).

## Instead
Donate the state, `jax.checkpoint` the layers, compute the loss in chunks, accumulate gradients over
smaller batches, or shard. `jitted.lower(...).compile().memory_analysis()` tells before the run.
"""

import jax.numpy as jnp

pairs = jnp.ones((1 << 20, 1 << 20))  # ! out-of-memory
