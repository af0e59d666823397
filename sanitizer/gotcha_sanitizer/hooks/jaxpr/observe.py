"""Evaluates a step a second time, to see what its results do not show.

It is compiled as a program of its own, from the traced one: nothing of the user's runs again, and
nothing is donated. Seen are the norms that are compared with a limit, after the gradient, and what
is zero throughout in the forward pass. Loops are not entered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gotcha_sanitizer.frames import owner
from gotcha_sanitizer.hooks.jaxpr import jaxprs
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.training import Observed

_BELOW, _ABOVE = ("lt", "le"), ("gt", "ge")
_MASKING = ("mul", "select_n", "max")
_ROOT = "sqrt"
_SAME = ("squeeze", "convert_element_type", "reshape", "copy", "add", "max")  # a norm is one still
_OPAQUE = ("shard_map",)  # its body runs on each device
_MOST = 64  # things that are looked at in one program


class Observer:
    """A program that gives what was seen in another one."""

    def __init__(self, jax: Any, jaxpr: Any) -> None:
        self.jaxpr = jaxpr
        self._jax = jax
        self._seen: list[tuple[str, Site]] = []
        self._run = jax.jit(self._evaluate)

    def __call__(self, arrays: Sequence[Any]) -> tuple[Observed, ...]:
        """`arrays`: the inputs of the program. Waits for the device."""
        found = self._run(*arrays)
        return tuple(
            Observed(kind, site, bool(each), index)
            for index, ((kind, site), each) in enumerate(zip(self._seen, found, strict=True))
        )

    def _evaluate(self, *arrays: Any) -> list[Any]:
        self._seen.clear()
        outs: list[Any] = []
        self._walk(self.jaxpr, list(arrays), (), outs, set())
        return outs

    def _walk(
        self,
        closed: Any,
        given: list[Any],
        calls: tuple[Any, ...],
        outs: list[Any],
        roots: set[int],
    ) -> tuple[list[Any], set[int]]:
        """The outputs; and which of them are roots, as a norm is. `roots`: which inputs are."""
        core, consts = jaxprs.opened(closed)
        values = dict(zip((*core.invars, *core.constvars), (*given, *consts), strict=True))
        norms = {core.invars[index] for index in roots}
        factors: set[Any] = set()  # something divided by a norm

        def read(var: Any) -> Any:
            return var.val if hasattr(var, "val") else values[var]

        def is_norm(var: Any) -> bool:
            return not hasattr(var, "val") and var in norms

        for equation in core.eqns:
            name = equation.primitive.name
            ins = [read(var) for var in equation.invars]
            inner = None if name in _OPAQUE else jaxprs.body(equation)
            if inner is not None:
                below = {i for i, var in enumerate(equation.invars) if is_norm(var)}
                results, rooted = self._walk(inner, ins, (equation, *calls), outs, below)
                norms |= {equation.outvars[i] for i in rooted}
            else:
                results = jaxprs.bind(equation, ins)
                first, *_ = equation.invars or (None,)
                if name == _ROOT or (name in _SAME and first is not None and is_norm(first)):
                    norms.add(equation.outvars[0])
                if name == "div" and is_norm(equation.invars[1]):
                    factors.add(equation.outvars[0])
                is_factor = [not hasattr(v, "val") and v in factors for v in equation.invars]
                if name == "min" and any(is_factor) and results[0].shape == ():
                    other = ins[1 - is_factor.index(True)]  # `min(1, limit / norm)`
                    self._add("norm below", equation, calls, results[0] == other, outs)
                self._look(equation, calls, ins, results, list(map(is_norm, equation.invars)), outs)
            values.update(zip(equation.outvars, results, strict=True))
        rooted = {i for i, var in enumerate(core.outvars) if is_norm(var)}
        return [read(var) for var in core.outvars], rooted

    def _look(
        self,
        equation: Any,
        calls: tuple[Any, ...],
        ins: list[Any],
        results: list[Any],
        norms: list[bool],
        outs: list[Any],
    ) -> None:
        if len(outs) >= _MOST:
            return
        name, scope = equation.primitive.name, self._scope(equation, calls)
        jnp, out = self._jax.numpy, results[0]
        if name in _BELOW + _ABOVE and any(norms) and getattr(out, "shape", None) == ():
            first = norms[0] == (name in _BELOW)  # the norm is the one that is to be below
            self._add("norm below", equation, calls, out if first else ~out, outs)
        elif name in _MASKING and getattr(out, "ndim", 0) and "float" in str(out.dtype):
            literal = any(hasattr(var, "val") for var in equation.invars)
            if "transpose(" in scope or literal != (name == "max"):
                return
            full = [each for each in ins if getattr(each, "shape", ()) == out.shape]
            full = [each for each in full if "float" in str(each.dtype)]
            if full:
                other = jnp.stack([jnp.any(each != 0) for each in full]).any()
                self._add("masked", equation, calls, ~jnp.any(out != 0) & other, outs)

    def _scope(self, equation: Any, calls: tuple[Any, ...]) -> str:
        return "/".join(jaxprs.scope(each) for each in (*reversed(calls), equation))

    def _add(
        self, kind: str, equation: Any, calls: tuple[Any, ...], found: Any, outs: list[Any]
    ) -> None:
        site = jaxprs.site(equation, *calls)
        if site is None or (kind == "masked" and owner(site.path) != "user"):
            return
        self._seen.append((kind, site))
        outs.append(found)
