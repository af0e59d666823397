"""Errors of numpy and Python around arrays of JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from numpy.linalg import LinAlgError


def inverse(x):
    try:
        return jnp.linalg.inv(x)
    except np.linalg.LinAlgError:  # ! except-never-raised
        return jnp.linalg.pinv(x)


def inverse_of_numpy(x):
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return np.linalg.pinv(x)


@jax.jit
def factor(x):
    try:
        low = jax.scipy.linalg.cholesky(x, lower=True)
    except LinAlgError:  # ! except-never-raised
        low = jnp.eye(x.shape[0])
    return low


def factor_of_scipy(x):
    try:
        return jnp.asarray(scipy.linalg.cholesky(np.asarray(x)))
    except LinAlgError:
        return jnp.eye(len(x))


def factor_of_the_project(x, solver):
    try:
        return jnp.linalg.inv(solver(x))
    except LinAlgError:
        return None


def mean(total: jax.Array, count: jax.Array):
    try:
        return total / count
    except ZeroDivisionError:  # ! except-never-raised
        return jnp.zeros(())


def mean_of_numbers(total: float, count: int):
    try:
        return total / count
    except ZeroDivisionError:
        return 0.0


def mean_of_unknown(total, count):
    try:
        return total / count
    except ZeroDivisionError:
        return 0.0


def mean_by_a_number(values: jax.Array, rows: int, columns: int):
    try:
        return values.sum() / (rows / columns)
    except ZeroDivisionError:
        return jnp.zeros(())


def another_error_too(x):
    try:
        return jnp.linalg.solve(x, x)
    except (np.linalg.LinAlgError, ValueError):
        return x


def both(x):
    try:
        return jnp.linalg.solve(x, x) / jnp.sum(x)
    except (np.linalg.LinAlgError, ZeroDivisionError):
        return x
