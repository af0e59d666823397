"""What starts JAX's backend and makes arrays, and what is set, as effects in program order.

`solve/startup.py` asks which comes first. Each function notes its first start that happens in each
run of it; a caller takes that over as its own, at its call. What happens under a condition of a
callee says nothing to the caller. A setting counts for a caller where the callee does nothing else.
"""

from __future__ import annotations

from gotcha_lint.domain.record import replaced
from gotcha_lint.domain.sites import Frame, Origin, Span
from gotcha_lint.domain.value import Array, Constant, Value
from gotcha_lint.facts.environment import READ_AT_IMPORT, READ_AT_START, STARTS_BACKEND
from gotcha_lint.facts.options import INITIALIZE, UPDATES
from gotcha_lint.facts.options import READ_AT_START as OPTIONS
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.events import Effect, Location
from gotcha_lint.interpret.heap import mapping_of
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.settings import (
    X64,
    asks_whether_initialized,
    is_narrow_on_purpose,
    only_sets,
    options_set,
    starts_processes,
    word_at,
)
from gotcha_lint.program.ir import Function

PROCESS = Frame(Function("<process>", "", 0))
BACKEND: Location = (PROCESS, "backend")
STARTED, MADE = "starts the backend", "makes an array"
JOINED, OPTION, VARIABLE, WIDENED = "joins", "sets an option", "sets a variable", "widens"
BELOW = "|"
STARTS = (STARTED, MADE)
SETTINGS = (JOINED, OPTION, VARIABLE, WIDENED)
_MAKERS = ("jax.numpy.", "jax.random.", "jax.nn.", "jax.lax.", "jax.device_put")
_EAGER = ("flax.nnx.", "equinox.nn.")  # layers, which make their weights at once
_SETTERS = ("os.environ.setdefault", "os.putenv")


def note_started(machine: Machine, what: str, span: Span) -> None:
    """The backend runs from now on."""
    _note_start(machine, STARTED, what, span)


def note_made(machine: Machine, what: str, span: Span) -> None:
    """Arrays are made, of the precision that is set now."""
    if machine.traced or MADE in machine.activation.started:
        return
    if not is_narrow_on_purpose(machine.activation.function, span):
        _note_start(machine, MADE, what, span)


def _note_start(machine: Machine, kind: str, what: str, span: Span) -> None:
    started = machine.activation.started
    if machine.traced or kind in started:
        return
    note(machine, kind, what, span)
    if not machine.guards:
        started.add(kind)


def note_result(
    machine: Machine, name: str, keywords: dict[str, Value], out: Value, span: Span
) -> None:
    """After a function of a library."""
    if machine.traced:
        return
    arrays = [atom for atom in out.atoms if isinstance(atom, Array)] if not out.unknown else []
    on_device = bool(arrays) and all(array.place == "device" for array in arrays)
    short = name.rpartition(".")[2]
    if name in STARTS_BACKEND or (on_device and name.startswith("jax.")):
        note_started(machine, short, span)
    if on_device and name.startswith(_MAKERS):
        if all(array.dtype != "key" and array.key is None for array in arrays):
            note_made(machine, short, span)
    elif name.startswith(_EAGER) and ("rngs" in keywords or "key" in keywords):
        note_made(machine, short, span)


def started_by_import(machine: Machine) -> Origin | None:
    """What has started the backend for certain, while another module was imported."""
    started = machine.read(BACKEND)
    atom = started.only if started is not None else None
    origin = atom.origin if isinstance(atom, Constant) else None
    if origin is None or origin[0] == machine.path:
        return None
    sure = (at for at, is_sure, _ in machine.import_starts.values() if is_sure)
    return origin if origin in sure else None


def note_setting(
    machine: Machine, name: str, args: tuple[Value, ...], keywords: dict[str, Value], span: Span
) -> None:
    """What a call sets that JAX reads once."""
    if machine.traced:
        return
    function = machine.activation.function
    if name == INITIALIZE:
        asked = any(asks_whether_initialized(function, guard.span) for guard in machine.guards)
        if not asked and not machine.trying:
            note(machine, JOINED, "", span)
    elif name in UPDATES and len(args) > 1:
        option = args[0].constant
        if option in OPTIONS and not machine.trying:
            note(machine, OPTION, str(option), span)
        elif option == X64 and args[1].constant is True and not _narrows_too(function):
            note(machine, WIDENED, "", span)
    elif name in _SETTERS and args:
        variable, *rest = args
        given = rest[0] if rest else keywords.get("value")
        if given is None or given.constant != "":  # only so that the name is there
            note_variable(machine, variable, span)
    elif name == "os.environ.update":
        for variable in keywords:
            _note_variable(machine, variable, span)
        for atom in args[0].atoms if args else ():
            mapping = mapping_of(machine, atom)
            for key in mapping.keys if mapping is not None else ():
                _note_variable(machine, key, span)


def note_variable(machine: Machine, name: Value, span: Span) -> None:
    """`os.environ[name] = ...`"""
    if not machine.traced and isinstance(name.constant, str):
        _note_variable(machine, name.constant, span)


def _note_variable(machine: Machine, name: object, span: Span) -> None:
    function = machine.activation.function
    if not isinstance(name, str):
        return
    if not name.startswith(READ_AT_START) and (function.is_module or name not in READ_AT_IMPORT):
        return
    if any(option == name.lower() for option, _ in options_set(function)):
        return  # it is for the processes that this one starts
    if function.is_module or not (is_test(function.path) or _starts_processes(machine, function)):
        early = started_by_import(machine) if function.is_module else None
        if early is not None and name.startswith(READ_AT_START) and not machine.guards:
            module = machine.modules[early[0]]
            by = f"{word_at(module.top, early[1])}{BELOW}{name}"
            note(machine, VARIABLE, by, span, origins=(early,))
        else:
            note(machine, VARIABLE, name, span)


def _starts_processes(machine: Machine, function: Function) -> bool:
    module = machine.modules.get(function.path)
    return module is not None and starts_processes(module.top, function)


def _narrows_too(function: Function) -> bool:
    """Does it switch 64-bit arrays off as well, or by a value that is not known?"""
    return any(value is not True for option, value in options_set(function) if option == X64)


def as_started(machine: Machine, effect: Effect, span: Span) -> Effect | None:
    """A start or a setting as the caller at `span` sees it; None where it says nothing to it.

    `what` gets the name of the function that is called, before those of the calls within it.
    """
    if machine.activation is machine.top:
        return effect
    if effect.guards or machine.traced:
        return None
    callee, caller = effect.owner or effect.within, machine.activation
    what = f"{getattr(callee, 'name', '')}{BELOW}{effect.what}"
    if effect.kind in STARTS:
        if effect.kind in caller.started:
            return None
        if effect.kind == MADE and is_narrow_on_purpose(caller.function, span):
            return None
        if not machine.guards:
            caller.started.add(effect.kind)
        return replaced(effect, what=what, owner=caller.function)
    if effect.kind == JOINED:
        return None if machine.trying else replaced(effect, what=what, owner=caller.function)
    if not only_sets(callee):  # type: ignore[arg-type] - the owner is a function
        return None
    if effect.kind == WIDENED and _narrows_too(caller.function):
        return None
    return replaced(effect, what=what, owner=caller.function)
