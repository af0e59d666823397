"""Is a path relative? Read off the beginning of the text that it is made of."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Call, Place
from gotcha_lint.analysis.syntax import literal
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.optax import ABSOLUTE_PATHS
from gotcha_lint.interpret.faults.saved import RELATIVE_PATH
from gotcha_lint.queries.constants import constant
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import (
    Change,
    Example,
    Foreseen,
    Report,
    Rewrite,
    Rule,
    module_alias,
    text_of,
)
from gotcha_lint.solve.programs import Programs


class OrbaxRelativePath(Rule):
    """Gives Orbax a path that is relative to the working directory.

    ## What happens
    `ValueError: Checkpoint path should be absolute. Got runs/1.orbax-checkpoint-tmp`, when it is
    saved and when it is restored. `StandardCheckpointer.save` itself returns: the error comes from
    the thread in the background, and is raised by `wait_until_finished()`; without that nothing is
    saved, and nothing fails. A `CheckpointManager` is made without an error, and fails at its first
    `save`. `flax.training.checkpoints` saves by Orbax, and fails alike; so does `"~/runs"`.

    ## Instead
    `os.path.abspath("runs/1")`, or `pathlib.Path("runs/1").resolve()`.

    ## Not reported
    Paths of which nothing says how they begin. A default counts: of a parameter, of `argparse`, of
    `absl.flags`.

    ## In a run
    JAX has no part in it: the sanitizer sees nothing.
    """

    severity = "error"
    roots = frozenset({"orbax", "checkpoints"})
    examples = (
        Example(
            bad="""
                import os

                import jax.numpy as jnp
                import orbax.checkpoint as ocp

                state = {"w": jnp.ones(3)}
                checkpointer = ocp.PyTreeCheckpointer()
                checkpointer.save("runs/1", state, force=True)  # ! orbax-relative-path
            """,
            good="""
                import os

                import jax.numpy as jnp
                import orbax.checkpoint as ocp

                state = {"w": jnp.ones(3)}
                checkpointer = ocp.PyTreeCheckpointer()
                checkpointer.save(os.path.abspath("runs/1"), state, force=True)
            """,
            raises="Checkpoint path should be absolute",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(RELATIVE_PATH):
            yield Foreseen(
                (fault.path, fault.span),
                f'the path begins with "{fault.text[0]}" here, unless another one is given: it is '
                "relative, and Orbax refuses it when it saves; use `os.path.abspath`",
                fault.places,
            )

    def check(self, site: Call) -> Iterator[Report]:
        place = ABSOLUTE_PATHS.get(site.name)
        path = site.arg_node(*place) if place is not None else None
        if place is None or path is None or expected_to_fail(site.body, site.node):
            return
        value = site.arg(*place)
        text = value.literal if value is not None and value.kind is Kind.STATIC else None
        if _begins_relative(site, path) or _told(text):
            yield Report(
                path,
                f"`{text_of(path)}` is a relative path, which Orbax refuses: it raises when it "
                "saves, in the background if it saves there; use `os.path.abspath`",
                _fix(site, path),
            )


def _told(text: object) -> bool:
    return isinstance(text, str) and _is_relative(text)


def _fix(site: Call, path: cst.BaseExpression) -> Rewrite:
    os = module_alias(site.body, "os")
    change = Change(path, before=f"{os}.path.abspath(", after=")")
    return Rewrite("make the path absolute", (change,), imports=("os",))


# What gives the path that its first argument begins with.
_JOINS = frozenset(
    [
        *("os.path.join", "os.fspath", "os.path.normpath", "builtins.str", "pathlib.Path"),
        *("pathlib.PurePath", "pathlib.PosixPath", "etils.epath.Path", "etils.epath.path.Path"),
    ]
)
_STEPS = 8


def _begins_relative(place: Place, node: cst.BaseExpression) -> bool:
    """It certainly starts in the working directory: `"runs/1"`, `Path("runs") / name`."""
    text = _beginning(place, node, Flowing(place.body, place.at), _STEPS)
    return text is not None and _is_relative(text)


def _is_relative(text: str) -> bool:
    """No root, no drive, no scheme; of `"~"` and of variables somebody else takes care."""
    return bool(text) and text[0] not in "/\\~$%" and ":" not in text.partition("/")[0]


def _beginning(place: Place, node: cst.CSTNode, flowing: Flowing, steps: int) -> str | None:
    """The first characters of the text that an expression gives; None where they are not known."""
    if steps == 0:
        return None
    match node:
        case cst.SimpleString() | cst.ConcatenatedString():
            text = literal(node)
            return text if isinstance(text, str) else None
        case cst.FormattedString(parts=[cst.FormattedStringText(value=text), *_]):
            return text
        case cst.FormattedString(parts=[cst.FormattedStringExpression(expression=inner), *_]):
            return _beginning(place, inner, flowing, steps - 1)
        case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Divide()):
            return _beginning(place, left, flowing, steps - 1)
        case cst.Call(args=[first, *_]) if first.keyword is None and not first.star:
            call = place.body.call_of(node)
            known = call is not None and call.name in _JOINS
            return _beginning(place, first.value, flowing, steps - 1) if known else None
        case cst.Name(value=name):
            source, origin = flowing.origin(node)
            if source is not node:
                return _beginning(place, source, origin, steps - 1)
            written = constant(place.body, name)
            return None if written is None else _beginning(place, written, flowing, steps - 1)
    return None
