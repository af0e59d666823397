"""What should hold of any training run, checked over the looks at one step. Pure: plain values.

No reference run is needed: each law says what a series of arguments shows by itself, such as that
weights which are updated move, that counters count, and that replicas stay equal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.training import Flow, Leaf, Look
from gotcha_sanitizer.values.words import plural

_LOOKS = 8  # fewer say nothing about what never changes
_SAME_BATCH = 8
_SHOWN = 3


@dataclass(frozen=True)
class Broken:
    """A law that a run breaks. `info`: often meant so."""

    cause: str
    message: str
    advice: str
    severity: str = "warning"
    site: Site | None = None
    leaves: tuple[str, ...] = ()


@dataclass
class Series:
    """All looks at one call, and what is known of the function that it calls."""

    looks: list[Look] = field(default_factory=list)
    flow: Flow | None = None

    def carried(self, name: str) -> list[Leaf]:
        return [look.carried[name] for look in self.looks if name in look.carried]

    def inputs(self, name: str) -> list[Leaf]:
        return [look.inputs[name] for look in self.looks if name in look.inputs]

    @property
    def names(self) -> list[str]:
        """Of the state: without what stays a number of Python's own, as a module's settings do."""
        if not self.looks:
            return []
        last = self.looks[-1].carried
        return [n for n in self.looks[0].carried if n not in last or not last[n].is_python]

    @property
    def input_names(self) -> list[str]:
        return list(self.looks[0].inputs) if self.looks else []

    @property
    def trains(self) -> bool:
        return self.flow is not None and self.flow.trains


Law = Callable[[Series], Iterator[Broken]]


def broken(series: Sequence[Series]) -> Iterator[tuple[Series, Broken]]:
    """Each law over each series, and those that need two of them."""
    whole = []
    for each in series:
        if (end := _turned_nan(each)) < len(each.looks):
            yield each, _nan(each, end)
            each = Series(each.looks[:end], each.flow)
        if each.looks:
            whole.append(each)
    for each in whole:
        for law in LAWS:
            for found in law(each):
                yield each, found
    yield from _old_weights(whole)
    yield from _dropout_in_evaluation(whole)


# -- NaN: all that holds still from there on follows from it ---------------------------------------


def _turned_nan(series: Series) -> int:
    """The first look from which on each has a NaN in the state or the results; else their count."""
    end = len(series.looks)
    while end and _with_nan(series.looks[end - 1]):
        end -= 1
    return end


def _with_nan(look: Look) -> list[str]:
    return [
        name for each in (look.carried, look.results) for name, leaf in each.items() if leaf.nan
    ]


def _nan(series: Series, end: int) -> Broken:
    first = series.looks[end]
    names = _with_nan(first)
    return Broken(
        "turned-nan",
        f"{_list(names)} of call {first.number + 1:,} of this step: NaN, there and in each look "
        "after it; what follows from that, such as weights that no longer move, is not listed",
        "`gotcha-sanitize nan` with this program names the operation that made the first NaN",
        "error",
        leaves=tuple(names),
    )


# -- the state ---------------------------------------------------------------------------------


def _is_still(leaves: Sequence[Leaf]) -> bool:
    return len({leaf.digest for leaf in leaves}) == 1


def _moves(series: Series) -> list[str]:
    """Floating-point leaves of the state that change over the run."""
    return [n for n in series.names if _float(series, n) and not _is_still(series.carried(n))]


def _float(series: Series, name: str) -> bool:
    return series.carried(name)[0].is_float


def nothing_moves(series: Series) -> Iterator[Broken]:
    floats = [name for name in series.names if _float(series, name)]
    kept = series.flow.kept if series.flow else ()
    for root in dict.fromkeys(map(_root, floats)) if len(series.looks) >= _LOOKS else ():
        of_root = [name for name in floats if _root(name) == root]
        leaves = [series.carried(name) for name in of_root]
        if not series.trains or not all(map(_is_still, leaves)):
            continue
        if all(each[0].zero for each in leaves):
            continue
        if all(name in kept for name in of_root):
            continue
        yield Broken(
            "nothing-moves",
            f"nothing of `{root}` has changed in {plural(len(series.looks), 'look')} at this "
            f"step: {_list(of_root)}",
            "use what the step returns; look at the learning rate, and at which parameters the "
            "optimizer was given",
            "error",
            leaves=tuple(of_root),
        )


def never_moved(series: Series) -> Iterator[Broken]:
    """Single leaves, while others of the state move; those that are kept on purpose are a note."""
    if len(series.looks) < _LOOKS or not _moves(series):
        return
    still = [n for n in series.names if _float(series, n) and _is_still(series.carried(n))]
    moving = {_root(name) for name in _moves(series)}
    stuck = {_root(name) for name in _stuck_counters(series)}
    still = [
        n for n in still if _root(n) in moving or n in (series.flow.kept if series.flow else ())
    ]
    still = [n for n in still if not (series.carried(n)[0].zero and _root(n) in stuck)]
    paths = tuple(filter(None, (_path(n) for n in still if not series.carried(n)[0].zero)))
    # The moments of a weight that has no gradient are zero: the weight is what is to be named.
    still = [n for n in still if not (series.carried(n)[0].zero and n.endswith(paths))]
    kept = series.flow.kept if series.flow else ()
    cuts = series.flow.cut if series.flow else {}
    groups: dict[tuple[str, str], list[str]] = {}
    for name in still:
        why = cuts.get(name, "")
        frozen = "kept" if name in kept and not why else ""
        groups.setdefault((frozen, why), []).append(name)
    for (frozen, why), names in groups.items():
        low = [n for n in names if series.carried(n)[0].dtype in ("bfloat16", "float16")]
        reason = f": {why}" if why else ""
        if frozen:
            reason = ": the step gives them back as they are, as a mask of the optimizer does"
        elif not why and low:
            reason = f": updates below the last digit of {series.carried(low[0])[0].dtype} are lost"
        elif not why:
            reason = ": the step computes them again, and gets the same"
        yield Broken(
            "never-moved",
            f"{_list(names)} never moved in {plural(len(series.looks), 'look')}, while "
            f"{_list(_moves(series), 1)} did{reason}",
            "if they are not frozen on purpose, look at what the optimizer was given, at masks, "
            "and at what the loss does with them; keep statistics that the step returns",
            "info" if frozen else "warning",
            leaves=tuple(names),
        )


def stopped(series: Series) -> Iterator[Broken]:
    """Leaves that moved at first, and then no more, to the end."""
    half = len(series.looks) // 2
    if half < _LOOKS:
        return
    ended = []
    for name in series.names:
        leaves = series.carried(name)
        if leaves[0].is_float and not _is_still(leaves) and _is_still(leaves[-half:]):
            ended.append(name)
    if ended:
        yield Broken(
            "stopped",
            f"{_list(ended)} moved at first, and not at all in the last {plural(half, 'look')}",
            "look at the learning rate there (a schedule that has come to its end), at clipping, "
            "and at what is skipped when a value is not finite",
            leaves=tuple(ended),
        )


def counters(series: Series) -> Iterator[Broken]:
    """A counter that stands still, or that goes back."""
    stuck = _stuck_counters(series)
    back = [
        name
        for name in series.names
        if series.carried(name)[0].is_counter
        and any((b.value or 0) < (a.value or 0) for a, b in pairwise(series.carried(name)))
    ]
    if stuck:
        yield Broken(
            "counter-stuck",
            f"{_list(stuck)} stands still while weights move: a schedule sees one step for ever",
            "keep the optimizer state that `update` returns; do not initialise it in the loop",
            leaves=tuple(stuck),
        )
    if back:
        yield Broken(
            "restarts",
            f"{_list(back)} goes back: the optimizer's state begins again, with its moments and "
            "its schedule",
            "initialise the optimizer once; restore its state with the weights",
            leaves=tuple(back),
        )


def _stuck_counters(series: Series) -> list[str]:
    if len(series.looks) < _LOOKS or not _moves(series):
        return []
    counts = [name for name in series.names if series.carried(name)[0].is_counter]
    return [name for name in counts if _is_still(series.carried(name))]


def low_precision(series: Series) -> Iterator[Broken]:
    """Weights of 16 bits that are updated in place, without a copy of 32."""
    first = series.looks[0].carried
    wide = {leaf.shape for leaf in first.values() if leaf.dtype in ("float32", "float64")}
    low = [
        name
        for name, leaf in first.items()
        if leaf.dtype in ("bfloat16", "float16") and leaf.shape and leaf.shape not in wide
    ]
    if low and series.trains:
        yield Broken(
            "16-bit-weights",
            f"{_list(low)} are {first[low[0]].dtype}, and the state holds no float32 of their "
            "shape: updates below a 256th of a weight are lost",
            "keep the weights in float32, and cast them for the forward pass",
            leaves=tuple(low),
        )


def twins(series: Series) -> Iterator[Broken]:
    """Two copies of the weights that move, and are the same at each look."""
    if len(series.looks) < _LOOKS:
        return
    by_contents: dict[tuple[int, ...], list[str]] = {}
    for name in _moves(series):
        leaves = series.carried(name)
        if leaves[0].shape and not any(leaf.constant for leaf in leaves):
            by_contents.setdefault(tuple(leaf.digest for leaf in leaves), []).append(name)
    pairs = [names for names in by_contents.values() if len(names) > 1]
    if pairs:
        yield Broken(
            "twins",
            f"{_list(pairs[0])} hold the same numbers at each look: a copy that should lag behind "
            "does not",
            "look at the decay of the average (0 copies), and at which weights are copied",
            leaves=tuple(pairs[0]),
        )


def replicas(series: Series) -> Iterator[Broken]:
    apart = [name for name in series.looks[-1].drifting if name not in series.looks[0].drifting]
    if apart:
        yield Broken(
            "replicas-drift",
            f"{_list(apart)} were the same on all devices and are no more: each device trains a "
            "model of its own",
            "average the gradients over the devices (`lax.pmean`) before the update",
            "error",
            leaves=tuple(apart),
        )


# -- inputs and results --------------------------------------------------------------------------


def unused(series: Series) -> Iterator[Broken]:
    """Arrays of the batch that no result depends on."""
    if not series.trains or series.flow is None:
        return
    gone = [name for name in series.flow.unused if name not in series.names]
    arrays = [n for n in series.input_names if series.inputs(n)[0].shape]
    if gone:
        batch = {n for n in arrays if not series.inputs(n)[0].key}
        whole = bool(batch) and batch <= set(gone)
        yield Broken(
            "unused-input",
            f"no result of this step depends on {_list(gone)}"
            + (": the loss does not depend on the batch at all" if whole else ""),
            "use it in the loss, or do not pass it",
            "error" if whole else "warning",
            leaves=tuple(gone),
        )


def constant_loss(series: Series) -> Iterator[Broken]:
    if len(series.looks) < _LOOKS:
        return
    changing = any(not _is_still(series.inputs(n)) for n in series.input_names) or _moves(series)
    names = [n for n, leaf in series.looks[0].results.items() if leaf.is_float]
    for name in names:
        leaves = [look.results[name] for look in series.looks if name in look.results]
        if changing and series.trains and len(leaves) >= _LOOKS and _is_still(leaves):
            yield Broken(
                "constant-result",
                f"{name} is {leaves[0].value:.6g} at each of {plural(len(leaves), 'look')}, while "
                "the weights or the batches change",
                "a loss that does not change depends on neither: look at what it is computed from",
                leaves=(name,),
            )


def batches(series: Series) -> Iterator[Broken]:
    """The same batch at each step, or the same order of batches in each epoch."""
    arrays = [n for n in series.input_names if series.inputs(n)[0].shape]
    arrays = [n for n in arrays if not series.inputs(n)[0].key]
    orders = [tuple(leaf.digest for leaf in series.inputs(n)) for n in arrays]
    run = _consecutive(series.looks)
    orders = [order[:run] for order in orders if len(order) >= run]
    if not series.trains or not orders or run < _SAME_BATCH:
        return
    together = list(zip(*orders, strict=True))
    period = _period(together)
    if period == 1:
        yield Broken(
            "same-batch",
            f"{_list(arrays)} hold the same numbers at each of {plural(run, 'look')}",
            "if the whole data set is not one batch, look at where the iterator is made",
            "info",
            leaves=tuple(arrays),
        )
    elif period:
        yield Broken(
            "order-repeats",
            f"the batches come again after {plural(period, 'step')}, in the same order each time",
            "shuffle with another seed in each epoch",
            leaves=tuple(arrays),
        )


def _consecutive(looks: Sequence[Look]) -> int:
    """How many looks, from the first, are at calls that follow each other."""
    return next((i for i, look in enumerate(looks) if look.number != i), len(looks))


def _period(values: Sequence[object]) -> int:
    """After how many elements a sequence repeats itself, seen twice or more; else 0."""
    for period in range(1, len(values) // 2 + 1):
        if all(a == b for a, b in zip(values, values[period:], strict=False)):
            return period
    return 0


def keys(series: Series) -> Iterator[Broken]:
    """A random key that is the same in each call, and that numbers are drawn from."""
    looks = series.looks
    if len(looks) < 2 or series.flow is None:
        return
    every: list[tuple[str, list[Leaf]]] = [(n, series.inputs(n)) for n in series.input_names]
    every += [(n, series.carried(n)) for n in series.names]
    same = [
        name
        for name, leaves in every
        if len(leaves) > 1 and leaves[0].key and _is_still(leaves) and name in series.flow.draws
    ]
    if same:
        yield Broken(
            "same-key",
            f"{_list(same)} is the same random key in each of {plural(len(looks), 'look')}, and "
            "each call draws the same numbers from it",
            "split the key before each call, or fold the number of the step into it",
            "warning" if series.trains else "info",
            leaves=tuple(same),
        )


# -- what a second evaluation saw ------------------------------------------------------------------


def observed(series: Series) -> Iterator[Broken]:
    seen: dict[tuple[str, Site, int], list[bool]] = {}
    for look in series.looks:
        for each in look.observed:
            seen.setdefault((each.kind, each.site, each.index), []).append(each.true)
    first = series.looks[-1].stood_in if series.looks else ()
    given = f" (evaluated again with {_list(first)} of the first call)" if first else ""
    told: set[tuple[str, Site]] = set()
    for (kind, site, _), outcomes in seen.items():
        if len(outcomes) < _LOOKS // 2 or len(set(outcomes)) > 1 or (kind, site) in told:
            continue
        if outcomes[0] or kind != "masked":
            told.add((kind, site))
        if kind == "masked" and outcomes[0]:
            yield Broken(
                "all-masked",
                f"all of this is zero in each of {plural(len(outcomes), 'look')}: a mask lets "
                f"nothing through, or no unit of the layer is active{given}",
                "print the mask, and the values before it",
                site=site,
            )
        elif kind == "norm below":
            acts = "never" if outcomes[0] else "always"
            yield Broken(
                f"clipping-{acts}-acts",
                f"the norm that is compared here was {'below' if outcomes[0] else 'above'} its "
                f"limit in each of {plural(len(outcomes), 'look')}: clipping {acts} acts{given}",
                "choose the limit from the norms that a run shows"
                + ("" if outcomes[0] else "; gradients that are always cut are as good as scaled"),
                "info" if outcomes[0] else "warning",
                site=site,
            )


# -- two functions ---------------------------------------------------------------------------------


def _old_weights(series: Sequence[Series]) -> Iterator[tuple[Series, Broken]]:
    """A function that is given the first weights again and again, while training goes on."""
    first: dict[tuple[str, int], str] = {}
    for training in series:
        for name in _moves(training):
            leaf = training.carried(name)[0]
            if leaf.shape and not leaf.constant:
                first[_tail(name), leaf.digest] = name
    for other in series:
        if other.trains or len(other.looks) < 2 or not first:
            continue
        old = [
            name
            for name in other.input_names
            if _is_still(other.inputs(name))
            and (_tail(name), other.inputs(name)[0].digest) in first
        ]
        if old:
            yield (
                other,
                Broken(
                    "old-weights",
                    f"{_list(old)} are those that training began with, in each of "
                    f"{plural(len(other.looks), 'look')}: what is measured here does not change",
                    "pass the weights that the training step has returned",
                    "error",
                    leaves=tuple(old),
                ),
            )


def _dropout_in_evaluation(series: Sequence[Series]) -> Iterator[tuple[Series, Broken]]:
    """Random zeros in a function that takes no gradient, of weights that another one trains."""
    shapes = {
        (_tail(name), each.carried(name)[0].shape)
        for each in series
        if each.trains
        for name in each.names
        if each.carried(name)[0].is_float
    }
    for other in series:
        if other.flow is None or other.trains or other.flow.dropout is None or not other.looks:
            continue
        if any((_tail(n), other.inputs(n)[0].shape) in shapes for n in other.input_names):
            yield (
                other,
                Broken(
                    "dropout-in-evaluation",
                    "this function takes no gradient and sets random elements to zero, with the "
                    "weights that are trained elsewhere: dropout is on while the model is measured",
                    "evaluate with `deterministic=True`, `train=False` or `model.eval()`",
                    site=other.flow.dropout,
                ),
            )


# --------------------------------------------------------------------------------------------------

LAWS: tuple[Law, ...] = (
    nothing_moves,
    never_moved,
    stopped,
    counters,
    low_precision,
    twins,
    replicas,
    unused,
    constant_loss,
    batches,
    keys,
    observed,
)


def _tail(name: str) -> str:
    """What follows the variable's name: `state.params['w']` and `p['w']` end alike in `['w']`."""
    start = min((i for i in (name.rfind("["), name.rfind(".")) if i >= 0), default=0)
    return name[start:]


def _path(name: str) -> str:
    """The path in a tree of weights, with which that of their moments ends: `s[0].mu['a']['w']`."""
    start = name.find("[") if "[" in name else name.rfind(".")
    return name[start:] if start >= 0 else ""


def _root(name: str) -> str:
    """The argument that a leaf belongs to."""
    return re.split(r"[.\[]", name, maxsplit=1)[0]


def _list(names: Sequence[str], most: int = _SHOWN) -> str:
    shown = ", ".join(f"`{name}`" for name in list(names)[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def by_function(looks: Sequence[Look], flows: Mapping[str, Flow]) -> list[Series]:
    """The looks of each call, in order, with the flow of its function."""
    found: dict[tuple[str, Site], Series] = {}
    for look in looks:
        series = found.setdefault((look.function, look.site), Series())
        series.looks.append(look)
        series.flow = flows.get(look.function)
    return list(found.values())
