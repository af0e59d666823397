"""Effects in program order: what the program does besides computing, as events.

Each is noted where it happens, with the values that matter; a caller puts its own in place of the
parameters. `solve` reads them between the dispatches, the reads of the host and the clocks.
"""

from __future__ import annotations

from collections.abc import Iterable

from gotcha_lint.domain.freshness import is_fetched
from gotcha_lint.domain.record import replaced
from gotcha_lint.domain.sites import Origin, Site, Span
from gotcha_lint.domain.value import Array, Marks, Object, Symbol, Value
from gotcha_lint.facts.checkpoints import RESTORES, SAVES
from gotcha_lint.facts.host import COMPILED_WHOLE, STATES
from gotcha_lint.facts.processes import COLLECTIVES
from gotcha_lint.interpret.events import CallString, EagerUpdate, Effect, Guards
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.carried_state import reaching
from gotcha_lint.program.ir import Function


def note(
    machine: Machine,
    kind: str,
    what: str,
    span: Span,
    values: Iterable[Value] = (),
    origins: Iterable[Origin] = (),
    maybe: bool = False,
    owner: Function | Site | None = None,
    arguments: frozenset[int | str] | None = None,
) -> None:
    """Notes that this happens here."""
    machine.note(
        Effect(
            kind,
            what,
            machine.path,
            span,
            machine.activation.function,
            tuple(values),
            tuple(origins),
            machine.current,
            machine.guards,
            bool(machine.traced),
            maybe or bool(machine.maybe),
            machine.calls,
            owner,
            arguments,
        )
    )


def note_at(
    machine: Machine, kind: str, at: Origin, origins: Iterable[Origin], maybe: bool
) -> None:
    """Notes what happens at another place than the one that runs."""
    within = machine.activation.function
    effect = Effect(kind, "", at[0], at[1], within, (), tuple(origins), maybe=maybe)
    machine.note(replaced(effect, calls=machine.calls))


SAVED, RESTORED = "saved", "restored"
BY_METHOD = "saved by a method"
COLLECTIVE = "collective"  # what waits for all processes
BEGUN, WAITED = "begun", "waited"  # a save in the background
LATER = "saves later"
QUEUED = "queued"  # an operation outside of jit, behind what is queued before it
ENDS = "ends"  # a loop, before it has run through
CLEARED = "cleared"  # compiled programs are forgotten
ON_HOST = "on host"  # the function reads arrays, whatever it is given: it cannot be traced


def note_end(machine: Machine, span: Span) -> None:
    """A loop ends here, by `break` or `return`, if the tests around say so."""
    if not machine.traced and any(not guard.of_loop for guard in machine.guards):
        note(machine, ENDS, "loop", span)


def note_checkpoint(machine: Machine, name: str, span: Span) -> None:
    """Notes that a checkpoint is written or read."""
    for kind, known in ((SAVED, SAVES), (RESTORED, RESTORES)):
        if name in known and not machine.traced:
            note(machine, kind, known[name], span)


def note_collective(machine: Machine, name: str, span: Span) -> None:
    """Notes what all processes have to call."""
    if name in COLLECTIVES and not machine.traced:
        note(machine, COLLECTIVE, name.rpartition(".")[2], span)


def note_handed(machine: Machine, values: Iterable[Value], span: Span) -> None:
    """What gets an object that saves in the background may wait for it."""
    for value in values:
        for atom in value.atoms:
            if isinstance(atom, Object) and atom.site.info.get(LATER):
                note(machine, WAITED, "", span, owner=atom.site)


def lifted(machine: Machine, effect: Effect, call: Origin) -> Effect:
    """A save that is in no loop of the function that is called belongs to the caller.

    It is noted as what a method does, too.
    """
    if effect.kind != SAVED:
        return effect
    if effect.within.parent is not None and effect.within.parent.is_class:
        machine.note(replaced(effect, kind=BY_METHOD))
    if effect.loops:
        return effect
    saved = reaching(effect.within, effect.span, effect.arguments)
    within = machine.activation.function
    written = effect.origins or ((effect.path, effect.span),)
    return replaced(
        effect, path=call[0], span=call[1], within=within, arguments=saved, origins=written
    )


def note_update(
    machine: Machine, what: str, span: Span, maybe: bool = False, name: str = ""
) -> None:
    """Notes that an optimizer, a tree or an array is updated outside of a trace."""
    if machine.traced:
        return
    few = bool(machine.loops) and machine.turns_are_few()
    within = machine.activation.function
    module = machine.modules.get(machine.path)
    imports = [i for i in module.top.body if i[0] == "import"] if module is not None else []
    whole = any(str(i[2]).partition(".")[0] in COMPILED_WHOLE for i in imports)
    unsure = whole or maybe or bool(machine.maybe)
    machine.note(
        EagerUpdate(
            what,
            machine.path,
            span,
            within,
            few,
            machine.current,
            machine.calls,
            unsure,
            name,
        )
    )


def moved(
    machine: Machine,
    effect: Effect,
    values: tuple[Value, ...],
    loops: Marks,
    guards: Guards,
    calls: CallString,
) -> Effect:
    """The effect as a caller sees it."""
    return replaced(
        effect,
        values=values,
        loops=loops,
        guards=guards,
        calls=calls,
        traced=effect.traced or bool(machine.traced),
        maybe=effect.maybe or bool(machine.maybe),
    )


def is_of_device(value: Value) -> bool:
    """Is it an array of a device, whatever happens? A random key is a few bytes."""
    return bool(value.atoms) and all(
        isinstance(atom, Array)
        and atom.place == "device"
        and atom.dtype != "key"
        and atom.key is None
        for atom in value.atoms
    )


def is_named_state(value: Value) -> bool:
    """A parameter, or an attribute of one, with the name of a state; not what was fetched."""
    symbols = (atom for atom in value.atoms if isinstance(atom, Symbol))
    return not is_fetched(value.marks) and any(_last_name(atom) in STATES for atom in symbols)


def _last_name(symbol: Symbol) -> str:
    """Of the attribute, or else of the parameter."""
    names = (*symbol.root[1:2], *symbol.path) if isinstance(symbol.root, tuple) else symbol.path
    return str(names[-1]).lstrip(".") if names else ""


def has_device_arrays(value: Value) -> bool:
    """Is an array of a device among what it may be?"""
    return any(isinstance(atom, Array) and atom.place == "device" for atom in value.atoms)
