"""Notes operations that are wrong for what they are given."""

from __future__ import annotations

from gotcha_lint.domain.sites import Origin, Site, Span
from gotcha_lint.domain.value import Value
from gotcha_lint.interpret.events import Remark
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.ir import Function

DOUBLE_SOFTMAX = "double softmax"
LOG_OF_SOFTMAX = "log of softmax"
CAST_UNDONE = "cast undone"
AFTER_IMPORT = "variable after import"
LIBRARY_NAME = "name of a library"
CALLED_DEVICE = "device is called"
ABSENT_NAME = "asked for in vain"
ENTERED_MESH = "mesh is entered"
NUMBER_MASK = "float mask"
TUPLE_OF_ONE, RATE_OF_ONE = "tuple of one", "rate in a tuple of one"
REBUILT_TUPLE = "tuple is rebuilt"
CAUGHT_IN_VAIN = "never raised"
LOST_CONSTANT = "constant is lost"
RESTORED_STATE = "restored without target"
EXCHANGED_FIELDS = "exchanged fields"
DISCARDED = "update is discarded"
IN_PLACE = "array is changed in place"
INDEXED_STATE = "state is indexed"
DICT_TEST = "test for dict"
UNCHECKED_SHAPES = "shapes are not checked"
CACHE_ASKED = "cache asked", "cache asked in a trace"  # for what it may have to compute
# That a value has none while JAX traces.
OF_TRACES = frozenset(
    ("test", "larger", "mask", "sized", "size", "bound", "cast", "looked up", "shown", "formatted")
)
LEAF = "iterator as a leaf"
UNTYPED_MESH = "mesh without types"
EAGER_INIT = "eager init"
FIXED_FLAG = "fixed flag"  # of the command line
NO_ATTRIBUTE = "no attribute of an array"
METADATA = "metadata"  # of a variable: kept, and not used


def remark(
    machine: Machine,
    kind: str,
    span: Span,
    *text: str,
    places: tuple[tuple[str, Span, str], ...] = (),
    maybe: bool = False,
    at: Origin | None = None,
    about: tuple[str, int, int] | None = None,
    given: Value | None = None,
) -> None:
    """Notes a fault at `span`, or at another place."""
    path, span = (machine.path, span) if at is None else at
    machine.note(
        Remark(
            kind=kind,
            text=text,
            path=path,
            span=span,
            within=machine.activation.function,
            places=places,
            maybe=maybe or bool(machine.maybe),
            about=about,
            given=given,
            calls=machine.calls,
        )
    )


def note(
    machine: Machine,
    kind: str,
    function: Function,
    span: Span,
    *text: str,
    places: tuple[tuple[str, Span, str], ...] = (),
    maybe: bool = False,
) -> None:
    """Notes a fault in a function that is not run."""
    machine.note(
        Remark(
            kind=kind, text=text, path=function.path, span=span, within=function, places=places,
            maybe=maybe, about=None, given=None, calls=(),
        )
    )  # fmt: skip


def note_eager_init(machine: Machine, model: Function, span: Span) -> None:
    """Notes that the weights of a model are made outside of a trace, operation by operation."""
    if not machine.traced:
        about = model.path, model.line, model.end_line
        remark(machine, EAGER_INIT, span, model.name, about=about)


def note_asked(machine: Machine, cache: Site, span: Span) -> None:
    """Notes that a cache is asked for what it keeps."""
    remark(machine, CACHE_ASKED[bool(machine.traced)], span, cache.path, *map(str, cache.span))
