import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    loss, gradient = jax.value_and_grad(lambda w: jnp.log(jnp.maximum(1.0 - w * x, 1e-6)))(w)
    return w - gradient, loss


w = jnp.float32(0.0)
for _ in range(5):
    w, loss = step(w, 0.5)
    print(f"loss {float(loss):.3f}")
