import unittest

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np


class Mlp(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(x)


def of_flattened(a, b):
    close = jax.tree_util.tree_map(jnp.allclose, a, b)
    assert all(jax.tree_util.tree_flatten(close))  # ! assertion-cannot-fail


def of_parameters(x):
    params = Mlp().init(jax.random.key(0), x)
    same = jax.tree.map(lambda a, b: (a == b).all(), params, params)
    assert all(same), "they differ"  # ! assertion-cannot-fail
    assert same  # ! assertion-cannot-fail


def of_a_pair(x):
    assert (x.ndim == 2, "two axes")  # ! assertion-cannot-fail


def of_itself(x):
    y = 2 * x
    np.testing.assert_allclose(y, y)  # ! assertion-cannot-fail


class Shapes(unittest.TestCase):
    def test_two(self):
        y = jnp.ones((2, 3))
        self.assertTrue(y.shape, (2, 3))  # ! assertion-cannot-fail
        self.assertTrue(y.sum(), 6)  # ! assertion-cannot-fail

    def test_messages(self):
        y = jnp.ones((2, 3))
        self.assertTrue(y.shape == (2, 3), "the shape")
        self.assertTrue(y.sum() == 6, f"{y}")
        self.assertEqual(y.shape, (2, 3))


def of_leaves(a, b):
    close = jax.tree.map(jnp.allclose, a, b)
    assert all(jax.tree.leaves(close))
    assert jax.tree.all(close)
    leaves, _ = jax.tree.flatten(close)
    assert all(leaves)


def of_lists(a, b):
    assert all(jax.tree.map(jnp.allclose, a, b))


def of_an_empty_list():
    found = []
    assert found, "nothing was found"


def of_a_message(x):
    assert x.ndim == 2, ("two axes", x.shape)


def of_two(x, y):
    np.testing.assert_allclose(x, y)
    np.testing.assert_array_less(x, x)


def of_a_name_that_changes(x):
    y = x
    y = y + 1
    np.testing.assert_array_equal(x, y)
