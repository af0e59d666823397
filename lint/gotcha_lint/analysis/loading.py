"""Loaders and pipelines of data: whether their last batch may be smaller than the others."""

from __future__ import annotations

from collections.abc import Iterable

from gotcha_lint.analysis.values import Kind, Kwargs, Value
from gotcha_lint.analysis.varying import LOADED
from gotcha_lint.facts.loaders import BATCHES, EACH, ENDLESS, LOADERS, STEPS, Batching

DATASET = Value(Kind.ITER, of="dataset")  # its examples; batched, its item is a batch
_BATCH = Value(maybe=True)
_RAGGED = _BATCH._replace(varying=LOADED)


def loader_class(names: Iterable[str]) -> str:
    """The known loader among the classes that one derives from; "" where none is."""
    return next((name for name in names if name in LOADERS), "")


def loader(name: str, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """`DataLoader(data, batch_size=32)`."""
    return Value(Kind.ITER, of="loader", items=(_batch(LOADERS[name], args, kwargs),))


def is_dataset(value: Value) -> bool:
    return value.kind is Kind.ITER and value.of == DATASET.of


def piped(base: Value, name: str, args: tuple[Value, ...], kwargs: Kwargs) -> Value | None:
    """What a method of a dataset gives; None where that is not known."""
    if name in BATCHES:
        batch = _BATCH if base.literal == ENDLESS else _batch(BATCHES[name], args, kwargs)
        return base._replace(items=(batch,))
    if name == ENDLESS and not args and not kwargs and not base.items:
        return base._replace(literal=ENDLESS)
    if name in STEPS or name == ENDLESS or (name == EACH and not base.items):
        return base
    return None  # `map` may fill a batch up, `take` may end before the last


def _batch(how: Batching, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    size = args[how.size] if how.size < len(args) else kwargs.get("batch_size")
    flag = args[how.position] if 0 <= how.position < len(args) else kwargs.get(how.flag)
    own = kwargs.keys() & {"batch_sampler", "sampler", "batch_fn"}
    if size is None or size.kind is Kind.NONE or size.literal == 1 or own:
        return _BATCH
    return _RAGGED if flag is None or flag.literal is False else _BATCH
