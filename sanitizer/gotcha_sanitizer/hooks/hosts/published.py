"""What one host publishes of its programs: their operations and the values that must agree.

Nothing is computed where there is one host. A value that is not ready yet, or lies in other parts
on each host, has no digest; of a large one a sample is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gotcha_sanitizer.hooks import internals, private
from gotcha_sanitizer.hooks.constants import inner_jaxprs
from gotcha_sanitizer.hooks.readiness import is_on_cpu, is_ready
from gotcha_sanitizer.run.agreement import Entry
from gotcha_sanitizer.values.parts import Site

_EQUATIONS = 50_000
_LEAVES, _LATER = 500, 20  # of one call, whose values are looked at
_FIRST, _MOST = 50, 10_000  # programs: with the first number of leaves, and at all
_SAMPLE = 4096  # elements

entries: list[Entry] = []  # of this process, in order
on_entry: list[Callable[[], None]] = []  # called when there is one more


@dataclass(frozen=True, slots=True)
class Print:
    """Of one program: `spans` hosts, its operations, and values that must agree."""

    spans: bool = False
    digest: str = ""
    agree: Mapping[str, str] | None = None


def of_call(jax: Any, call: internals.Call) -> Print | None:
    """At the start of a trace; None where there is one host."""
    found = internals.hosts(jax)
    if found is None or found[1] < 2:
        return None
    leaves = _leaves(jax, call)
    spans = any(_spans(leaf) for leaf in leaves.values())
    spans |= any(map(_spans, internals.shardings(call.info)))
    digests = {name: _value(jax, leaf) for name, leaf in leaves.items()}
    return Print(spans, "", {name: digest for name, digest in digests.items() if digest})


def _leaves(jax: Any, call: internals.Call) -> dict[str, Any]:
    """The arguments by their path, without static ones: those may differ in their addresses."""
    names, static = internals.static_names(call.info, len(call.args))
    given = [*zip(names, call.args, strict=False), *call.kwargs.items()]
    dynamic = {name: value for name, value in given if name not in static}
    flat, _ = jax.tree_util.tree_flatten_with_path(dynamic)
    most = _LEAVES if len(entries) < _FIRST else _LATER  # a storm must not fill the memory
    return {path[0].key + jax.tree_util.keystr(path[1:]): leaf for path, leaf in flat[:most]}


def of_program(started: Print, jaxpr: Any) -> Print:
    """Once it was traced."""
    made = hashlib.blake2b(digest_size=8)
    spans = started.spans
    for part, far in _parts(jaxpr):
        made.update(part.encode())
        spans |= far
    return Print(spans, made.hexdigest(), started.agree)


def publish(made: Print | None, function: str, shapes: str, site: Site | None) -> None:
    if made is not None and made.spans and len(entries) < _MOST:
        entries.append(Entry(function, shapes, site, made.digest, made.agree or {}))
        for told in on_entry:
            told()


def as_json(entry: Entry) -> dict[str, Any]:
    return {
        "function": entry.function,
        "shapes": entry.shapes,
        "path": entry.site.path if entry.site else "",
        "line": entry.site.line if entry.site else 0,
        "digest": entry.digest,
        "agree": dict(entry.agree),
    }


def _parts(jaxpr: Any) -> Iterator[tuple[str, bool]]:
    """Of each equation: its name, results and literals; does it name devices of other hosts?"""
    seen = 0
    for closed in inner_jaxprs(jaxpr):
        for equation in getattr(closed, "jaxpr", closed).eqns:
            if (seen := seen + 1) > _EQUATIONS:
                return
            literals = [
                str(v.val)[:40] for v in equation.invars if np.ndim(getattr(v, "val", [0])) == 0
            ]
            results = [str(v.aval) for v in equation.outvars]
            far = any(_spans(value) for value in equation.params.values())
            yield f"{equation.primitive.name}({','.join(literals)}){','.join(results)};", far


def _spans(thing: Any) -> bool:
    """An array, a sharding or a mesh that has devices of several hosts."""
    if getattr(thing, "is_fully_addressable", True) is False:
        return True
    return getattr(thing, "is_multi_process", False) is True


def _value(jax: Any, leaf: Any) -> str:
    """Of a value that has to be the same on all hosts; empty where it need not, or is not known."""
    try:
        host = _on_host(jax, leaf)
        if host is None:
            return ""
        flat = np.ascontiguousarray(host.reshape(-1)[:: max(1, host.size // _SAMPLE)])
        return hashlib.blake2b(flat.tobytes(), digest_size=8).hexdigest()
    except Exception:  # deleted meanwhile, a dtype that numpy does not know
        return ""


def _on_host(jax: Any, leaf: Any) -> np.ndarray[Any, Any] | None:
    if isinstance(leaf, (bool, int, float, complex, np.ndarray, np.generic)):
        return np.asarray(leaf)
    if not isinstance(leaf, jax.Array) or isinstance(leaf, jax.core.Tracer):
        return None
    if jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = getattr(leaf, private.KEY_DATA, None)
    if leaf is None or not is_ready(leaf) or not leaf.is_fully_replicated:
        return None
    if leaf.nbytes > 2**16 and not is_on_cpu(leaf):
        return None
    return np.asarray(leaf.addressable_data(0))
