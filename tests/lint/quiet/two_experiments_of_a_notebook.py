# jupytext: a notebook
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt


def linear_problem(t0, t1, key):
    return (t1 - t0) * jax.random.normal(key, (3,))


def stiff_problem(t0, t1, key):
    return 1e3 * (t1 - t0) * jax.random.normal(key, (3,))


def simulate(key, problem, method):
    return method(problem * jax.random.normal(key, (3,)))


t0, t1 = 0.0, 1.0
key = jax.random.key(0)
problem_key, path_key, key = jax.random.split(key, 3)

linear = linear_problem(t0, t1, key=problem_key)
linear_path = linear * 2
stiff = stiff_problem(t0, t1, key=problem_key)
stiff_path = stiff * 2

plt.plot(linear_path)
plt.plot(stiff_path)

# A comparison of two methods on the same paths.
rough = simulate(path_key, linear, jnp.floor)
fine = simulate(path_key, linear, jnp.sin)
print(jnp.abs(rough - fine).max())
