"""Sets an option that JAX does not have.

Options are set by `jax.config.update(name, value)`. A misspelt environment variable, as
`JAX_ENABLE_X46`, says nothing at all.
"""

import jax

jax.config.update("jax_enable_x46", True)  # ! unknown-config-option
