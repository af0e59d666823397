"""Gradients of functions that give no single number, and rules of `custom_vjp` that do not fit."""

from __future__ import annotations

from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.value import Constant, Object, Tuple, Value
from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.compiled import Inner
from gotcha_lint.interpret.faults.remarks import note, remark
from gotcha_lint.interpret.heap import contents
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.start.importable import Modules
from gotcha_lint.patterns.ignored_parameters import (
    is_of_plain_class,
    own_attributes,
    unread_parameters,
)
from gotcha_lint.program.ir import Function
from gotcha_lint.program.links import Links
from gotcha_lint.program.returned_values import DICT, NUMBER, Returned, returned_values, sizes

NO_NUMBER, BY_NAME, RULE = "no number", "by name alone", "custom rule"
UNREAD = "differentiated by what is not read"
PAIR = 2
_SAME_RESULT = frozenset(("partial", "jit", "pmap", "checkpoint", "vmap", "cache"))
_LAYERS = 8  # of transforms around transforms
_HAS_AUX = 2  # positions of the options of `jax.grad`


def check_result(call: Call, site: Site) -> None:
    """`jax.grad(loss)`, where `loss` returns several values; with `has_aux` it returns a pair."""
    machine = call.engine
    aux = call.keyword("has_aux")
    if machine.trying or machine.path_is_spread(call.span) or len(call.args) > _HAS_AUX:
        return
    if aux is not None and not isinstance(aux.only, Constant):
        return
    function = _as_it_is(machine, site.info["inner"])
    if function is None:
        return
    values = returned_values(_links(machine), function)
    many = sizes(values)
    has_aux = aux is not None and bool(aux.constant)
    if has_aux and PAIR in many:
        return
    what = str(max(many)) if many else ""
    if not many and values and all(value.kind == DICT for value in values):
        what = DICT
    if not what:
        return
    line = function.line, 1, function.line, 1
    text = (function.name, call.short, what, "aux" if has_aux else "")
    single = "single" if len(many) == 1 else ""
    places = ((function.path, line, "the function"),)
    remark(machine, NO_NUMBER, call.span, *text, single, places=places)


def check_unread(call: Call, site: Site) -> None:
    """`jax.grad(self.loss)`, where the method never reads what it is differentiated by."""
    machine, inner = call.engine, Inner(call.engine, site.info["inner"])
    function = inner.function
    if function is None or not inner.by_method or machine.trying:
        return
    unread = unread_parameters(function)
    if not unread or not is_of_plain_class(_links(machine), function):
        return
    argnums = call.get(1, "argnums")
    number = 0 if argnums is None else argnums.constant
    names = inner.parameters
    if type(number) is not int or not number < len(names) or names[number] not in unread:
        return
    reads = sorted(own_attributes(function), key=lambda read: read[0] != names[number])
    for attribute, span in reads[:1]:
        at = function.path, span
        remark(machine, UNREAD, span, function.name, names[number], attribute, at=at)


def check_loss(call: Call, out: Value, has_aux: Value | None) -> None:
    """The same of what the function has given here: several values, or no pair."""
    assert isinstance(call.on, Object)
    machine, site, given = call.engine, call.on.site, out.only
    if not isinstance(given, Tuple) or machine.trying or site.info["spread"]:
        return
    is_pair = len(given.items) == PAIR
    aux = has_aux is not None and has_aux.constant is True
    known = has_aux is None or isinstance(has_aux.only, Constant)
    function = Inner(machine, site.info["inner"]).function
    if known and function is not None and not (aux and is_pair):
        word = str(site.info["library"]).rpartition(".")[2]
        text = (function.name, word, str(len(given.items)), "aux" if aux else "", "single")
        line = function.line, 1, function.line, 1
        places = ((function.path, line, "the function"),)
        remark(machine, NO_NUMBER, call.span, *text, places=places, at=site.origin)


def _as_it_is(machine: Machine, callee: Value) -> Function | None:
    """The function whose result the callable gives."""
    atom = callee.only
    for _ in range(_LAYERS):
        if not isinstance(atom, Object) or atom.site.kind != "transform":
            break
        if atom.site.info["word"] not in _SAME_RESULT:
            return None
        atom = atom.site.info["inner"].only
    return Inner(machine, callee).function


def check_positions(call: Call, which: Value | None) -> None:
    """`jax.grad(loss)(params=params)`: the argument that is differentiated comes by its name."""
    assert isinstance(call.on, Object)
    machine = call.engine
    if str(call.on.site.info.get("library", "")).startswith("flax.nnx.") or machine.trying:
        return  # nnx looks the names up
    named = call.keywords or machine.path_is_spread(call.span)
    if not named or "*" in call.keywords:
        return
    content = contents(machine, which) if which is not None else None
    chosen = content.items if isinstance(content, Tuple) else (which,)
    numbers = [0 if value is None else value.constant for value in chosen]
    known = [number for number in numbers if type(number) is int and number >= 0]
    if len(known) < len(numbers) or not known or len(call.args) > max(known):
        return
    parameters = Inner(machine, call.on.site.info["inner"]).parameters
    first = parameters[0] if parameters and known == [0] and not call.args else ""
    remark(machine, BY_NAME, call.span, str(max(known)), str(len(call.args)), first)


def check_rules(call: Call) -> None:
    """`scaled.defvjp(forward, backward)`: how many values they give, and take."""
    assert isinstance(call.on, Object)
    machine, site = call.engine, call.on.site
    primal = Inner(machine, site.info["inner"]).function
    wanted = _differentiated(machine, site, primal) if primal is not None else None
    if primal is None or wanted is None or machine.trying or is_test(machine.path):
        return
    backward, forward = (_rule(machine, call.get(*at)) for at in ((1, "bwd"), (0, "fwd")))
    if backward is not None:
        told = f"`{primal.name}` has {wanted} differentiated arguments"
        for value in returned_values(_links(machine), backward):
            if value.size is not None and value.size != wanted:
                _note(machine, primal, backward, value, f"gives {value.size} gradients, but {told}")
            elif value.kind == NUMBER:
                text = f"gives an array, not a tuple of {wanted}: {told}"
                _note(machine, primal, backward, value, text)
        _check_arguments(machine, primal, backward, len(primal.parameters) - wanted + 2)
    if forward is not None:
        for value in returned_values(_links(machine), forward):
            if value.kind == NUMBER or (value.size is not None and value.size != PAIR):
                what = "an array" if value.size is None else f"{value.size} values"
                text = f"gives {what}, but must give the pair `(result, residuals)`"
                _note(machine, primal, forward, value, text)
        _check_arguments(machine, primal, forward, len(primal.parameters))


def _differentiated(machine: Machine, site: Site, primal: Function) -> int | None:
    """How many arguments a `custom_vjp` has a gradient for; None where that is not known."""
    options = site.info["keywords"]
    if set(options) - {"nondiff_argnums"} or site.info["args"] or site.info["spread"]:
        return None
    if any(parameter.kind != "pos" for parameter in primal.parameters):
        return None
    given = options.get("nondiff_argnums")
    content = contents(machine, given) if given is not None else None
    parts = content.items if isinstance(content, Tuple) else () if given is None else (given,)
    numbers = {part.constant for part in parts}
    count = len(primal.parameters)
    known = {number for number in numbers if type(number) is int and 0 <= number < count}
    return count - len(known) if known == numbers else None


def _rule(machine: Machine, given: Value | None) -> Function | None:
    """A function that stands for itself."""
    atom = given.only if given is not None else None
    while isinstance(atom, Object) and atom.site.info.get("word") == "jit":
        atom = atom.site.info["inner"].only
    if not isinstance(atom, Object) or atom.site.kind != "function":
        return None
    return atom.site.info["function"]


def _check_arguments(machine: Machine, primal: Function, rule: Function, wanted: int) -> None:
    plain = all(one.kind == "pos" and not one.has_default for one in rule.parameters)
    if plain and len(rule.parameters) != wanted:
        at = Returned((rule.line, 1, rule.line, 1))
        taken = len(rule.parameters)
        text = (
            f"takes {taken} arguments, but JAX gives it {wanted}: a forward function gets "
            f"those of `{primal.name}`, a backward function the non-differentiated ones, the "
            "residuals and the gradient"
        )
        _note(machine, primal, rule, at, text)


def _note(machine: Machine, primal: Function, rule: Function, at: Returned, text: str) -> None:
    line = primal.line, 1, primal.line, 1
    places = ((primal.path, line, "the function"),)
    note(machine, RULE, rule, at.span, text, places=places, maybe=bool(machine.maybe))


def _links(machine: Machine) -> Links:
    return Links(Modules(machine), machine.texts)
