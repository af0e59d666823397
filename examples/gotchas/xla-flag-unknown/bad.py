"""Has a flag in `XLA_FLAGS` that this version of XLA does not know.

The flags are read when the first array is made, and XLA ends the whole process: there is no
exception to catch. Flags come and go with releases, so a script that ran may die after an upgrade.
"""

import os

os.environ["XLA_FLAGS"] = "--xla_gpu_enable_triton_softmax_fusions=true"

import jax.numpy as jnp

print(jnp.ones(3))  # ! xla-flag-unknown
