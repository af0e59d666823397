"""What differs between the calls of a compiled function: types, sizes, structure, style."""

from __future__ import annotations

from typing import Any

from gotcha_lint.domain.met import Loops as LoopsMet
from gotcha_lint.domain.sites import Origin, Site
from gotcha_lint.domain.value import (
    NO_MARKS,
    Size,
    Symbol,
    is_of_unknown,
)
from gotcha_lint.interpret.batches import Batch, is_ragged
from gotcha_lint.interpret.events import (
    CompiledCall,
)
from gotcha_lint.interpret.indexing import cut_of
from gotcha_lint.interpret.leaves import Leaf
from gotcha_lint.interpret.own_sizes import is_rounded
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.compiled_functions import CompiledFunction, Loops, Place, Variation
from gotcha_lint.solve.structures import kinds


def compare(row: CompiledFunction, first: CompiledCall, other: CompiledCall) -> None:
    there: Place = (first.path, first.span, "the other call")
    top = [{p for p in c.leaves if "[" not in p and "." not in p} for c in (first, other)]
    names = other.style[1] ^ first.style[1]
    if names and len(top[0]) == len(top[1]) and top[0] & top[1] and not other.statics:
        row.variations.append(
            Variation("style", other, "`, `".join(sorted(names)), places=(there, *where(other)))
        )
    for path, leaf in other.leaves.items():
        old = first.leaves.get(path)
        if old is None or _constants(leaf) != _constants(old):
            continue
        mine, its = set(kinds(leaf)), set(kinds(old))
        if mine == its == {"leaf"}:
            _compare_types(row, other, path, leaf, old, there)
        elif len(mine) == len(its) == 1 and mine != its:
            words = {kind.split()[0] for kind in mine | its}
            if words == {"list", "tuple"}:
                _add(row, "structure", other, path, sorted(mine | its), (there,))


def _compare_types(
    row: CompiledFunction, call: CompiledCall, path: str, leaf: Leaf, old: Leaf, there: Place
) -> None:
    if not (len(leaf.dtypes) == len(old.dtypes) == 1):
        return
    if set(leaf.dtypes) != set(old.dtypes):
        places = (*_places(leaf.dtypes), *_places(old.dtypes), there)
        known = not (leaf.unknown or leaf.untyped or old.unknown or old.untyped)
        _add(row, "dtype", call, path, sorted({*leaf.dtypes, *old.dtypes}), places, known)
    elif len(leaf.weaks) == len(old.weaks) == 1 and set(leaf.weaks) != set(old.weaks):
        _add(row, "weak", call, path, [], (*_weak_places(leaf), *_weak_places(old), there))


def compare_leaves(row: CompiledFunction, calls: list[CompiledCall], met: LoopsMet) -> None:
    """What differs between the calls of one place in a loop.

    Alternatives of one call are no difference by themselves: a configuration may decide between
    them, once. They are where they vary with the loop, or where two calls have none in common.
    The elements of a list of many may be of several kinds side by side, the same ones at each call.
    """
    last = calls[-1]
    loops: Loops = frozenset().union(*(call.loops for call in calls))
    done: set[str] = set()
    for path in dict.fromkeys(path for call in calls for path in call.leaves):
        leaves = [call.leaves[path] for call in calls if path in call.leaves]
        around = NO_MARKS if "[*]" in path else loops
        merged = Leaf()
        for leaf in leaves:
            merged.add(leaf)
        alternatives = kinds(merged)
        seen = [{k: at for k, at in leaf.kinds.items() if k in alternatives} for leaf in leaves]
        if len(alternatives) > 1 and _differ(seen, leaves, around):
            _add(row, "structure", last, path, sorted(alternatives), _places(alternatives))
            row.keys |= {("structure", path, kind) for kind in alternatives}
        elif len(alternatives) > 1:
            continue
        elif _differ([leaf.dtypes for leaf in leaves], leaves, around):
            _add(row, "dtype", last, path, sorted(merged.dtypes), _places(merged.dtypes))
        elif len(merged.dtypes) <= 1:
            if _differ([leaf.weaks for leaf in leaves], leaves, around):
                _add(row, "weak", last, path, [], _weak_places(merged))
            _sizes(row, last, path, merged, leaves, loops, met, done)


def _differ(
    alternatives: list[dict[Any, Origin | None]], leaves: list[Leaf], around: Loops
) -> bool:
    """Is it certain that the calls see more than one of the alternatives?

    A call whose argument may be something unknown besides says nothing; two others may suffice.
    """
    sure = [
        (set(e), leaf) for e, leaf in zip(alternatives, leaves, strict=True) if not leaf.unknown
    ]
    known = [each for each, _ in sure if each]
    if len(sure) == len(leaves) and any(len(e) > 1 and leaf.marks & around for e, leaf in sure):
        return True
    return any(first.isdisjoint(second) for first in known for second in known)


def _sizes(
    row: CompiledFunction,
    call: CompiledCall,
    path: str,
    leaf: Leaf,
    leaves: list[Leaf],
    around: Loops,
    met: LoopsMet,
    done: set[str],
) -> None:
    for symbol, marks in leaf.symbols:
        batch = is_ragged(symbol) if marks & around else None
        if batch is not None and batch not in call.handled and "ragged" not in done:
            done.add("ragged")
            row.keys.add(("ragged", path))
            made = (*batch.made, "this loader keeps the last, smaller batch")
            row.variations.append(Variation("ragged", call, path, places=(made, *where(call))))
    cuts = [cut for symbol, _ in leaf.symbols if (cut := cut_of(symbol)) is not None]
    sizes = [
        (axis, size, origin)
        for (rank, axis), (size, origin) in leaf.sizes.items()
        if rank or (rank, axis) in leaves[-1].sizes  # a list may be emptied in the iteration
    ]
    sizes += [(axis, size, None) for axis, size in cuts]
    # Of several axes that vary, one is told of, if possible one that surely does.
    for axis, size, origin in sorted(sizes, key=lambda each: not _is_sure(each[1], around)):
        places: tuple[Place, ...] = tuple(
            (*at, "the size comes from here") for at in (origin, size.origin) if at
        )
        loops = size.marks & around
        batch = _batch_of_size(size)
        if batch is not None and batch not in call.handled and "ragged" not in done:
            done.add("ragged")
            made = (*batch.made, "this loader keeps the last, smaller batch")
            row.variations.append(
                Variation("ragged", call, path, axis=axis, places=(made, *where(call)))
            )
        elif size.ragged and size.ragged[0] not in call.handled and "ragged" not in done:
            done.add("ragged")
            row.keys.add(("ragged", path))
            row.variations.append(
                Variation("ragged", call, path, axis=axis, places=(*places, *where(call)))
            )
        elif loops and not size.few and size.constant is None and "shape" not in done:
            if is_rounded(size.affine):
                continue
            done.add("shape")
            certain = _size_differs(leaves, axis, around)
            if any(size is cut for _, cut in cuts):
                certain = certain and not _is_amortized(call, loops, met)
            row.variations.append(
                Variation(
                    "shape", call, path, loops=loops, axis=axis,
                    places=(*places, *where(call)), certain=certain,
                )
            )  # fmt: skip


def _batch_of_size(size: Size) -> Batch | None:
    """The batch of a loader whose length this is: of what was reshaped to its rows."""
    names = size.affine[0] if size.affine is not None else ()
    symbol = names[0][0] if len(names) == 1 else None
    if not isinstance(symbol, Symbol) or symbol.path[-1:] != ("len",):
        return None
    return is_ragged(Symbol(symbol.root, symbol.path[:-1]))


def _is_amortized(call: CompiledCall, loops: Loops, met: LoopsMet) -> bool:
    """Is it called again and again with each size, in a loop within the one that changes it?"""
    inner = [loop for loop in call.loops - loops if isinstance(loop, tuple) and len(loop) == 3]
    rounds = ((outer, met.turns(outer)) for outer in loops)
    few = [o for o, turns in rounds if turns is None or (turns.constant or 0) <= _FEW_SIZES]
    return any(
        isinstance(outer, tuple) and outer[0] == loop[0] and outer[1] < loop[1]
        for loop in inner
        for outer in few
    )


_FEW_SIZES = 8  # that a program may be compiled for, one after the other


def _size_differs(leaves: list[Leaf], axis: int, around: Loops) -> bool:
    """Is it certain, in one of the calls? Elements of something unknown may be of one length."""
    sizes = [size for leaf in leaves for (_, at), (size, _) in leaf.sizes.items() if at == axis]
    cuts = [cut_of(symbol) for leaf in leaves for symbol, _ in leaf.symbols]
    sizes += [cut[1] for cut in cuts if cut is not None and cut[0] == axis]
    return any(_is_sure(size, around) for size in sizes)


def _is_sure(size: Size, around: Loops) -> bool:
    return bool(size.marks & around) and not is_of_unknown(size.affine)


def _add(
    row: CompiledFunction,
    kind: str,
    call: CompiledCall,
    label: str,
    alternatives: list[str],
    places: tuple[Place, ...],
    certain: bool = True,
) -> None:
    around = (*places, *where(call))
    row.variations.append(
        Variation(kind, call, label, tuple(alternatives), places=around, certain=certain)
    )


def _places(alternatives: dict[str, Origin | None]) -> tuple[Place, ...]:
    return tuple((*at, f"{what} from here") for what, at in alternatives.items() if at)


def _weak_places(leaf: Leaf) -> tuple[Place, ...]:
    words = {True: "weakly typed from here", False: "strongly typed from here"}
    return tuple((*at, words[weak]) for weak, at in leaf.weaks.items() if at)


def _constants(leaf: Leaf) -> tuple[Any, ...]:
    return tuple(sorted((axis, size.constant or -1) for axis, (size, _) in leaf.sizes.items()))


def where(call: CompiledCall) -> tuple[Place, ...]:
    """The places that every finding about a compiled call shows."""
    out: list[Place] = [
        (call.site.path, call.site.span, "compiled here"),
        (call.path, call.span, "called here"),
    ]
    function = call.function
    if function is not None and not _decorates(call.site, function):
        line = (function.line, 1, function.line, 1)
        out.append((function.path, line, f"`{function.name}` is defined here"))
    return tuple(out)


def _decorates(site: Site, function: Function) -> bool:
    """The jit stands just above the `def`: one place shows both."""
    return site.path == function.path and function.first <= site.span[0] < function.line
