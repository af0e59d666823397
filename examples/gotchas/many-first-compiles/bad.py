"""Makes many different functions at one line, each of which is compiled.

Every first compile is normal, so no function stands out, and yet together they are most of the run.

## The price
Each function's compile: 30 ms for a small one.
"""

import jax
import jax.numpy as jnp

x = jnp.ones(3)
for power in range(150):
    formula = eval(f"lambda x: jnp.tanh(x) ** {power} + jnp.sin(x * {power})")
    y = jax.jit(formula)(x)  # ! many-first-compiles
