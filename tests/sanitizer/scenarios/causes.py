"""One function for each cause of a recompile. A marked line is where the finding must point."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

x = jnp.ones((8, 64))
w = jnp.ones((64, 64))


@jax.jit
def by_shape(batch):
    return batch * 2


def shape():
    for length in (20, 21, 22, 23):
        by_shape(np.ones((8, length), np.float32))  # ! recompile/shape by_shape


@jax.jit
def by_dtype(batch):
    return batch * 2


def dtype():
    for kind in (np.float32, np.int32):
        by_dtype(np.ones(4, kind))  # ! recompile/dtype by_dtype


@jax.jit
def by_weak_type(batch, total):
    return total + batch.sum()


def weak_type():
    total = 0.0
    for _ in range(3):
        total = by_weak_type(x, total)  # ! recompile/weak-type by_weak_type


@functools.partial(jax.jit, static_argnames=("n",))
def by_static_value(batch, n):
    return batch * n


def static_value():
    for n in range(1, 5):
        by_static_value(x, n=n)  # ! recompile/static-value by_static_value


class Config:
    def __init__(self, scale):
        self.scale = scale


@functools.partial(jax.jit, static_argnums=0)
def by_static_identity(config, batch):
    return batch * config.scale


def static_identity():
    for _ in range(3):
        by_static_identity(Config(1), x)  # ! recompile/static-identity by_static_identity


@jax.jit
def by_tree(tree):
    return tree["a"]


def pytree():
    for tree in ({"a": x}, {"a": x, "b": x}):
        by_tree(tree)  # ! recompile/pytree by_tree


@jax.jit
def by_container(tree):
    return jax.tree.map(lambda leaf: leaf * 2, tree)


def container():
    for tree in ([x, x], (x, x)):
        by_container(tree)  # ! recompile/pytree by_container


@jax.tree_util.register_pytree_node_class
class State:
    """Holds a function as static data, as train states hold their optimizer."""

    def __init__(self, weights, update):
        self.weights, self.update = weights, update

    def tree_flatten(self):
        return (self.weights,), self.update

    @classmethod
    def tree_unflatten(cls, update, children):
        return cls(children[0], update)


def make_update(rate):
    def update(weights):
        return weights - rate

    return update


@jax.jit
def by_static_data(state):
    return state.update(state.weights)


def pytree_static():
    for _ in range(3):
        by_static_data(State(w, make_update(0.1)))  # ! recompile/pytree-static by_static_data


def captured_lambda():
    for value in range(4):
        batch = jnp.full((8, 64), float(value))
        jax.jit(lambda p: (p * batch).sum())(x)  # ! recompile/new-function captured_lambda.<lambda>


def add(a, k):
    return a + k


def partial():
    for _ in range(3):
        jax.jit(functools.partial(add, k=3))(x)  # ! recompile/new-function add


class Model:
    def forward(self, batch):
        return batch @ w

    def predict(self, batch):
        return batch @ w


def bound_method():
    for _ in range(3):
        jax.jit(Model().forward)(x)  # ! recompile/new-function Model.forward


def bound_method_of_one_object():
    model = Model()
    for _ in range(3):
        jax.jit(model.predict)(x)  # ! recompile/new-function Model.predict


def gradient_of_same():
    def loss(weights):
        return (x @ weights).sum()

    for _ in range(3):
        jax.jit(jax.grad(loss))(w)  # ! recompile/new-function gradient_of_same.loss


def make(k):
    @jax.jit
    def inner(batch):
        return batch * k

    return inner


def nested():
    for k in range(3):
        make(k)(x)  # ! recompile/new-function make.inner


@jax.jit
def by_placement(batch):
    return batch * 2


def committed():
    for batch in (x, jax.device_put(x, jax.devices()[0])):
        by_placement(batch)  # ! recompile/committed by_placement


@jax.jit
def by_context(batch):
    return batch @ w


def context():
    for precision in ("default", "float32"):
        with jax.default_matmul_precision(precision):
            by_context(x)  # ! recompile/context by_context


@jax.jit
def by_style(a, b):
    return a * b


def call_style():
    by_style(x, b=1.0)
    by_style(x, 1.0)  # ! recompile/call-style by_style


def eager_lengths():
    for n in range(20, 27):
        jnp.sum(jnp.arange(n) * 2.0)  # ! eager-op-storm/


def eager_scan():
    for i in range(3):
        jax.lax.scan(lambda c, a: (c + a * i, a), 0.0, x[:, 0])  # ! eager-control-flow/


def eager_gradient():
    def loss(weights):
        return jnp.tanh(x @ weights).sum()

    weights = w
    for _ in range(2):
        weights = weights - jax.grad(loss)(weights)  # ! eager-grad/


if __name__ == "__main__":
    for scenario in (
        shape,
        dtype,
        weak_type,
        static_value,
        static_identity,
        pytree,
        container,
        pytree_static,
        captured_lambda,
        partial,
        bound_method,
        bound_method_of_one_object,
        gradient_of_same,
        nested,
        committed,
        context,
        call_style,
        eager_lengths,
        eager_scan,
        eager_gradient,
    ):
        scenario()
