"""Training and evaluation mode of nnx modules: a state of each layer, changed in program order.

An nnx module begins in training mode; `eval()` and `train()` switch all layers in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gotcha_lint.domain.sites import Site, Span
from gotcha_lint.domain.value import Object, Sequence, Tuple, Value, constant
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.heap import contents_of, mapping_of
from gotcha_lint.interpret.machine import Machine

DROPS = "drops"
_SWITCH = "deterministic"
_SWITCHES = {"BatchNorm": "use_running_average"}  # options of other names
_DEPTH = 6  # of modules in modules
_GRADIENTS = ("grad", "value_and_grad")


def switch(machine: Machine, module: Site, training: bool, depth: int = 0) -> None:
    """`module.train()`, `module.eval()`."""
    for name in machine.fields_of(module) if depth <= _DEPTH else ():
        value = machine.peek((module, name))
        for site in _sites(machine, value, 0) if value is not None else ():
            if site.kind == "layer":
                machine.write((site, _SWITCH), constant(not training))
            else:
                switch(machine, site, training, depth + 1)


def _sites(machine: Machine, value: Value, depth: int) -> Iterable[Site]:
    """Modules in a value, in lists and dicts, too."""
    for atom in value.atoms if depth <= _DEPTH else ():
        content = contents_of(machine, atom)
        mapping = mapping_of(machine, atom) if content is None else None
        parts: tuple[Value, ...] = ()
        if isinstance(content, Tuple):
            parts = content.items
        elif isinstance(content, Sequence):
            parts = (content.element,)
        elif mapping is not None:
            parts = mapping.values
        elif isinstance(atom, Object) and atom.site.kind in ("layer", "instance"):
            yield atom.site
        for part in parts:
            yield from _sites(machine, part, depth + 1)


def layers_in(machine: Machine, value: Value, depth: int = 0) -> Iterator[Site]:
    """The layers that a value holds: in modules, lists and dicts, too."""
    for site in _sites(machine, value, 0) if depth <= _DEPTH else ():
        if site.kind == "layer":
            yield site
        for name in machine.fields_of(site) if site.kind == "instance" else ():
            held = machine.peek((site, name))
            if held is not None:
                yield from layers_in(machine, held, depth + 1)


def runs_in_training(machine: Machine, layer: Site, given: Value | None) -> bool:
    """Nothing has switched it off: neither the call, nor the module's mode, nor its options."""
    switch_name = _SWITCHES.get(layer.info["name"], _SWITCH)
    chosen = given if given is not None else machine.read((layer, _SWITCH))
    chosen = chosen if chosen is not None else layer.info["options"].get(switch_name)
    return chosen is None or chosen.constant is False


def note_drop(machine: Machine, layer: Site, given: Value | None, span: Span) -> None:
    """A dropout is called: it drops unless it was switched off, here or by the module's mode."""
    if runs_in_training(machine, layer, given):
        note(machine, DROPS, "dropout", span)


def is_differentiated(machine: Machine) -> bool:
    """Is what is called here run for its gradient?"""
    return machine.transform in _GRADIENTS
