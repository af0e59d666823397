import jax.numpy as jnp
import optax

tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))
state = tx.init(jnp.ones(3))
momentum = optax.tree.get(state, "mu")
