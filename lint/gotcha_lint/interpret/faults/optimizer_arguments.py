"""What optimizers are given: too little, or what they took in older versions."""

from __future__ import annotations

from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.value import Object, Symbol, Value
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.layers.annotated import needing_params
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import names_used

OLD_OPTIMIZER, OLD_UPDATE = "old optimizer", "old update"
MODEL_TWICE = "the optimizer has the model"
_ASKING = frozenset(("signature", "version", "__version__", "__version_info__", "isinstance"))


def check_made(call: Call, wanted: Value | None) -> None:
    """`nnx.Optimizer(model, tx)` without `wrt`."""
    machine = call.engine
    many = len(call.args) + len(call.keywords) > 1
    if wanted is None and many and not (machine.is_starred(call.span) or machine.trying):
        fixable = "wrt" if len(call.args) + len(call.keywords) == _BOTH else ""
        remark(machine, OLD_OPTIMIZER, call.span, fixable)


_BOTH = 2  # the model and the transformation


def check_update(call: Call) -> None:
    """`optimizer.update(grads)`, where nothing asks for the version.

    An optimizer that holds the model takes the gradients alone.
    """
    machine, atom = call.engine, call.on
    if not isinstance(atom, Object) or "data" not in atom.site.info or machine.trying:
        return
    asked = _ASKING & names_used(machine.activation.function)
    if asked or machine.is_starred(call.span):
        return
    if atom.site.info["name"] == "optax.#nnx_with_model":
        if len(call.args) == _BOTH:
            places = () if atom.origin is None else ((*atom.origin, "made here"),)
            remark(machine, MODEL_TWICE, call.span, places=places)
    elif len(call.args) + len(call.keywords) == 1:
        remark(machine, OLD_UPDATE, call.span)


def is_without_params(call: Call) -> bool:
    """`tx.update(grads, opt_state)`"""
    given, machine = call.get(2, "params"), call.engine
    if (given is not None and not given.is_none) or len(call.args) + len(call.keywords) < _BOTH:
        return False
    return not (machine.is_starred(call.span) or machine.trying)


def note_paramless(machine: Machine, name: str, made: Origin | None, span: Span) -> None:
    """`name`: of what needs the parameters; `made`: where it is made."""
    places = () if made is None else (made,)
    note(machine, "paramless", name.removeprefix("optax."), span, origins=places)


def check_state_update(call: Call, method: Symbol) -> None:
    """`state.tx.update(grads, state.opt_state)` of a caller's train state."""
    if method.path[-1:] == (".update",) and is_without_params(call):
        needing = needing_params(call.engine, method)
        if needing is not None:
            note_paramless(call.engine, *needing, call.span)
