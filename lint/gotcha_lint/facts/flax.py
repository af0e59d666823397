"""Facts about Flax (linen and nnx), Equinox, Haiku and other model libraries."""

from __future__ import annotations

from gotcha_lint.facts import Fact, Transform
from gotcha_lint.facts.jax import (
    ARRAY,
    CHECKPOINT,
    CUSTOM,
    GRAD,
    JIT,
    PMAP,
    VALUE_AND_GRAD,
    VMAP,
)

LIBRARIES = {
    "flax", "equinox", "haiku", "chex", "objax", "penzai", "brax", "distrax", "rlax", "clu",
    "jaxtyping", "orbax", "numpyro", "blackjax", "diffrax", "lineax", "optimistix", "jaxopt",
    "jraph", "gymnax", "evosax", "mctx", "einshape", "maxtext", "levanter", "haliax",
    "tensorflow_probability",
}  # fmt: skip

SCAN = Fact("function", Transform("scan", names=("target", "f")))


ROWS: dict[str, Fact] = {
    "flax.nnx.jit": Fact("function", Transform("nnx.jit")),
    "flax.nnx.pmap": Fact("function", Transform("nnx.pmap")),
    "flax.nnx.shard_map": Fact("function", Transform("shard_map")),
    "flax.nnx.grad": GRAD,
    "flax.nnx.value_and_grad": VALUE_AND_GRAD,
    "flax.nnx.vmap": VMAP,
    "flax.nnx.scan": SCAN,
    "flax.nnx.remat": CHECKPOINT,
    "flax.nnx.checkpoint": CHECKPOINT,
    "flax.nnx.custom_vjp": CUSTOM,
    "flax.nnx.eval_shape": Fact("shapes", Transform("eval_shape", gives="result")),
    "flax.nnx.cond": Fact(
        "cond", Transform("cond", (1, 2), ("true_fun", "false_fun"), gives="result")
    ),
    "flax.nnx.while_loop": Fact(
        "while", Transform("while", (0, 1), ("cond_fun", "body_fun"), gives="result")
    ),
    "flax.nnx.fori_loop": Fact("fori", Transform("fori", (2,), ("body_fun",), gives="result")),
    "flax.nnx.split": Fact("arrays-tree"),
    "flax.linen.jit": Fact("function", Transform("nn.transform", names=("target",))),
    "flax.linen.remat": Fact("function", Transform("checkpoint", names=("target",))),
    "flax.linen.checkpoint": Fact("function", Transform("checkpoint", names=("target",))),
    "flax.linen.scan": Fact("function", Transform("scan", names=("target",))),
    "flax.linen.vmap": Fact("function", Transform("vmap", names=("target",))),
    "flax.linen.make_causal_mask": ARRAY,
    "flax.linen.make_attention_mask": ARRAY,
    "flax.linen.dot_product_attention": ARRAY,
    "equinox.filter_jit": JIT,
    "equinox.filter_pmap": PMAP,
    "equinox.filter_grad": GRAD,
    "equinox.filter_value_and_grad": VALUE_AND_GRAD,
    "equinox.filter_vmap": VMAP,
    "equinox.filter_checkpoint": CHECKPOINT,
    "equinox.filter_custom_vjp": CUSTOM,
    "equinox.filter_eval_shape": Fact("shapes", Transform("eval_shape", gives="result")),
    "equinox.filter_make_jaxpr": Fact("function", Transform("make_jaxpr")),
    "equinox.partition": Fact("arrays-tree"),
    "equinox.filter": Fact("arrays-of"),
    "haiku.jit": JIT,
    "haiku.grad": GRAD,
    "haiku.remat": CHECKPOINT,
    "haiku.scan": Fact("scan", Transform("scan", (0,), ("f",), gives="result")),
    "haiku.transform": Fact("object:haiku.Transformed", Transform("module")),
    "haiku.transform_with_state": Fact("object:haiku.Transformed", Transform("module")),
    "objax.Jit": JIT,
    "penzai.pz.jit": JIT,
}
for _layer in [
    "silu",
    "gelu",
    "relu",
    "tanh",
    "sigmoid",
    "softmax",
    "log_softmax",
    "swish",
    "elu",
    "softplus",
    "leaky_relu",
    "standardize",
    "one_hot",
]:
    ROWS[f"flax.linen.{_layer}"] = ARRAY
    ROWS[f"flax.nnx.{_layer}"] = ARRAY

ALIASES = {
    "flax.linen.module.Module": "flax.linen.Module",
    "flax.experimental.nnx": "flax.nnx",
    "flax.core.frozen_dict.FrozenDict": "flax.core.FrozenDict",
    "flax.core.frozen_dict.freeze": "flax.core.freeze",
    "flax.core.frozen_dict.unfreeze": "flax.core.unfreeze",
    "flax.training.train_state.TrainState": "flax.training.train_state.TrainState",
    "penzai.core.struct": "penzai.pz",
    "haiku._src": "haiku",
}

MODULES: dict[str, Fact] = {
    "equinox.nn.": Fact(key=-1),  # a layer's first weights: given by keyword only
}
