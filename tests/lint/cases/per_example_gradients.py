import functools

import jax
import jax.numpy as jnp
import optax


def loss_fn(params, x, y):
    return jnp.square(x @ params["w"] + params["b"] - y).sum()


def loss_and_more(params, x, y):
    loss = loss_fn(params, x, y)
    return loss, {"loss": loss}


def eager(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)  # ! per-example-gradients
    return jax.tree.map(lambda g: g.mean(axis=0), grads)


class Agent:
    def __init__(self, params, optimizer):
        self.params, self.state = params, optimizer.init(params)
        grad_fn = jax.grad(loss_and_more, has_aux=True)
        self.example_grads = jax.vmap(grad_fn, in_axes=(None, 0, 0))  # ! per-example-gradients
        self.example_grads = jax.jit(self.example_grads)
        self.step = jax.jit(make_step(optimizer))

    def update(self, x, y):
        grads, info = self.example_grads(self.params, x, y)
        self.params, self.state = self.step(self.params, grads, self.state)
        return info


def make_step(optimizer):
    def step(params, grads, state):
        mean = jax.tree_util.tree_map(lambda g: jnp.mean(g, axis=0), grads)
        updates, state = optimizer.update(mean, state, params)
        return optax.apply_updates(params, updates), state

    return step


both = jax.jit(jax.vmap(jax.value_and_grad(loss_fn), (None, 0, 0)))  # ! per-example-gradients


def trained(params, x, y):
    losses, grads = both(params, x, y)
    grads = jax.tree.map(lambda g: jnp.mean(g, 0), grads)
    grads = jax.tree.map(lambda g: g * 0.1, grads)
    return losses.mean(), grads


@jax.jit
def in_one_program(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    return jax.tree.map(lambda g: g.mean(axis=0), grads)


def clipped(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    norms = jax.vmap(optax.global_norm)(grads)
    scale = jnp.minimum(1.0, 1.0 / norms)
    grads = jax.tree.map(lambda g: jnp.einsum("i,i...->i...", scale, g), grads)
    return jax.tree.map(lambda g: g.mean(axis=0), grads)


def noise_scale(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    mean = jax.tree.map(lambda g: g.mean(axis=0), grads)
    spread = jax.tree.map(lambda g: g.var(axis=0), grads)
    return mean, spread


def of_several_models(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(0, None, None))(params, x, y)
    return jax.tree.map(lambda g: g.mean(axis=0), grads)


def by_inputs(params, x, y):
    slopes = jax.vmap(jax.grad(loss_fn, argnums=1), in_axes=(None, 0, 0))(params, x, y)
    return jax.tree.map(lambda g: g.mean(axis=0), slopes)


def over_features(params, x, y):
    grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)
    return jax.tree.map(lambda g: g.mean(axis=-1), grads)


def returned(params, x, y):
    return jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x, y)


private = functools.partial(jax.vmap, in_axes=(None, 0, 0))
