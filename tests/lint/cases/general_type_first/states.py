import typing

import jax


class Moments(typing.NamedTuple):
    mu: jax.Array


class Wide(Moments):
    pass
