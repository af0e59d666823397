"""Each worker of a loader goes through the whole iterable dataset."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Register
from gotcha_lint.program.links import Links
from gotcha_lint.program.text import Text
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs

_LOADERS = frozenset(("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"))
_BASES = frozenset(
    ("torch.utils.data.IterableDataset", "torch.utils.data.dataset.IterableDataset")
)  # fmt: skip
_WORKERS = 5  # where `num_workers` stands
# A dataset that asks which worker it is in, or gets its part from somewhere else.
_SPLITS = frozenset(
    ("get_worker_info", "worker_info", "worker_id", "num_workers", "split_by_worker",
     "num_shards", "shard_id", "islice", "Queue", "SimpleQueue", "get_nowait")
)  # fmt: skip
_DRAWS = frozenset(
    ("random", "rand", "randn", "randint", "uniform", "normal", "choice", "choices", "sample",
     "random_sample", "integers", "permutation", "shuffle")
)  # fmt: skip


class DatasetRepeatedByWorkers(Rule):
    """Gives an iterable dataset of PyTorch to several workers, and does not split it.

    ## What happens
    No error. The loader copies the dataset into each worker, and each copy yields all of its
    examples. With 16 workers each example comes 16 times, one after the other. A loop that stops
    after `len(data) // batch_size` steps sees a sixteenth of the data. A dataset with `__getitem__`
    is split by its sampler; one with `__iter__` has to do it by itself.

    ## Instead
    Ask in `__iter__` which worker this is, and yield its part:

    ```python
    info = torch.utils.data.get_worker_info()
    first, step = (0, 1) if info is None else (info.id, info.num_workers)
    yield from itertools.islice(self.examples, first, None, step)
    ```

    Or `num_workers=1`.

    ## Not reported
    - loaders with a `worker_init_fn`, which may split the data;
    - datasets that draw examples at random without an end, and those of which a base class is not
      in the code;
    - the number of workers in a configuration: that is shown with `--all`.

    ## In a run
    Nothing.

    ## References
    https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import torch.utils.data as data


                class Batches(data.IterableDataset):
                    def __init__(self, batches):
                        self.batches = batches

                    def __iter__(self):
                        yield from self.batches


                batches = Batches([1, 2])
                loader = data.DataLoader(batches, num_workers=2)  # ! dataset-repeated-by-workers
                seen = [jnp.asarray(batch) for batch in loader]  # 1, 1, 2, 2
            """,
            good="""
                import itertools

                import jax.numpy as jnp
                import torch.utils.data as data


                class Batches(data.IterableDataset):
                    def __init__(self, batches):
                        self.batches = batches

                    def __iter__(self):
                        info = data.get_worker_info()
                        first, step = (0, 1) if info is None else (info.id, info.num_workers)
                        yield from itertools.islice(self.batches, first, None, step)


                batches = Batches([1, 2])
                loader = data.DataLoader(batches, num_workers=2)
                seen = [jnp.asarray(batch) for batch in loader]  # 1, 2
            """,
            unseen="PyTorch is not installed where the examples run",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            for function, call in text.steps("call"):
                workers = _workers(text, function, call)
                if workers is None:
                    continue
                found = _dataset(text, function, call)
                name = _unsplit(text.origins.links, found) if found is not None else ""
                if not name:
                    continue
                known = isinstance(workers, int)
                number = f"each of the {workers} workers" if known else "each worker"
                yield Foreseen(
                    (function.path, call[-1]),
                    f"{number} yields all of `{name}`, so each example comes "
                    f"{f'{workers} times' if known else 'once for each of them'}: split it in "
                    "`__iter__` by `get_worker_info()`",
                    certain=known,
                )


def _workers(text: Text, function: Function, call: Instruction) -> int | str | None:
    """How many workers a loader has, if they are several or a number that the code does not say."""
    if text.origins.names.of_call(function, call) not in _LOADERS:
        return None
    given = dict(call[4])
    if None in given or "worker_init_fn" in given or any(star for star, _ in call[3]):
        return None
    in_order = [register for _, register in call[3]]
    register = in_order[_WORKERS] if len(in_order) > _WORKERS else given.get("num_workers")
    if register is None:
        return None
    found = text.origins.of(function, register)
    made = found[1] if found is not None else None
    if made is None or isinstance(made, str) or made[0] != "const":
        return "unknown"
    return made[2] if type(made[2]) is int and made[2] > 1 else None


def _dataset(text: Text, function: Function, call: Instruction) -> Function | None:
    """The class of the dataset that a loader is given."""
    register: Register | None = call[3][0][1] if call[3] else dict(call[4]).get("dataset")
    link = text.origins.links.of_register(function, register) if register is not None else None
    return link.function if link is not None and link.kind == "instance" else None


def _unsplit(links: Links, body: Function) -> str:
    """The name of an iterable dataset that no method splits; "" for all others."""
    lineage = links.lineage(body)
    if lineage is None:
        return ""
    library = {name for _, parts in lineage for name in parts.library} - {
        "object",
        "typing.Generic",
    }
    if not library or not library <= _BASES:
        return ""
    methods = [i[2] for owner, _ in lineage for i in steps_of(owner) if i[0] == "closure"]
    iterates = [method for method in methods if method.name == "__iter__"]
    if not iterates or any(_splits(method) for method in methods):
        return ""
    return "" if any(_is_drawn(method) for method in methods) else body.name


def _splits(method: Function) -> bool:
    """Does it ask for its part, as by `data.shard(2, 0)`? `shard` of Flax is another."""
    shards = any(i[0] == "attr" and i[3] == "shard" for i in steps_of(method))
    return shards or not _SPLITS.isdisjoint(names_used(method))


def _is_drawn(method: Function) -> bool:
    """Does it draw examples without an end: `while True`?"""
    endless = any(i[0] == "while" for i in steps_of(method))
    return endless and not _DRAWS.isdisjoint(names_used(method))
