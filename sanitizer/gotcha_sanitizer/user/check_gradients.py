"""`check_gradients(loss, params, *args)`: does the gradient say what the loss does?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gotcha_sanitizer.guard import unseen


@dataclass(frozen=True)
class LeafCheck:
    """One parameter. `error` is the largest one over the directions, relative to their `scale`."""

    path: str
    shape: tuple[int, ...]
    dtype: str
    error: float
    expected: float  # by finite differences, in the direction with the largest error
    found: float  # by the gradient, in the same direction
    problem: str = ""  # zero, non-finite, dtype, wrong; or empty


@dataclass(frozen=True)
class GradientReport:
    """What was found for each parameter, the worst first. It is true where nothing is wrong.

    A gradient that is zero everywhere is told, but is no error where the loss agrees.
    """

    leaves: tuple[LeafCheck, ...]
    tolerance: float
    loss: float

    @property
    def worst(self) -> LeafCheck | None:
        return self.leaves[0] if self.leaves else None

    @property
    def ok(self) -> bool:
        return all(leaf.problem in ("", "zero") for leaf in self.leaves)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        if self.ok:
            yield f"gradients agree with finite differences to {self.tolerance:.1g}"
        else:
            yield f"gradients are wrong: worst is {self.leaves[0].path}"
        for leaf in self.leaves:
            if leaf.problem:
                kind = f"{leaf.dtype}[{','.join(map(str, leaf.shape))}]"
                yield f"  {leaf.path} {kind}: {_WORDS[leaf.problem].format(leaf=leaf)}"


_WORDS = {
    "zero": "the gradient is exactly zero",
    "non-finite": "the gradient has a NaN or an infinity; `first_nan` finds where it was made",
    "dtype": "the gradient is of another dtype than the parameter",
    "wrong": "the loss changes by {leaf.expected:.4g} along a direction, the gradient says "
    "{leaf.found:.4g} (relative error {leaf.error:.2g})",
}
_RANK = {"non-finite": 0, "wrong": 1, "dtype": 2, "zero": 3, "": 4}


class BadLoss(TypeError):
    """The loss or its parameters cannot be checked; the message says why."""


def check_gradients(
    loss: Callable[..., Any],
    params: Any,
    *args: Any,
    directions: int = 2,
    tolerance: float | None = None,
    seed: int = 0,
) -> GradientReport:
    """Compares `jax.grad(loss)(params, *args)` with central differences, parameter by parameter.

    For each leaf `p` and random unit direction `v` (of its shape, from a seeded generator),
    `(loss(p + h v) - loss(p - h v)) / 2h` is compared with `sum(grad * v)`. The step `h` is
    `eps^(1/3) * max(1, |p|)`, with the machine epsilon of the loss and the Euclidean norm of the
    leaf; there, the error of the formula and that of rounding are about equal. A leaf of lower
    precision gets a step of at least 4 of its own epsilons, and `v` is what is left of the step
    after rounding. The difference is divided by the larger of both sides, but at least by what
    rounding alone may give (`eps * |loss| / h`, over the tolerance). The default tolerance is ten
    steps: 0.05 in float32, 6e-5 in float64, 0.3 with bfloat16 parameters.

    A loss with a kink (relu, max) near `params` may differ along one direction. The loss runs two
    times for each leaf and direction, compiled. A loss that draws random numbers needs a fixed key.

    Raises BadLoss, a TypeError, where `loss` does not give one real number, or a leaf of `params`
    is not of floats.
    """
    with unseen():
        return _check(loss, params, args, directions, tolerance, seed)


@dataclass(frozen=True)
class _Checked:
    """One run of the check: all that does not depend on the leaf."""

    run: Callable[[list[Any]], Any]  # leaves -> loss, compiled
    leaves: list[np.ndarray]
    loss: float
    eps: float  # of the loss
    tolerance: float

    def moved(self, index: int, by: np.ndarray) -> tuple[float, np.ndarray]:
        """The loss with one leaf moved, and the leaf as it is then, after rounding."""
        at = self.leaves[index]
        there = (at.astype(np.float64) + by).astype(at.dtype)
        new = [*self.leaves[:index], there, *self.leaves[index + 1 :]]
        # gotcha: allow[host-read-every-step] differences are taken on the host, in float64
        return float(self.run(new)), there.astype(np.float64)


def _check(
    loss: Callable[..., Any],
    params: Any,
    args: tuple[Any, ...],
    directions: int,
    tolerance: float | None,
    seed: int,
) -> GradientReport:
    import jax

    flat, tree = jax.tree_util.tree_flatten_with_path(params)
    paths = [jax.tree_util.keystr(path) or "params" for path, _ in flat]
    _require_floats(paths, [leaf for _, leaf in flat])
    shape = jax.eval_shape(loss, params, *args)
    _require_scalar(shape)
    value, grads = jax.jit(jax.value_and_grad(loss))(params, *args)
    leaves = [np.asarray(jax.numpy.asarray(leaf)) for _, leaf in flat]
    eps = _eps(shape.dtype)
    if tolerance is None:
        tolerance = 10 * max((_step(eps, leaf) for leaf in leaves), default=0.0)
    run = jax.jit(lambda moved: loss(jax.tree_util.tree_unflatten(tree, moved), *args))
    check = _Checked(run, leaves, float(value), eps, tolerance)
    generator = np.random.default_rng(seed)
    found = []
    given = map(np.asarray, jax.tree_util.tree_leaves(grads))
    for index, (path, grad) in enumerate(zip(paths, given, strict=True)):
        samples = [_difference(check, index, grad, generator) for _ in range(directions)]
        found.append(_judged(path, leaves[index], grad, samples, tolerance))
    found.sort(key=lambda leaf: (_RANK[leaf.problem], -leaf.error))
    return GradientReport(tuple(found), tolerance, float(value))


def _eps(dtype: Any) -> float:
    import jax.numpy as jnp

    return float(jnp.finfo(dtype).eps)


def _step(eps: float, leaf: np.ndarray) -> float:
    """The length of a step, for a leaf of length one."""
    return max(eps ** (1 / 3), 4 * _eps(leaf.dtype))


def _difference(
    check: _Checked, index: int, grad: np.ndarray, generator: np.random.Generator
) -> tuple[float, float, float]:
    """(relative error, by finite differences, by the gradient) along one random direction."""
    leaf = check.leaves[index]
    direction = generator.standard_normal(leaf.shape)
    direction /= max(float(np.linalg.norm(direction)), 1e-30)
    step = _step(check.eps, leaf) * max(1.0, float(np.linalg.norm(leaf.astype(np.float64))))
    above, high = check.moved(index, step * direction)
    below, low = check.moved(index, -step * direction)
    expected = (above - below) / (2 * step)
    found = float(np.sum(grad.astype(np.float64) * (high - low))) / (2 * step)
    floor = check.eps * max(abs(check.loss), 1e-30) / step / check.tolerance
    return abs(expected - found) / max(abs(expected), abs(found), floor), expected, found


def _judged(
    path: str,
    leaf: np.ndarray,
    grad: np.ndarray,
    samples: list[tuple[float, float, float]],
    allowed: float,
) -> LeafCheck:
    finite = bool(np.isfinite(grad).all())
    error, expected, found = max(samples, default=(0.0, 0.0, 0.0))
    if not finite or not np.isfinite([expected, found]).all():
        error, problem = float("inf"), "non-finite"
    elif error > allowed:
        problem = "wrong"
    elif grad.dtype != leaf.dtype:
        problem = "dtype"
    else:
        problem = "" if np.any(grad) else "zero"
    return LeafCheck(path, leaf.shape, str(leaf.dtype), error, expected, found, problem)


def _require_floats(paths: list[str], leaves: list[Any]) -> None:
    for path, leaf in zip(paths, leaves, strict=True):
        dtype = str(getattr(leaf, "dtype", type(leaf).__name__))
        if not dtype.startswith(("float", "bfloat")):
            raise BadLoss(
                f"parameter {path} is {dtype}: only floats have a gradient; take it out of `params`"
            )


def _require_scalar(shape: Any) -> None:
    if not hasattr(shape, "shape") or not hasattr(shape, "dtype"):
        kind = type(shape).__name__
        raise BadLoss(f"the loss gives a {kind}, not one number: return the loss alone, no aux")
    if shape.shape != ():
        raise BadLoss(f"the loss has shape {tuple(shape.shape)}: reduce it, as by `.mean()`")
    if not str(shape.dtype).startswith(("float", "bfloat")):
        raise BadLoss(f"the loss is {shape.dtype}: it must be a real number of a float dtype")
