from functools import partial

import jax
from flax import linen as nn
from jax import ad_checkpoint, checkpoint_policies
from jax.ad_checkpoint import checkpoint_policies as cp


def called(f):
    return jax.checkpoint(f, policy=cp.nothing_saveable())  # ! checkpoint-policy-called


def passed(f):
    return jax.checkpoint(f, policy=cp.nothing_saveable)


def in_a_name(f):
    keep = checkpoint_policies.dots_saveable()  # ! checkpoint-policy-called
    return jax.remat(f, policy=keep)


def in_a_name_passed(f):
    keep = checkpoint_policies.dots_saveable
    return jax.remat(f, policy=keep)


@partial(jax.checkpoint, policy=jax.checkpoint_policies.everything_saveable())  # ! checkpoint-policy-called
def decorated(x):
    return x


@partial(jax.checkpoint, policy=jax.checkpoint_policies.everything_saveable)
def decorated_passed(x):
    return x


def of_linen(block):
    return nn.remat(block, policy=ad_checkpoint.checkpoint_policies.checkpoint_dots())  # ! checkpoint-policy-called


def made(f):
    return jax.checkpoint(f, policy=cp.save_only_these_names("a", "b"))


def made_of_no_names(f):
    return jax.checkpoint(f, policy=cp.save_any_names_but_these())


def asks(prim, *args, **params):
    return cp.dots_saveable(prim, *args, **params) or prim.name == "exp"


def asks_with_stars(*args, **params):
    return cp.dots_saveable(*args, **params)


def chosen(f, name):
    return jax.checkpoint(f, policy=getattr(cp, name))


def nothing_saveable():
    return cp.nothing_saveable


def of_own_function(f):
    return jax.checkpoint(f, policy=nothing_saveable())
