"""What `:=` binds, and what is done with it."""

import logging

import jax
import jax.numpy as jnp


def mask_of_a_batch(batch, x):
    if mask := batch.get("mask") is not None:  # ! walrus-binds-comparison
        x = jnp.where(mask, x, 0.0)
    return x


def mask_bound_well(batch, x):
    if (mask := batch.get("mask")) is not None:
        x = jnp.where(mask, x, 0.0)
    return x


def mask_or_nothing(batch, x):
    if mask := batch.get("mask"):
        x = x * mask
    return x


@jax.jit
def in_a_step(params, batch):
    loss = params["w"] @ batch["x"]
    if weights := batch["weights"] is not None:  # ! walrus-binds-comparison
        return (loss * weights).sum()
    return loss.sum()


def one_of_two(batch, x, masked):
    if masked and (mask := batch.get("mask") is not None):  # ! walrus-binds-comparison
        return x * mask
    return x


def with_another_condition(batch, x, masked):
    if mask := batch.get("mask") is not None and masked:  # ! walrus-binds-comparison
        return x[mask]
    return x


def either(batch, x, masked):
    if masked or (mask := batch.get("mask") is not None):
        return x * mask
    return x


def in_the_second_branch(batch, x):
    if "mask" not in batch:
        return x
    elif mask := batch["mask"] is not None:  # ! walrus-binds-comparison
        return mask.astype(x.dtype) * x
    return x


def all_that_comes(source, step, state):
    while chunk := next(source, None) is not None:  # ! walrus-binds-comparison
        state = step(state, chunk)
    return state


def too_long(tokens, limit):
    if extra := tokens.shape[0] - limit > 0:
        return tokens, extra
    return tokens, 0


def beyond_the_end(tokens, limit):
    if extra := tokens.shape[0] - limit > 0:  # ! walrus-binds-comparison
        return tokens[:-extra], jnp.zeros(extra)
    return tokens, jnp.zeros(0)


def surplus(tokens, limit):
    if extra := len(tokens) > limit:  # ! walrus-binds-comparison
        return tokens[: limit + extra]
    return tokens


def asked_again(batch, x):
    if masked := batch.get("mask") is not None:
        x = x + 1 if masked else x
    return x, masked


def asked_after(batch, x):
    if masked := batch.get("mask") is not None:
        x = jnp.where(batch["mask"], x, 0.0)
    return x * masked


def a_flag(model, batch, x):
    if has_mask := batch.get("mask") is not None:
        return model(x, has_mask)
    return model(x)


def train_flag(model, state, x):
    if training := state.opt_state is not None:
        return model(x, training)
    return model(x)


def by_name(model, batch, x):
    if mask := batch.get("mask") is not None:
        return model(x, mask=mask)
    return model(x)


def shown(batch):
    if mask := batch.get("mask") is not None:
        print("with a mask:", mask)
    return batch


def logged(batch):
    if mask := batch.get("mask") is not None:
        logging.info("with a mask: %s", mask)
    return batch


def told_by_its_name(batch, build):
    if masked := batch.get("mask") is not None:
        return build(batch, masked)
    return build(batch)


def another_of_that_name(batch, x):
    if mask := batch.get("mask") is not None:
        return jax.tree.map(lambda mask: mask * x, batch), f"mask: {mask}"
    return batch


def in_a_function_of_it(batch, x):
    if scale := batch.get("scale") is not None:  # ! walrus-binds-comparison
        return jax.tree.map(lambda leaf: leaf * scale, x)
    return x


def bound_again(batch, x):
    if mask := batch.get("mask") is not None:
        mask = batch["mask"]
        return x * mask
    return x


def a_mode(config, model, x):
    if mode := config.get("mode") == "eval":
        return model(x, mode)
    return model(x)


def member(name, table):
    if known := name.lower() in table:
        return table[name], known
    return None, False


def a_plain_name(mask, x, f):
    if given := mask is not None:
        return f(x, given)
    return x


def counted(items, n):
    for item in items:
        if good := item.loss < 1.0:
            n += good
    return n


def of_two_flags(batch, x, f):
    if mask := batch.get("mask") is not None:
        return f(x) if mask & x.any() else x
    return x


def at_the_other_branch(batch, x):
    if mask := batch.get("mask") is not None:
        return x
    else:
        return x + mask
