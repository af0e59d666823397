from functools import partial

import jax
import jax.numpy as jnp

STATIC = (1,)


@jax.custom_vjp
def two(x, y):
    return x * y


def two_forward(x, y):
    return two(x, y), (x, y)


def two_backward(kept, g):
    x, y = kept
    return g * y, g * x


two.defvjp(two_forward, two_backward)


@jax.custom_vjp
def other(x, y):
    return x + y


def other_backward(kept, g):
    return g, g, None  # ! custom-vjp-structure


other.defvjp(two_forward, other_backward)


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def with_static(x, n):
    return x * n


with_static.defvjp(lambda x, n: (x * n, None), lambda n, kept, g: (g * n,))


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def with_static_too_many(x, n):
    return x * n


def too_many(n, kept, g):
    return g * n, None  # ! custom-vjp-structure


with_static_too_many.defvjp(lambda x, n: (x * n, None), bwd=too_many)


@partial(jax.custom_vjp, nondiff_argnums=STATIC)
def with_static_elsewhere(x, n):
    return x * n


with_static_elsewhere.defvjp(lambda x, n: (x * n, None), lambda n, kept, g: (g * n,))


@partial(jax.custom_vjp, nondiff_argnames=("n",))
def with_static_names(x, n):
    return x * n


with_static_names.defvjp(lambda x, n: (x * n, None), lambda n, kept, g: (g * n,))


@jax.custom_vjp
def with_default(x, scale=1.0):
    return x * scale


def of_default(scale, g):
    return (g * scale,)  # ! custom-vjp-structure


with_default.defvjp(lambda x, scale: (x * scale, scale), of_default)


def made(name):
    @jax.custom_vjp
    def inner(x):
        return jnp.round(x)

    def forward(x):
        return inner(x), None

    def backward(kept, g):
        return (g,)

    inner.defvjp(forward, backward)
    return inner


def made_by_call(f):
    def plain(x, y):
        return f(x) * y

    rule = jax.custom_vjp(plain)
    rule.defvjp(lambda x, y: (f(x) * y, y), lambda y, g: (g * y,))  # ! custom-vjp-structure
    return rule


def made_of_unknown(f):
    rule = jax.custom_vjp(f)
    rule.defvjp(lambda x, y: (f(x) * y, y), lambda y, g: (g * y,))
    return rule


@jax.custom_vjp
def many(*xs):
    return sum(xs)


def many_backward(kept, g):
    return (g,) * kept


many.defvjp(lambda *xs: (sum(xs), len(xs)), many_backward)


@jax.custom_vjp
def as_given(x, y):
    return x


def hands_back(kept, g):
    return kept


as_given.defvjp(lambda x, y: (x, (x, y)), hands_back)


class Layer:
    @partial(jax.custom_vjp, nondiff_argnums=(0,))
    def straight(self, x):
        return jnp.sign(x)

    def _forward(self, x):
        return jnp.sign(x), None

    def _backward(self, kept, g):
        return (g,)

    straight.defvjp(_forward, _backward)


class Own:
    def defvjp(self, forward, backward):
        return forward, backward

    def use(self):
        return self.defvjp(two_forward, other_backward)


@jax.custom_vjp
def product(x, w):
    return x @ w


def product_backward(kept, g):
    x, w = kept
    return g @ w.T  # ! custom-vjp-structure


product.defvjp(lambda x, w: (x @ w, (x, w)), product_backward)


@jax.custom_vjp
def nothing_kept(x):
    return jnp.sin(x)


def nothing_kept_forward(x):
    y = jnp.sin(x) - 1.0
    return y  # ! custom-vjp-structure


nothing_kept.defvjp(nothing_kept_forward, lambda x, g: (g * jnp.cos(x),))


@jax.custom_vjp
def kept_under_a_name(x):
    return jnp.sin(x)


def kept_forward(x):
    both = (jnp.sin(x), x)
    return both


kept_under_a_name.defvjp(kept_forward, lambda x, g: (g * jnp.cos(x),))


def pairs(x, g):
    return x * g, g


def by_a_helper(kept, g):
    return pairs(kept, g)  # ! custom-vjp-structure


@jax.custom_vjp
def helped(x):
    return x


helped.defvjp(lambda x: (x, x), by_a_helper)


@jax.custom_vjp
def helped_well(x, y):
    return x


def by_a_helper_of_two(kept, g):
    return pairs(kept, g)


helped_well.defvjp(lambda x, y: (x, x), by_a_helper_of_two)


@partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def levels(x, count, sharp):
    return jnp.round(x * count) / count


def levels_backward(count, kept, g):  # ! custom-vjp-structure
    return (g,)


levels.defvjp(lambda x, count, sharp: (levels(x, count, sharp), None), levels_backward)


@partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def fine_levels(x, count, sharp):
    return jnp.round(x * count) / count


def fine_levels_backward(count, sharp, kept, g):
    return (g,)


fine_levels.defvjp(lambda x, *more: (fine_levels(x, *more), None), fine_levels_backward)


@jax.custom_vjp
def with_a_default(x, y):
    return x


def default_backward(kept, g, extra=None):
    gradients = (g,) + (None,)
    return gradients


with_a_default.defvjp(lambda x, y: (x, None), default_backward)
