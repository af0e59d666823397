"""Twenty training errors that raise nothing, of kinds that are known from practice.

TrainCheck (OSDI 2025) has collected such errors of PyTorch programs. These are the same kinds in
JAX: each file of `silent/` is a program of its own, with the cause that is to be named.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import session
from gotcha_sanitizer.values.finding import Finding
from tests.sanitizer.support import run

pytest.importorskip("jax")
pytest.importorskip("optax")

FOLDER = Path(__file__).parent / "silent"
CLEAN = sorted((FOLDER.parent / "clean").glob("*.py"))
CASES = sorted(FOLDER.glob("s[0-9]*.py"))


def cause(path: Path) -> str:
    (found,) = re.findall(r"^# cause: (.*)$", path.read_text("utf-8"), re.M)
    return found


def watched(path: Path, tmp_path: Path) -> list[Finding]:
    """What is found in a program: in this process, or in one that has several devices."""
    if "# devices: 2" in path.read_text("utf-8"):
        flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
        done = run(path, tmp_path / "run.jsonl", options="training=1", env=flags)
        assert done.code == 0, done.err
        return list(done.run.findings.values())
    session.start().stop()
    watching = session.start(Options(quiet=True, training=True))
    try:
        exec(compile(path.read_text("utf-8"), str(path), "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        assert not end.code
    finally:
        watching.stop()
    assert "training" not in watching.run.degraded, watching.run.degraded
    return list(watching.run.findings.values())


def test_there_are_twenty():
    assert len(CASES) == 20


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_silent_error_is_seen(path: Path, tmp_path: Path):
    found = watched(path, tmp_path)
    silent = {f.cause: f for f in found if f.name == "silent-training-error"}
    assert cause(path) in silent, (sorted(silent), [f.name for f in found])
    others = {f.cause for f in silent.values() if f.severity != "info"} - {cause(path)}
    assert others <= ALSO.get(cause(path), set()), silent


# What is true as well, and follows from the same mistake.
ALSO: dict[str, set[str]] = {
    "never-moved": {"16-bit-weights"},
    "16-bit-weights": {"never-moved"},
    "all-masked": {"never-moved"},
}


NAN = """
import jax, jax.numpy as jnp
@jax.jit
def step(w, count, x):
    loss, grad = jax.value_and_grad(lambda w: jnp.mean((x @ w) ** 2))(w)
    return w - 0.1 * grad, count + 1, loss
w, count = jnp.ones(4), 0
for i in range(40):
    x = jnp.full((8, 4), float("nan") if i == 9 else 0.1 + 0.01 * i)
    w, count, loss = step(w, count, x)
"""


def test_what_follows_from_a_nan_is_told_as_one(tmp_path: Path):
    program = tmp_path / "prog.py"
    program.write_text(NAN)
    found = [f for f in watched(program, tmp_path) if f.name == "silent-training-error"]
    assert [(f.cause, f.severity) for f in found] == [("turned-nan", "error")], found
    assert "of call 10 of this step" in found[0].message


def test_a_sound_loop_is_left_alone(tmp_path: Path):
    found: Any = watched(FOLDER / "sound.py", tmp_path)
    assert [f for f in found if f.name == "silent-training-error"] == []


@pytest.mark.slow
@pytest.mark.parametrize("path", CLEAN, ids=lambda path: path.stem)
def test_programs_that_are_right_are_left_alone(path: Path, tmp_path: Path, monkeypatch):
    """Linen, nnx, Equinox, half precision, reinforcement learning: a note at most."""
    monkeypatch.chdir(tmp_path)
    found = watched(path, tmp_path)
    silent = [f for f in found if f.name == "silent-training-error"]
    assert [f.message for f in silent if f.severity != "info"] == []


FROZEN = """
import jax, jax.numpy as jnp, optax
params = {"backbone": jnp.ones(3), "head": jnp.ones(3)}
labels = {"backbone": "frozen", "head": "trained"}
parts = {"frozen": optax.set_to_zero(), "trained": optax.adam(1e-2)}
optimizer = optax.partition(parts, labels)
opt_state = optimizer.init(params)

@jax.jit
def step(params, opt_state, x):
    grads = jax.grad(lambda p: ((p["backbone"] * p["head"] * x) ** 2).sum())(params)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state

for n in range(12):
    params, opt_state = step(params, opt_state, jnp.full(3, 1.0 + n))
"""

IN_PLACE = """
import jax, jax.numpy as jnp, optax
from flax import nnx

class Model(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(4, 8, rngs=rngs)
        self.last = nnx.Linear(8, 1, rngs=rngs)
    def __call__(self, x):
        return self.last(jax.lax.stop_gradient(nnx.relu(self.first(x))))

model = Model(nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)

@nnx.jit
def step(model, optimizer, x):
    loss, grads = nnx.value_and_grad(lambda m: (m(x) ** 2).mean())(model)
    optimizer.update(model, grads)
    return loss

for n in range(12):
    loss = step(model, optimizer, jnp.full((16, 4), 1.0 + n))
"""

BATCHES = """
import jax, jax.numpy as jnp

@jax.jit
def step(w, batch):
    return w - 1e-3 * jax.grad(lambda w: ((batch @ w) ** 2).mean())(w)

def data():
    while True:
        for n in range(4):
            yield jnp.full((8, 3), 1.0 + n)

w, batches = jnp.ones(3), data()
for _ in range(12):
    w = step(w, next(batches))
"""


def said(body: str, tmp_path: Path) -> dict[str, tuple[str, str]]:
    program = tmp_path / "train.py"
    program.write_text(body)
    found = [f for f in watched(program, tmp_path) if f.name == "silent-training-error"]
    return {f.cause: (f.severity, f.message) for f in found}


def test_what_is_frozen_on_purpose_is_a_note(tmp_path: Path):
    (severity, message) = said(FROZEN, tmp_path)["never-moved"]
    assert severity == "info" and "`params['backbone']` never moved" in message
    assert "a mask of the optimizer" in message and "`params['head']`" in message


CUT = """
from typing import NamedTuple
import jax, jax.numpy as jnp, optax

def loss(params, x):
    return ((jnp.round(x @ params["net"]["encoder"]) @ params["net"]["decoder"]) ** 2).mean()

optimizer = optax.adam(1e-2)

class State(NamedTuple):
    params: dict
    opt_state: tuple

@jax.jit
def step(state, x):
    grads = jax.grad(loss)(state.params, x)
    updates, opt_state = optimizer.update(grads, state.opt_state)
    return State(optax.apply_updates(state.params, updates), opt_state)

params = {"net": {"encoder": jnp.full((4, 8), 0.3), "decoder": jnp.ones(8)}}
state = State(params, optimizer.init(params))
for n in range(12):
    state = step(state, jnp.full((16, 4), 1.0 + n))
"""


def test_the_moments_of_a_weight_without_a_gradient_are_not_listed(tmp_path: Path):
    program = tmp_path / "train.py"
    program.write_text(CUT)
    (found,) = [f for f in watched(program, tmp_path) if f.cause == "never-moved"]
    assert found.message.startswith("`state.params['net']['encoder']` never moved")


def test_modules_that_a_step_updates_in_place(tmp_path: Path):
    pytest.importorskip("flax")
    (severity, message) = said(IN_PLACE, tmp_path)["never-moved"]
    assert severity == "warning" and "first" in message and "last" in message


def test_an_argument_without_a_name_is_not_compared(tmp_path: Path):
    assert said(BATCHES, tmp_path) == {}


def test_calls_that_are_traced_by_a_debugger_are_left_alone(tmp_path: Path):
    program = tmp_path / "train.py"
    program.write_text("import sys\nsys.settrace(lambda *a: None)\n" + FROZEN)
    done = run(program, tmp_path / "run.jsonl", options="training=1")
    assert done.code == 0 and "debugger" in done.run.degraded["training"]


EQUINOX = """
import equinox as eqx, jax, jax.numpy as jnp, optax

mlp = eqx.nn.MLP(4, 1, 8, 1, key=jax.random.key(0))
spec = jax.tree.map(lambda _: False, mlp)
last = lambda tree: (tree.layers[-1].weight, tree.layers[-1].bias)
spec = eqx.tree_at(last, spec, replace=(True, True))
optimizer = optax.sgd(1e-2)
opt_state = optimizer.init(eqx.filter(mlp, spec))

@eqx.filter_jit
def step(model, opt_state, x):
    trained, frozen = eqx.partition(model, spec)
    loss = lambda trained: (jax.vmap(eqx.combine(trained, frozen))(x) ** 2).mean()
    updates, opt_state = optimizer.update(jax.grad(loss)(trained), opt_state)
    return eqx.apply_updates(model, updates), opt_state

for n in range(12):
    mlp, opt_state = step(mlp, opt_state, jnp.full((16, 4), 1.0 + n))
"""


def test_what_equinox_freezes_is_a_note(tmp_path: Path):
    pytest.importorskip("equinox")
    (severity, message) = said(EQUINOX, tmp_path)["never-moved"]
    assert severity == "info" and "`model.layers[0].weight`" in message, message


SETTINGS = """
import equinox as eqx, jax, jax.numpy as jnp

class Net(eqx.Module):
    layer: eqx.nn.Linear
    dropout: eqx.nn.Dropout
    repeats: int
    def __call__(self, x, key):
        return self.dropout(self.layer(x), key=key) * self.repeats

@eqx.filter_jit
def step(model, x, key):
    loss = lambda model: (jax.vmap(lambda x: model(x, key))(x) ** 2).mean()
    updates = jax.tree.map(lambda g: -1e-2 * g, eqx.filter_grad(loss)(model))
    return eqx.apply_updates(model, updates)

model = Net(eqx.nn.Linear(4, 8, key=jax.random.key(0)), eqx.nn.Dropout(0.1), 2)
for n in range(12):
    model = step(model, jnp.full((16, 4), 1.0 + n), jax.random.key(n))
"""


def test_settings_of_a_module_are_no_weights(tmp_path: Path):
    """The rate of a dropout, a number of repeats: Python's own numbers, which no step changes."""
    pytest.importorskip("equinox")
    assert said(SETTINGS, tmp_path) == {}


AGENT = """
import jax, jax.numpy as jnp

@jax.jit
def learn(w, batch, unused_key):
    return w - 1e-3 * jax.grad(lambda w: ((batch @ w) ** 2).mean())(w)

w, key = jnp.ones(3), jax.random.PRNGKey(0)
for n in range(12):
    key, subkey = jax.random.split(key)
    w = learn(w, jnp.full((8, 3), 1.0 + n), subkey)
"""


def test_a_key_that_a_step_does_not_need_is_no_batch(tmp_path: Path):
    """An agent whose interface has a key, and whose update draws nothing."""
    assert said(AGENT, tmp_path) == {}


SKIPPED_LAYERS = """
import jax, jax.numpy as jnp

@jax.jit
def step(params, x, key):
    def loss(params):
        h = x @ params["first"]
        h = h + jnp.tanh(h @ params["skipped"]) * jax.random.bernoulli(key, 0.5)
        return (h**2).mean()
    return jax.tree.map(lambda p, g: p - 1e-2 * g, params, jax.grad(loss)(params))

params = {"first": jnp.eye(4), "skipped": jnp.eye(4)}
root = KEY(0)
first = next(n for n in range(99) if not jax.random.bernoulli(jax.random.fold_in(root, n), 0.5))
x = jnp.ones((8, 4))
for n in range(first, first + 14):
    x = x * 1.01
    params = step(params, x, jax.random.fold_in(root, n))
"""


@pytest.mark.parametrize("kind", ["jax.random.key", "jax.random.PRNGKey"])
def test_a_key_without_a_name_is_another_one_in_each_evaluation(tmp_path: Path, kind: str):
    """A layer that is left out by chance in the first call is in use in others."""
    assert said(SKIPPED_LAYERS.replace("KEY", kind), tmp_path) == {}


MASK_OF_A_BATCH = """
import jax, jax.numpy as jnp

@jax.jit
def step(w, batch):
    def loss(w):
        errors = (batch @ w) ** 2 * (batch[:, 0] > 1e9)
        return errors.sum() + (w**2).sum()
    return w - 1e-3 * jax.grad(loss)(w)

def data():
    for n in range(14):
        yield jnp.full((8, 3), 1.0 + n)

w, batches = jnp.ones(3), data()
for _ in range(12):
    w = step(w, next(batches))
"""


def test_what_stood_in_for_a_batch_is_said(tmp_path: Path):
    (_, message) = said(MASK_OF_A_BATCH, tmp_path)["all-masked"]
    assert message.endswith("(evaluated again with `batch` of the first call)")
