import jax
import jax.numpy as jnp
import numpy as np


def bilinear(field, ci, cj):
    i0 = jnp.clip(jnp.floor(ci).astype(int), 0, field.shape[0] - 2)
    j0 = jnp.clip(jnp.floor(cj).astype(int), 0, field.shape[1] - 2)
    di, dj = ci - i0, cj - j0
    top = (1 - dj) * field[i0, j0] + dj * field[i0, j0 + 1]
    bot = (1 - dj) * field[i0 + 1, j0] + dj * field[i0 + 1, j0 + 1]
    return (1 - di) * top + di * bot


@jax.jit
def advect(tracer, u, v, dt):
    """Semi-Lagrangian advection of a cell-centred tracer by the given wind."""
    nx, ny = tracer.shape
    ii, jj = np.mgrid[:nx, :ny]
    back_i = ii - dt * u[ii, jj]
    back_j = jj - dt * v[ii, jj]
    return bilinear(tracer, back_i, back_j)


def load_wind(shape, coarsen, seed=0):
    rng = np.random.default_rng(seed)
    coarse = (shape[0] // coarsen, shape[1] // coarsen)
    u = np.cumsum(rng.standard_normal(coarse), axis=0) * 0.2
    v = np.cumsum(rng.standard_normal(coarse), axis=1) * 0.2
    return jnp.asarray(u), jnp.asarray(v)


def refine(wind, shape):
    return jax.image.resize(wind, shape, method="linear")


def forecast(tracer, wind, steps, dt=0.5):
    u, v = wind
    for _ in range(steps):
        tracer = advect(tracer, u, v, dt)
    return tracer


def main():
    shape = (40, 32)
    x = np.linspace(-1, 1, shape[0])[:, None]
    y = np.linspace(-1, 1, shape[1])[None, :]
    tracer = jnp.asarray(np.exp(-8 * (x**2 + y**2)))
    wind = load_wind(shape, coarsen=2)
    out = forecast(tracer, wind, 10)
    print("tracer", out.shape, "wind", wind[0].shape, "mass", float(out.sum()))


if __name__ == "__main__":
    main()
