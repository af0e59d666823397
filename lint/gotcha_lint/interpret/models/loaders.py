"""Data loaders: iterating over them gives another batch at each turn; the last may be shorter."""

from __future__ import annotations

from gotcha_lint.domain.value import (
    NO_MARKS,
    NONE,
    UNKNOWN,
    Library,
    Object,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    constant,
    fixed,
    only,
)
from gotcha_lint.facts.loaders import ANEW, BATCHES, ENDLESS, LAZY, LOADERS, STEPS, Batching
from gotcha_lint.facts.loaders import EACH as MAP
from gotcha_lint.interpret.arrays import lead, on_device
from gotcha_lint.interpret.batches import (
    BATCH_SIZE,
    DROPPED,
    Batch,
    as_batch,
    batch_of,
    keeps_rest,
)
from gotcha_lint.interpret.call import Call, alias, family, methods, model
from gotcha_lint.interpret.containers.building import new_container
from gotcha_lint.interpret.faults.discards import changes_nothing
from gotcha_lint.interpret.faults.donated import WHOLE, placed
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.start.backend import note_loader

_DATASETS = (
    "tensorflow.data.Dataset.",
    "tensorflow_datasets.load",
    "grain.MapDataset.",
    "grain.IterDataset.",
    "datasets.Dataset.",
    "datasets.load_dataset",
)
alias(
    {
        "torch.utils.data.dataloader.DataLoader": "torch.utils.data.DataLoader",
        "grain.python.MapDataset": "grain.MapDataset",
        "grain.python.IterDataset": "grain.IterDataset",
        "datasets.arrow_dataset.Dataset": "datasets.Dataset",
    }
)


@family("torch.utils.data.", "tensorflow.", "tensorflow_datasets.", "datasets.", "grain.")
def unknown_data(call: Call) -> Value:
    if call.name.startswith(_DATASETS):
        made = _dataset(call, None, False, not call.name.startswith("datasets."))
        split = call.keyword("split")
        parts = contents(call.engine, split) if split is not None else None
        if call.name == "tensorflow_datasets.load" and isinstance(parts, Tuple):
            return only(Tuple((made,) * len(parts.items), call.origin))
        return made
    if call.name == "tensorflow_datasets.as_numpy":
        return call.argument(0, "dataset")
    return Value((), True, call.marks)


@model(*LOADERS)
def loader(call: Call) -> Value:
    """`DataLoader(data, batch_size=32)`: a sequence of batches."""
    _note_workers(call)
    whole = Batch(call.origin)
    batch = Symbol(whole, (), call.origin)
    ragged = _is_ragged(call, LOADERS[call.name])
    collate = call.keyword("collate_fn")
    if collate is None or collate.is_none:
        each = only(batch) if ragged else UNKNOWN
        return only(Sequence(each, Size(), call.origin))
    size = call.get(1, "batch_size")
    rows = fixed(size.constant) if size is not None and type(size.constant) is int else Size()
    rows = Size(rows.low, rows.high, NO_MARKS, None, None, (whole, None)) if ragged else rows
    examples = new_container(call.engine, "list", Sequence(UNKNOWN, rows), call.span)
    made = call.engine.call(collate, (examples,), {}, call.span)
    return only(Sequence(as_batch(made, batch) if ragged else made, Size(), call.origin))


def _note_workers(call: Call) -> None:
    """Torch forks its workers; those that use nothing but NumPy seldom hang."""
    workers = call.get(5, "num_workers") if call.name.startswith("torch.") else None
    chosen = call.keyword("multiprocessing_context")
    if workers is None or workers.constant == 0 or not (chosen is None or chosen.is_none):
        return
    note_loader(call.engine, call.name, call.span)


def _is_ragged(call: Call, how: Batching, start: int = 0) -> bool:
    """Is the size of a batch given, and the remainder kept? `start`: of the arguments."""
    size, flag = _size_and_flag(call, how, start)
    return keeps_rest(size, flag) and not call.keywords.keys() & _OWN_WAY


_OWN_WAY = {"batch_sampler", "sampler", "batch_fn", "*"}


def _size_and_flag(call: Call, how: Batching, start: int) -> tuple[Value | None, Value | None]:
    size = call.get(start + how.size, "batch_size")
    known = how.position >= 0
    return size, call.get(start + how.position, how.flag) if known else call.keyword(how.flag)


@model(*(f"{name}.__init__" for name in LOADERS))
def loader_of_subclass(call: Call) -> Value:
    """`super().__init__(data, batch_size=32)`: the object keeps what says how its batches end."""
    me = call.args[0].only if call.args else None
    name = call.name.removesuffix(".__init__")
    if isinstance(me, Object) and not call.keywords.keys() & (_OWN_WAY | {"collate_fn"}):
        size, flag = _size_and_flag(call, LOADERS[name], 1)
        call.engine.write((me.site, BATCH_SIZE), NONE if size is None else size)
        call.engine.write((me.site, DROPPED), constant(False) if flag is None else flag)
    return NONE


def _dataset(call: Call, batch: Symbol | None, endless: bool, lazy: bool) -> Value:
    """A pipeline of examples, or of batches. `lazy`: `map` computes nothing by itself."""
    site = call.engine.allocate("object", call.span, "dataset")
    site.info.update(name="dataset", batch=batch, endless=endless, lazy=lazy)
    return only(Object(site, call.origin))


@methods("object:dataset")
def dataset_method(call: Call) -> Value:
    """Steps of a pipeline. What `map` does to a batch is not known, nor where `take` ends."""
    assert isinstance(call.on, Object)
    info, name = call.on.site.info, call.short
    batch, endless, lazy = info["batch"], info["endless"], info["lazy"]
    if name in ANEW or (lazy and name in LAZY):
        changes_nothing(call)
    if name in BATCHES:
        ragged = not endless and _is_ragged(call, BATCHES[name])
        made = Symbol(Batch(call.origin), (), call.origin) if ragged else None
        return _dataset(call, made, endless, lazy)
    if name == ENDLESS and not call.args and not call.keywords:
        return _dataset(call, batch, batch is None, lazy)
    if name in STEPS or name == ENDLESS or (name == MAP and batch is None):
        return Value((call.on,), False, call.receiver.marks)
    return Value((), True, call.marks)


@model(
    *("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.notebook.tqdm", "rich.progress.track"),
    *("tqdm.trange", "tqdm.auto.trange", "tqdm.notebook.trange"),
)
def progress(call: Call) -> Value:
    """Goes over what it is given."""
    if call.short == "trange":
        counted = only(Library("builtins.range"))
        return call.engine.call(counted, call.args, {}, call.span)
    return call.argument(0, "iterable")


@model("flax.jax_utils.prefetch_to_device")
def prefetch(call: Call) -> Value:
    return call.argument(0, "iterator")


@model("flax.training.common_utils.shard")
def shard(call: Call) -> Value:
    """The rows are dealt out to the devices: a short batch is short on each of them, or fails."""
    value = call.argument(0, "xs")
    return value if batch_of(value) is not None else lead(value, Size())


@model("jax.device_put_sharded")
def device_put_sharded(call: Call) -> Value:
    """A list of trees, one for each device, becomes one tree of arrays with an axis more."""
    return placed(call, Value((), True, call.marks)) if call.args else UNKNOWN


@model("jax.device_put", "jax.device_put_replicated")
def device_put(call: Call) -> Value:
    if not call.args:
        return UNKNOWN
    value = call.argument(0, "x")
    out = value if batch_of(value) is not None else on_device(value)
    return placed(call, out)


@model("jax.sharding.PartitionSpec")
def partition(call: Call) -> Value:
    """`P()` puts all of an array on each device."""
    whole = frozenset((WHOLE,)) if not call.args else NO_MARKS
    return Value((), True, call.marks | whole)
