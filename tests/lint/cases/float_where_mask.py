import jax
import jax.numpy as jnp
import numpy as np
import pytest


def cast(x, ids):
    mask = (ids > 0).astype(jnp.float32)
    return jnp.mean(x, where=mask)  # ! float-where-mask


def not_cast(x, ids):
    mask = ids > 0
    return jnp.mean(x, where=mask)


def cast_to_bool(x, ids):
    return jnp.sum(x, where=ids.astype(bool)) + jnp.sum(x, where=ids.astype(jnp.bool_))


def cast_to_int(x, ids):
    return jnp.sum(x, where=ids.astype("int32"))  # ! float-where-mask


def of_ones(x):
    keep = jnp.ones(x.shape)
    keep = keep if x.ndim else None
    return jnp.asarray(x).sum(where=jnp.ones(3)), keep  # ! float-where-mask


def of_ones_of_bool(x):
    return jnp.max(x, where=jnp.ones(3, bool), initial=0), jnp.sum(x, where=jnp.ones(3, dtype=bool))


def with_type(x, m):
    return jax.nn.softmax(x, where=jnp.asarray(m, jnp.float32))  # ! float-where-mask


def with_builtin_type(x, m):
    mask = jnp.array(m, dtype=float)
    return jax.nn.logsumexp(x, where=mask)  # ! float-where-mask


def told_type(x, m, dtype):
    return jnp.sum(x, where=m.astype(dtype))


def given(x, mask):
    return jnp.sum(x, where=mask)


def made_by_call(x, m):
    return jnp.sum(x, where=jnp.bool_(m)), jnp.sum(x, where=jnp.float32(m))  # ! float-where-mask


def made_bool_again(x, m):
    mask = m.astype(jnp.float32)
    mask = mask > 0.5
    return jnp.sum(x, where=mask)


def either(x, m, flag):
    mask = m.astype(jnp.float32)
    if flag:
        mask = m > 0
    return jnp.sum(x, where=mask)


def of_numpy(x, m):
    return np.sum(x, where=m.astype(np.float32))


def not_a_reduction(x, m):
    return jnp.where(m.astype(jnp.float32), x, 0.0)


def like_unknown(x, m):
    return jnp.sum(x, where=jnp.ones_like(m))


def like_of_type(x, m):
    return jnp.sum(x, where=jnp.ones_like(m, dtype=bool))


def fails(x, m):
    with pytest.raises(ValueError):
        jnp.sum(x, where=m.astype(jnp.float32))


def told_word(x, m):
    return jnp.sum(x, where=m.astype("bool")), jnp.sum(x, where=m.astype("?"))


def causal(scores, length):
    mask = jnp.tril(jnp.ones((length, length)))
    return jax.nn.softmax(scores, where=mask)  # ! float-where-mask


def causal_and_boolean(scores, length):
    mask = jnp.tril(jnp.ones((length, length), bool))
    return jax.nn.softmax(scores, where=mask)


def chosen(x, y):
    keep = jnp.where(y > 2, 1.0, 0.0)
    return jnp.mean(x, where=keep)  # ! float-where-mask


def chosen_and_compared(x, y):
    keep = jnp.where(y > 2, 1.0, 0.0) > 0
    return jnp.mean(x, where=keep)


def chosen_of_two(x, y, first, second):
    return jnp.mean(x, where=jnp.where(y > 2, first, second))
