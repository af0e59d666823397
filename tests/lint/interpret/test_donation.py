"""States that a compiled function updates, and whose memory is not donated."""

from __future__ import annotations

from tests.lint.support import lint_files

UPDATED_IN_PLACE = """
import functools

import jax.numpy as jnp
import optax
from flax import nnx


@nnx.jit
def trained(model, optimizer, x):
    grads = nnx.grad(lambda model: model(x).sum())(model)
    optimizer.update(model, grads)


@functools.partial(nnx.jit, donate_argnums=(0, 1))
def trained_in_place(model, optimizer, x):
    grads = nnx.grad(lambda model: model(x).sum())(model)
    optimizer.update(model, grads)


@nnx.jit
def evaluated(model, optimizer, x):
    return model(x).sum()


class Net(nnx.Module):
    def __init__(self, rngs):
        self.layer = nnx.Linear(4096, 4096, rngs=rngs)

    def __call__(self, x):
        return self.layer(x)


net = Net(nnx.Rngs(0))
tuned = nnx.Optimizer(net, optax.sgd(0.1), wrt=nnx.Param)
for _ in range(3):
    trained(net, tuned, jnp.ones(4096))
    trained_in_place(net, tuned, jnp.ones(4096))
    evaluated(net, tuned, jnp.ones(4096))
"""


def test_nnx_jit_updates_its_arguments_in_place(tmp_path):
    files = {"train.py": UPDATED_IN_PLACE}
    (found,) = lint_files(tmp_path, files, select=("missing-donation",), all=True)
    line = UPDATED_IN_PLACE.splitlines().index("@nnx.jit") + 1
    assert (found.line, found.severity) == (line, "info")
    assert "`model`, `optimizer`" in found.message
    assert '`donate_argnames=("model", "optimizer")`' in found.message


METHOD = """
import functools

import jax
import optax


class Trainer:
    def __init__(self, params):
        self.tx = optax.adam(1e-3)
        self.params, self.state = params, self.tx.init(params)

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, params, state, x):
        grads = jax.grad(lambda p: (x @ p).sum())(params)
        updates, state = self.tx.update(grads, state)
        return optax.apply_updates(params, updates), state

    def train(self, xs):
        for x in xs:
            self.params, self.state = self.step(self.params, self.state, x)
"""


def test_the_option_counts_the_object_of_a_method(tmp_path):
    (found,) = lint_files(tmp_path, {"train.py": METHOD}, select=("missing-donation",))
    assert "`donate_argnums=(1, 2)`" in found.message


def test_only_what_is_not_donated_is_named(tmp_path):
    text = UPDATED_IN_PLACE.replace("donate_argnums=(0, 1)", 'donate_argnames="optimizer"')
    found = lint_files(tmp_path, {"train.py": text}, select=("missing-donation",), all=True)
    assert "`model` without" in found[1].message and '`donate_argnames="model"`' in found[1].message


STATES = """
import jax
import jax.numpy as jnp
import optax

tx = optax.adam(1e-3)


@jax.jit
def train(state, batch):
    params, opt_state = state
    grads = jax.grad(lambda p: jnp.sum((batch @ p) ** 2))(params)
    updates, opt_state = tx.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state


@jax.jit
def smooth(image):
    return image * 0.9


def main(params, image, batches):
    state = params, tx.init(params)
    for batch in batches:
        state = train(state, batch)
        image = smooth(image)
    return state, image
"""


def test_what_an_optimizer_updates_is_told_by_default(tmp_path):
    files = {"train.py": STATES}
    (found,) = lint_files(tmp_path, files, select=("missing-donation",))
    assert "`train` makes the next `state` without" in found.message
    everything = lint_files(tmp_path, files, select=("missing-donation",), all=True)
    assert ["`smooth` makes the next `image`" in each.message for each in everything] == [
        False,
        True,
    ]


def test_what_a_queue_keeps_cannot_be_donated(tmp_path):
    text = STATES.replace("        image = smooth(image)", "        queue.put(state[0])").replace(
        "def main(params, image", "def main(queue, params, image"
    )
    select = ("missing-donation",)
    assert not lint_files(tmp_path, {"train.py": text}, select=select, all=True)


LEFT_OUT = """
import equinox as eqx
import jax
import optax


def fit(params, opt_state, model, optimizer, loss, batches, donated):
    def update(params, opt_state, batch):
        updates, opt_state = optimizer.update(jax.grad(loss)(params, batch), opt_state, params)
        return optax.apply_updates(params, updates), opt_state

    nothing = jax.pmap(update, donate_argnums=())
    weights = jax.jit(update, donate_argnums=(0,))
    both = jax.jit(update, donate_argnames=("params", "opt_state"))
    unknown = jax.jit(update, donate_argnums=donated)
    but_the_first = eqx.filter_jit(update, donate="all-except-first")
    all = eqx.filter_jit(update, donate="all")
    for batch in batches:
        params, opt_state = nothing(params, opt_state, batch)
        params, opt_state = weights(params, opt_state, batch)
        params, opt_state = both(params, opt_state, batch)
        params, opt_state = unknown(params, opt_state, batch)
        params, opt_state = but_the_first(params, opt_state, batch)
        params, opt_state = all(params, opt_state, batch)
    return params
"""


def test_what_options_leave_out_may_be_meant(tmp_path):
    files = {"train.py": LEFT_OUT}
    assert not lint_files(tmp_path, files, select=("missing-donation",))
    found = lint_files(tmp_path, files, select=("missing-donation",), all=True)
    lines = LEFT_OUT.splitlines()
    told = {lines[f.line - 1].split()[0]: f.message.split(" without")[0] for f in found}
    assert told == {
        "nothing": "`update` makes the next `params`, `opt_state`",
        "weights": "`update` makes the next `opt_state`",
        "but_the_first": "`update` makes the next `params`",
    }
