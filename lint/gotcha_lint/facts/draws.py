"""Random numbers of numpy's generators: where the size of what they draw is given."""

from __future__ import annotations

GENERATOR = "numpy.random.#generator"  # one of these
GENERATORS = frozenset({"numpy.random.Generator", "numpy.random.RandomState"})
# The position of `size`, which may also be given by name.
SIZE_AT: dict[str, int] = {
    "random": 0,
    "random_sample": 0,
    "standard_normal": 0,
    "choice": 1,
    "exponential": 1,
    "geometric": 1,
    "poisson": 1,
    "integers": 2,
    "randint": 2,
    "uniform": 2,
    "normal": 2,
    "lognormal": 2,
    "laplace": 2,
    "gumbel": 2,
    "beta": 2,
    "gamma": 2,
    "binomial": 2,
}
WHOLE = frozenset({"integers", "randint", "poisson", "binomial", "geometric"})
# Their arguments are what is drawn from, or the shape.
ARRAYS = frozenset({"permutation", "permuted", "rand", "randn", "multivariate_normal"})
