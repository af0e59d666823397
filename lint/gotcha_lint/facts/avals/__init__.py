"""Result types of library operations: dtype, weak type and shape of what a call gives. No JAX.

`table()` is the generated table (`avals.json.gz`) of the public functions of `jax.numpy`,
`jax.lax`, `jax.nn`, `jax.random`, `jax.scipy`, `jax.Array` and `optax.losses`; `make facts` makes
and checks it (`benchmarks/avals`). An answer is exact or says that it is unknown.
"""
