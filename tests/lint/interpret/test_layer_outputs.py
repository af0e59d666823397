"""What layers of Flax and Equinox give, against the libraries that are installed."""

from __future__ import annotations

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import pytest
from flax import nnx

from gotcha_lint.domain.value import Array, Size, Value, constant, fixed, only
from gotcha_lint.facts.layers import SHAPES
from gotcha_lint.interpret.calls import call, call_library
from gotcha_lint.interpret.engine import Engine
from gotcha_lint.interpret.layers.outputs import arrays_of
from gotcha_lint.program.modules import ModuleIndex

SPAN = (1, 1, 1, 2)
KEY = jax.random.key(0)
LINEN = [
    ("Dense", (5,), (2, 3), "float32"),
    ("Conv", (5, (3, 3)), (2, 8, 8, 3), "float32"),
    ("ConvTranspose", (5, (3, 3)), (2, 8, 8, 3), "float32"),
    ("Embed", (7, 5), (2, 3), "int32"),
    ("LayerNorm", (), (2, 3), "float32"),
    ("RMSNorm", (), (2, 3), "bfloat16"),
    ("GroupNorm", (1,), (2, 3), "float32"),
]
NNX = [
    ("Linear", (3, 5), (2, 3), "bfloat16"),
    ("Conv", (3, 5, (3, 3)), (2, 8, 8, 3), "float32"),
    ("Embed", (7, 5), (2, 3), "int32"),
    ("LayerNorm", (3,), (2, 3), "float32"),
    ("BatchNorm", (3,), (2, 3), "float32"),
    ("Dropout", (0.5,), (2, 3), "float32"),
]
EQUINOX = [
    ("Linear", (3, 5), (3,), "float32"),
    ("Linear", (3, "scalar"), (3,), "float32"),
    ("MLP", (3, 5, 8, 2), (3,), "float32"),
    ("Embedding", (7, 5), (), "int32"),
    ("LayerNorm", (3,), (3,), "bfloat16"),
]


@pytest.fixture
def machine() -> Engine:
    return Engine({}, ModuleIndex(()))


def array(shape: tuple[int, ...], dtype: str) -> Value:
    return only(Array(dtype, False, tuple(map(fixed, shape)), "device"))


def foreseen(machine: Engine, name: str, args: tuple[object, ...], operand: Value) -> Array:
    values = tuple(Value((), True) if isinstance(each, tuple) else constant(each) for each in args)
    layer = call_library(machine, name, values, {}, SPAN)
    found = call(machine, layer, (operand,), {}, SPAN).only
    assert isinstance(found, Array)
    return found


def agrees(found: Array, aval: jax.ShapeDtypeStruct) -> None:
    assert found.dtype == aval.dtype.name
    assert found.shape is not None
    assert len(found.shape) == len(aval.shape)
    for size, real in zip(found.shape, aval.shape, strict=True):
        assert size.constant in (None, real)
    assert found.shape[-1:] == () or found.shape[-1].constant == aval.shape[-1]


@pytest.mark.parametrize(("name", "args", "shape", "dtype"), LINEN)
def test_linen(machine: Engine, name, args, shape, dtype) -> None:
    module = getattr(nn, name)(*args)
    aval, _ = jax.eval_shape(lambda: module.init_with_output(KEY, jnp.ones(shape, dtype)))
    agrees(foreseen(machine, f"flax.linen.{name}", args, array(shape, dtype)), aval)


@pytest.mark.parametrize(("name", "args", "shape", "dtype"), NNX)
def test_nnx(machine: Engine, name, args, shape, dtype) -> None:
    aval = jax.eval_shape(
        lambda: getattr(nnx, name)(*args, rngs=nnx.Rngs(0))(jnp.ones(shape, dtype))
    )
    agrees(foreseen(machine, f"flax.nnx.{name}", args, array(shape, dtype)), aval)


@pytest.mark.parametrize(("name", "args", "shape", "dtype"), EQUINOX)
def test_equinox(machine: Engine, name, args, shape, dtype) -> None:
    keys = {} if name == "LayerNorm" else {"key": KEY}
    aval = jax.eval_shape(lambda: getattr(eqx.nn, name)(*args, **keys)(jnp.ones(shape, dtype)))
    agrees(foreseen(machine, f"equinox.nn.{name}", args, array(shape, dtype)), aval)


def test_each_row_is_a_layer_of_its_library() -> None:
    homes = {"flax.linen": nn, "flax.nnx": nnx, "equinox.nn": eqx.nn}
    for name in SHAPES:
        library, short = name.removesuffix(".attend").rsplit(".", 1)
        assert hasattr(homes[library], short), name


def test_an_operand_of_unknown_shape_gives_an_array_of_unknown_shape() -> None:
    (found,) = arrays_of(
        "flax.linen.Dense", constant(5), ("float32",), None, Value((), True), ("a.py", SPAN)
    )
    assert (found.dtype, found.shape) == (None, None)


def test_a_width_that_is_not_known_is_any_size() -> None:
    (found,) = arrays_of(
        "flax.linen.Dense", None, ("float32",), None, array((2, 3), "float32"), ("a.py", SPAN)
    )
    assert found.shape == (fixed(2), Size())
