"""Explicit component whose outputs and partials come from a JAX function."""
import inspect

import jax
import jax.numpy as jnp
import numpy as np


class FuncComponent:
    def __init__(self, func, outputs, argnums=None):
        self.func = func
        self.inputs = list(inspect.signature(func).parameters)
        self.outputs = outputs
        argnums = tuple(range(len(self.inputs))) if argnums is None else argnums
        self._func = jax.jit(func)
        self._jac = jax.jit(jax.jacfwd(func, argnums=argnums))

    def _collect(self, values):
        if isinstance(values, jax.Array):
            values = (values,)
        return {name: np.asarray(v) for name, v in zip(self.outputs, values)}

    def compute(self, **inputs):
        return self._collect(self._func(*(inputs[n] for n in self.inputs)))

    def compute_partials(self, **inputs):
        jac = self._jac(*(inputs[n] for n in self.inputs))
        if len(self.outputs) == 1:
            jac = (jac,)
        return {
            (out, wrt): np.asarray(j)
            for out, row in zip(self.outputs, jac)
            for wrt, j in zip(self.inputs, row)
        }


class Newton:
    def __init__(self, comp, output, unknown, tol=1e-6):
        self.comp, self.output, self.unknown, self.tol = comp, output, unknown, tol

    def solve(self, **inputs):
        for i in range(50):
            r = self.comp.compute(**inputs)[self.output]
            if np.abs(r).max() < self.tol:
                return inputs[self.unknown], i
            J = self.comp.compute_partials(**inputs)[self.output, self.unknown]
            inputs[self.unknown] = inputs[self.unknown] - np.linalg.solve(J, r)
        raise RuntimeError("no convergence")


def equilibrium(x, load):
    stiff = jnp.array([[2.0, -1.0], [-1.0, 2.0]])
    return stiff @ x + 0.1 * x**3 - load


if __name__ == "__main__":
    comp = FuncComponent(equilibrium, ["residual"])
    x, iterations = Newton(comp, "residual", "x").solve(x=np.zeros(2), load=np.array([1.0, 0.5]))
    print("displacement", x, "iterations", iterations)
