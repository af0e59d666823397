"""`jax.eval_shape` in a `try` asks whether a model can be traced: one that cannot runs as it is."""

import jax
import numpy as np


def kind_of_result(model, x):
    try:
        shape = jax.eval_shape(model, x)
    except Exception:
        return None
    return shape.dtype


class Simulation:
    def predict(self, x):
        result = self.run(x)
        self.trajectory = np.asarray(result)
        return result

    def run(self, x):
        return x * float(x[1] - x[0])


def fit(x, y):
    simulation = Simulation()
    complex_result = kind_of_result(simulation.predict, x) == np.complex128
    return simulation.predict(x) - (y.astype(complex) if complex_result else y)
