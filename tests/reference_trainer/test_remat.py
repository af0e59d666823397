"""What a layer that is computed again keeps for the way back, in bytes and by name."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import pytest

# gotcha: allow[private-import] what `print_saved_residuals` prints
from jax._src.ad_checkpoint import saved_residuals

from reference_trainer.config import Config
from reference_trainer.data.batch import Batch, empty
from reference_trainer.model import backbone
from tests.reference_trainer.support import SMALL

ROWS, STEPS, WIDTH = 2, 32, 64
UNIT = ROWS * STEPS * WIDTH * 2  # bytes of one layer's input in bfloat16
BASE = SMALL.replace(
    model={"width": WIDTH, "head_width": 32, "depth": 1, "mlp": 4},
    compute={"dtype": "bfloat16", "remat": "full"},
    data={"length": STEPS, "batch": ROWS},
)
# The input of the layer; the attention; q, k and v, the projection, and the MLP's hidden values.
# The layer's own last product is an output, which no gradient needs.
EXPECTED = {"full": 1, "attention": 1 + 1, "dots": 1 + 1 + 3 + 1 + 4}


def saved(config: Config) -> int:
    """Bytes of activations kept for the way back, of one layer; no parameters, no row numbers."""
    params = jax.eval_shape(lambda: backbone.init(jax.random.key(0), config=config))
    batch = Batch(*(jnp.asarray(leaf) for leaf in empty(ROWS, STEPS, 1, 1)))
    group, x_BTD = params["layers"][0], jax.ShapeDtypeStruct((ROWS, STEPS, WIDTH), jnp.bfloat16)
    rows = backbone.Rows(batch.segments, batch.positions, packed=True)

    def layer(group: dict, x_BTD: jax.Array) -> jax.Array:
        return backbone._run_group(x_BTD, group, None, rows=rows, config=config)

    found: list[tuple[Any, str]] = saved_residuals(layer, group, x_BTD)
    kept = [aval for aval, _ in found if aval.shape[:2] == (ROWS, STEPS)]
    assert not [a for a in kept if a.dtype == jnp.float32 and a.size >= UNIT // 2]
    sizes = [aval.size * aval.dtype.itemsize for aval in kept]
    return sum(size for size in sizes if size >= UNIT)


@pytest.mark.parametrize("attention", ["xla", "chunked"])
@pytest.mark.parametrize("remat", backbone.KEPT)
def test_what_is_named_is_kept_in_bfloat16(remat, attention):
    config = BASE.replace(compute={"remat": remat, "attention": attention, "chunk": 16})
    assert saved(config) == EXPECTED[remat] * UNIT


@pytest.mark.parametrize(("remat", "forward"), [("full", 2), ("attention", 1), ("dots", 1)])
def test_the_kernel_of_cudnn_runs_forward_once(monkeypatch, remat, forward):
    """Lowered for CUDA, with no such device: the calls are in the text."""
    kernels = pytest.importorskip("jax._src.cudnn.fused_attention_stablehlo")
    monkeypatch.setattr(kernels, "check_cudnn_version", lambda: 91000)
    monkeypatch.setattr(kernels, "check_compute_capability", lambda _: True)
    config = BASE.replace(
        model={"depth": 2}, compute={"remat": remat, "attention": "cudnn"},
        data={"batching": "bucket"},
    )  # fmt: skip
    params = jax.eval_shape(lambda: backbone.init(jax.random.key(0), config=config))
    batch = Batch(*(jnp.asarray(leaf) for leaf in empty(ROWS, STEPS, 1, 1)))

    def loss(params: dict) -> jax.Array:
        return jnp.sum(backbone.hidden(params, batch, config).astype(jnp.float32))

    traced = jax.jit(jax.grad(loss)).trace(params)
    text = traced.lower(lowering_platforms=("cuda",)).as_text()
    calls = re.findall(r"@__cudnn\$fmhaSoftmax(Backward)?", text)
    assert calls.count("") == 2 * forward
    assert calls.count("Backward") == 2


@pytest.mark.parametrize(("kind", "times"), [("attention", 18), ("ssm", 23)])
def test_a_scanned_layer_keeps_nothing_that_is_cheap_to_compute(kind, times):
    """As multiples of its input: no five arrays for a GELU, no float32 copies for a norm."""
    depth, steps = 3, 256
    config = Config().replace(
        model={"width": 256, "depth": depth, "pattern": (kind,), "head_width": 64, "state": 128},
        compute={"dtype": "bfloat16", "layers": "scan", "attention": "chunked", "ssm_chunk": 128},
        data={"length": steps, "batch": ROWS},
    )
    params = jax.eval_shape(lambda: backbone.init(jax.random.key(0), config=config))
    batch = Batch(*(jnp.asarray(leaf) for leaf in empty(ROWS, steps, 1, 1)))

    def loss(params: dict) -> jax.Array:
        return jnp.sum(backbone.hidden(params, batch, config).astype(jnp.float32))

    traced = jax.make_jaxpr(jax.grad(loss))(params).jaxpr
    forward = next(e for e in traced.eqns if e.primitive.name == "scan")
    kept = sum(v.aval.size * v.aval.dtype.itemsize for v in forward.outvars)
    assert kept < times * depth * ROWS * steps * 256 * 2


def test_a_scanned_layer_has_no_mask_of_its_own():
    """What is made before the loop has at most T * T numbers a row, not a head; no mask is kept."""
    depth, steps, heads = 2, 128, 4
    config = Config().replace(
        model={"width": 64, "depth": depth, "head_width": 64 // heads},
        compute={"layers": "scan", "attention": "xla"},
        data={"length": steps, "batch": ROWS},
    )
    params = jax.eval_shape(lambda: backbone.init(jax.random.key(0), config=config))
    batch = Batch(*(jnp.asarray(leaf) for leaf in empty(ROWS, steps, 1, 1)))

    def loss(params: dict) -> jax.Array:
        return jnp.sum(backbone.hidden(params, batch, config))

    traced = jax.make_jaxpr(jax.grad(loss))(params).jaxpr
    forward = next(e for e in traced.eqns if e.primitive.name == "scan")
    given = [v.aval for v in forward.invars[: forward.params["num_consts"]]]
    assert max(aval.size for aval in given) <= ROWS * steps**2
    kept = [v.aval for v in forward.outvars if v.aval.shape[-2:] == (steps, steps)]
    assert [(aval.shape[1:], aval.dtype) for aval in kept] == [
        ((ROWS, heads, steps, steps), jnp.float32)  # the weights of the softmax, and no more
    ]
