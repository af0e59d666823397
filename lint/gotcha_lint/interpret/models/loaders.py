"""Data loaders: iterating over them gives another batch at each turn; the last may be shorter."""

from __future__ import annotations

from gotcha_lint.domain.value import UNKNOWN, Library, Value, only
from gotcha_lint.interpret.arrays import on_device
from gotcha_lint.interpret.call import Call, family, model


@family("torch.utils.data.", "tensorflow.", "tensorflow_datasets.", "datasets.", "grain.")
def unknown_data(call: Call) -> Value:
    return Value((), True, call.marks)


@model("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.trange", "tqdm.notebook.tqdm", "rich.progress.track")
def progress(call: Call) -> Value:
    """Goes over what it is given."""
    if call.short == "trange":
        counted = only(Library("builtins.range"))
        return call.engine.call(counted, call.args[:1], {}, call.span)
    return call.argument(0, "iterable")


@model("flax.jax_utils.prefetch_to_device")
def prefetch(call: Call) -> Value:
    return call.argument(0, "iterator")


@model("jax.device_put", "jax.device_put_replicated", "jax.device_put_sharded")
def device_put(call: Call) -> Value:
    return on_device(call.argument(0, "x")) if call.args else UNKNOWN
