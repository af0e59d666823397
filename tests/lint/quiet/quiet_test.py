"""What a test says must not warn, or must fail."""

import jax
import jax.numpy as jnp
from absl.testing import absltest


class Updates(absltest.TestCase):
    def test_no_warning(self):
        with self.assertNoLogs():
            jnp.zeros(5).at[::2].set(1)
        with self.assertNoWarnings():
            jnp.zeros(5).at[::2].add(1)

    def test_error(self):
        with self.assertRaisesRegex(TypeError, "tracer"):
            jax.jit(lambda x: x if x > 0 else -x)(1.0)
