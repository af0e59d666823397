"""What a traced function reads: which variable a constant came from, and what is stale later."""

from __future__ import annotations

import functools
import time
import tracemalloc
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gotcha_sanitizer.hooks import marks
from gotcha_sanitizer.run.session import Session
from tests.sanitizer.inside import lost, problems

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

SIDE = 600  # 1.4 MB: over `min_const_bytes`
TABLES = {"train": {"embedding": jnp.ones((SIDE, SIDE))}}


class Config:
    table = jnp.full((SIDE, SIDE), 2.0)
    ran = 0

    @property
    def never(self) -> Any:
        Config.ran += 1
        raise RuntimeError("a property was run")


class Weird:
    """Its own `__getattr__` must not run."""

    def __getattr__(self, name: str) -> Any:
        Config.ran += 1
        raise RuntimeError("looked up")


@pytest.fixture
def data(tmp_path: Path) -> Any:
    """A module of the user's."""
    path = tmp_path / "data.py"
    source = "import jax.numpy as jnp\nRATE = 2.0\n"
    source += (
        f"TABLE = jnp.full(({SIDE}, {SIDE}), 3.0)\ndef look(x):\n    return x @ TABLE * RATE\n"
    )
    path.write_text(source)
    module: Any = types.ModuleType("data")
    module.__file__ = str(path)
    exec(compile(source, str(path), "exec"), vars(module))
    return module


class Model:
    def __init__(self) -> None:
        self.table = jnp.full((SIDE, SIDE), 4.0)

    def loss(self, x: Any) -> Any:
        return (x @ self.table).sum()

    def step(self, x: Any) -> Any:
        return jax.grad(self.loss)(x)


def by_helper(x: Any) -> Any:
    return x @ TABLES["train"]["embedding"]


def told(running: Session) -> str:
    return problems(running)["large-constant-captured/"]


def test_the_path_inside_of_a_container_and_the_helper_that_reads_it(running: Session):
    jax.jit(lambda x: by_helper(x))(jnp.ones(SIDE))
    assert "`TABLES['train']['embedding'] (in by_helper)`, float32[600,600]" in told(running)


def test_an_attribute_of_a_module(running: Session, data: Any):
    jax.jit(lambda x: x @ data.TABLE)(jnp.ones(SIDE))
    assert told(running).startswith("`data.TABLE`, float32[600,600]")


def test_a_function_of_a_module(running: Session, data: Any):
    jax.jit(lambda x: data.look(x))(jnp.ones(SIDE))
    assert told(running).startswith("`TABLE (in look)`, float32[600,600]")


def test_an_attribute_of_a_class(running: Session):
    jax.jit(lambda x: x @ Config.table)(jnp.ones(SIDE))
    assert told(running).startswith("`Config.table`, float32[600,600]")


def test_an_attribute_that_a_helper_method_reads(running: Session):
    jax.jit(Model().step)(jnp.ones(SIDE))
    assert told(running).startswith("`self.table`, float32[600,600]")


def test_an_array_that_no_variable_leads_to(running: Session):
    jax.jit(lambda x: x @ jnp.asarray(jax.device_get(TABLES["train"]["embedding"])))(jnp.ones(SIDE))
    made = "an array made while it was traced, or read where we do not look, float32[600,600]"
    assert told(running).startswith(made)


def test_nothing_of_the_users_objects_is_run(running: Session):
    config = Config()

    class Reader(Config, Weird):
        def step(self, x: Any) -> Any:
            if x.ndim > 1:
                return config.never, self.never, self.missing, Config.never
            return x

    Config.ran = 0
    jax.jit(Reader().step)(jnp.ones(3))
    assert Config.ran == 0 and lost(running) == set()


def _stale(running: Session, step: Callable[[Any], Any], change: Callable[[], object]) -> Any:
    """Calls it, changes what it reads, and calls it until that is seen; the findings' messages."""
    step(jnp.ones(3))
    change()
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        step(jnp.ones(3))
    # On a loaded machine the eager calls of this loop are a finding of their own.
    return {name: text for name, text in problems(running).items() if "stale" in name}


class Weighted:
    def __init__(self) -> None:
        self.weight = 2.0

    def loss(self, x: Any) -> Any:
        return (x * self.weight).sum()

    @functools.partial(jax.jit, static_argnums=0)
    def step(self, x: Any) -> Any:
        return jax.grad(self.loss)(x)


@pytest.mark.parametrize("how", ["static self", "bound method"])
def test_an_attribute_of_self_that_a_method_of_it_reads_is_stale(running: Session, how: str):
    model = Weighted()
    step = jax.jit(model.loss) if how == "bound method" else model.step
    told = _stale(running, step, lambda: setattr(model, "weight", 3.0))
    message = told["stale-capture/self"]
    assert "`self.weight` was 2 when it was traced and is 3 now" in message


def test_an_attribute_of_a_module_is_stale(running: Session, data: Any):
    step = jax.jit(lambda x: x * data.RATE)
    told = _stale(running, step, lambda: setattr(data, "RATE", 5.0))
    assert "`data.RATE` was 2 when it was traced and is 5 now" in told["stale-capture/closure"]


SETTINGS: dict[str, Any] = {"decay": {"rate": 2.0, "power": 1}, "sizes": [3, 4]}


def test_the_entry_that_has_changed_is_named(running: Session, monkeypatch: Any):
    step = jax.jit(lambda x: x * SETTINGS["decay"]["rate"])
    told = _stale(running, step, lambda: monkeypatch.setitem(SETTINGS["decay"], "rate", 5.0))
    message = told["stale-capture/global"]
    assert "`SETTINGS['decay']['rate']` was 2 when it was traced and is 5 now" in message


def by_settings(x: Any) -> Any:
    return x * SETTINGS["decay"]["rate"]


def test_the_entry_that_a_helper_reads(running: Session, monkeypatch: Any):
    step = jax.jit(lambda x: by_settings(x))
    told = _stale(running, step, lambda: monkeypatch.setitem(SETTINGS["decay"], "rate", 5.0))
    message = told["stale-capture/global"]
    assert "`SETTINGS['decay']['rate'] (in by_settings)` was 2 when it was traced" in message


def test_of_several_entries_that_have_changed_the_container_is_named(running: Session):
    held = {"a": 1, "b": [2, 3], "c": 4}
    step = jax.jit(lambda x: x * held["a"])
    told = _stale(running, step, lambda: held.update(a=2, b=[5, 6]))
    message = told["stale-capture/closure"]
    assert "`held` was dict of 3 when it was traced and holds other values now" in message


def test_an_attribute_of_an_object_is_named(running: Session):
    settings = types.SimpleNamespace(rate=2.0, steps=3)
    step = jax.jit(lambda x: x * settings.rate)
    told = _stale(running, step, lambda: setattr(settings, "rate", 5.0))
    assert "`settings.rate` was 2 when it was traced and is 5 now" in told["stale-capture/closure"]


def helper(x: Any) -> Any:
    return x * 2


def test_a_function_that_was_defined_anew_is_stale(running: Session, monkeypatch: Any):
    step = jax.jit(lambda x: helper(x))
    told = _stale(running, step, lambda: monkeypatch.setitem(globals(), "helper", lambda x: x * 3))
    assert "the function `helper` was defined again" in told["stale-capture/global"]


class Quantised:
    """Looks like an array; what it answers with is the user's code."""

    ran = 0

    def __init__(self) -> None:
        self.codes = np.arange(4)

    @property
    def dtype(self) -> Any:
        Quantised.ran += 1
        return self.codes.dtype

    shape = ndim = dtype

    def __getattr__(self, name: str) -> Any:
        Quantised.ran += 1
        raise RuntimeError("looked up")


def test_an_object_of_the_users_that_looks_like_an_array_is_not_asked():
    held = Quantised()
    first = marks.mark(held)
    held.codes = np.arange(4) + 1
    assert marks.mark(held).parts != first.parts
    assert Quantised.ran == 0


def test_a_sample_of_a_transposed_array_copies_nothing():
    big = np.zeros((2000, 2000), order="F")
    plain = marks.sample(big)
    tracemalloc.start()
    assert marks.sample(big) == plain
    big[0, 0] = 1.0
    assert marks.sample(big) != plain
    assert tracemalloc.get_traced_memory()[1] < 100_000
    tracemalloc.stop()


class Layer:
    """A model of a library or of the user's: it is called, and holds its weights."""

    def __init__(self) -> None:
        self.weight = jnp.ones(3)
        self.calls = 0
        self.rate = 2.0

    def __call__(self, x: Any) -> Any:
        return x * self.weight


def test_a_model_that_is_called_or_passed_on_is_stale(running: Session):
    """As a target network: its class is no array, and its attributes are named nowhere."""
    target = Layer()

    def replace() -> None:
        nonlocal target
        target = Layer()

    step = jax.jit(lambda x: jax.vmap(target)(x[None])[0])
    told = _stale(running, step, replace)
    assert "`target.weight` was float32[3] when it was traced" in told["stale-capture/closure"]


def test_an_attribute_of_self_that_is_a_model_is_stale(running: Session):
    agent = types.SimpleNamespace(target=Layer())

    class Agent:
        def __init__(self) -> None:
            self.target = agent.target

        def step(self, x: Any) -> Any:
            return jax.vmap(self.target)(x[None])[0]

    made = Agent()
    told = _stale(running, jax.jit(made.step), lambda: setattr(made, "target", Layer()))
    assert "`self.target.weight` was float32[3]" in told["stale-capture/self"]


def test_arrays_of_an_object_whose_attributes_are_read(running: Session):
    held = Layer()
    step = jax.jit(lambda x: x * held.weight)
    told = _stale(running, step, lambda: setattr(held, "weight", jnp.zeros(3)))
    assert "`held.weight` was float32[3]" in told["stale-capture/closure"]


@pytest.mark.parametrize("change", ["calls", "other weights"])
def test_what_the_code_does_not_use_of_an_object_is_left_alone(running: Session, change: str):
    held, by_name = Layer(), Layer()
    step = jax.jit(lambda x: jax.vmap(held)(x[None])[0] * by_name.rate)

    def changed() -> None:
        if change == "calls":
            held.calls += 1
        else:
            by_name.weight = jnp.zeros(3)

    assert _stale(running, step, changed) == {}


def test_variables_of_nnx_that_are_updated_in_place(running: Session):
    nnx = pytest.importorskip("flax.nnx")
    model = nnx.Linear(3, 3, rngs=nnx.Rngs(0))
    step = jax.jit(lambda x: model(x))
    told = _stale(running, step, lambda: model.kernel.set_value(jnp.zeros((3, 3))))
    assert "`model.kernel` was float32[3,3]" in told["stale-capture/closure"]
