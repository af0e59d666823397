import jax
import jax.numpy as jnp


@jax.jit
def long(x):
    for _ in range(200):  # ! unrolled-loop
        x = jnp.tanh(x) * 0.5
    return x


@jax.jit
def short(x):
    for _ in range(8):
        x = jnp.tanh(x) * 0.5
    return x


def on_the_host(x):
    for _ in range(200):
        x = jnp.tanh(x) * 0.5
    return x


@jax.jit
def configured(x, layers):
    for layer in layers:
        x = jnp.tanh(x) * layer
    return x


@jax.jit
def steps_of_time(decay, inputs):
    batch, length, width = inputs.shape
    state, states = jnp.zeros((batch, width)), []
    for t in range(length):  # ! unrolled-loop
        state = decay * state + inputs[:, t]
        states.append(state)
    return jnp.stack(states, 1)


@jax.jit
def a_sum_over_channels(x):
    total = 0.0
    for c in range(x.shape[-1]):
        total = total + jnp.sin(x[..., c])
    return total


@jax.jit
def a_buffer_for_each_channel(x):
    out = jnp.zeros_like(x)
    for c in range(x.shape[-1]):
        out = out.at[..., c].set(jnp.sin(x[..., c]))
    return out


def update(weights, x):
    def loss(weights):
        for w in weights:
            x_ = jnp.tanh(x @ w) + jnp.sin(x @ w) * jnp.cos(x @ w)
        return jnp.mean(x_**2) + sum(jnp.sum(w**2) for w in weights)

    grads = jax.grad(loss)(weights)
    return [w - 0.1 * g + 0.01 * jnp.sign(w) for w, g in zip(weights, grads)]


@jax.jit
def the_same_updates(weights, x):
    for _ in range(30):  # ! unrolled-loop
        weights = update(weights, x)
    return weights


@jax.jit
def each_another_update(weights, x):
    for i in range(30):
        weights = update(weights, x) if i % 2 else update(weights, 2 * x)
    return weights


x = jnp.ones(3)
weights = [jnp.ones((3, 3))] * 3
the_same_updates(weights, x)
each_another_update(weights, x)
print(long(x), short(x), on_the_host(x))
