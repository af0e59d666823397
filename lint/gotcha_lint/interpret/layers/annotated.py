"""Parameters that are annotated with a class of the program: what an object of it gives.

`def loss(model: Model, x)` gets an object that somebody else has made. What its call gives is what
an object gives that is made without options, if it is of half precision or ends in a softmax: both
are chosen in the class, and a caller would have to choose another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gotcha_lint.domain.sites import Origin, Site
from gotcha_lint.domain.value import UNKNOWN, Array, Object, Symbol, Tuple, Value, join, only
from gotcha_lint.facts.halves import HALVES
from gotcha_lint.facts.optax import CHAINS, NEED_PARAMS
from gotcha_lint.interpret.elements import PROBABILITIES, elements_of
from gotcha_lint.interpret.heap import class_attribute, is_module_class
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.start.importable import Modules
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register
from gotcha_lint.program.links import Links

_NAME = re.compile(r"[^\W\d]\w*")
_CALLS: tuple[tuple[str, ...], ...] = ((), (".apply",), (".apply_fn",))
_STATE = "flax.training.train_state.TrainState"
_DEPTH = 3


def classes_of(machine: Machine, function: Function, parameter: str) -> Iterator[Site]:
    """The classes of neural networks that the annotation of a parameter names."""
    for cls in _named(machine, function, parameter):
        if is_module_class(cls):
            yield cls
        elif _STATE in cls.info["library"]:
            yield from applied_by(machine, cls)


def _named(machine: Machine, function: Function, parameter: str) -> Iterator[Site]:
    for annotation in (p.annotation for p in function.parameters if p.name == parameter):
        for name in _NAME.findall(annotation):
            value = machine.read((function.path, name))
            atom = value.only if value is not None else None
            if isinstance(atom, Object) and atom.site.kind == "class":
                yield atom.site


def applied_by(machine: Machine, state: Site) -> tuple[Site, ...]:
    """The classes whose `apply` a train state of the program holds; none where one is not known.

    By the text of the program: each `State.create(apply_fn=model.apply)` that there is.
    """
    if state not in machine.applied:
        machine.applied[state] = tuple(_applied_by(machine, state))
    return machine.applied[state]


def _applied_by(machine: Machine, state: Site) -> list[Site]:
    classes = {s.info["function"]: s for s in machine.met.classes()}
    found: list[Site] = []
    for links, function, given in _created_with(machine, state, "apply_fn"):
        cls = classes.get(_made_by(links, function, given, "apply"))
        if cls is None:
            return []
        found.append(cls)
    return found


def _created_with(
    machine: Machine, state: Site, option: str
) -> Iterator[tuple[Links, Function, Register]]:
    """What each `State.create(...)` of the program is given for an option, in which function."""
    links = Links(Modules(machine), machine.texts)
    for path in machine.visible:
        for function in links.bodies(machine.modules[path]):
            for step in steps_of(function):
                given = dict(step[4]).get(option) if step[0] == "call" else None
                made = _made_by(links, function, step[2], "create") if given is not None else None
                if given is not None and made is state.info["function"]:
                    yield links, function, given


def needing_params(machine: Machine, update: Symbol) -> tuple[str, Origin] | None:
    """`state.tx.update` of a state that is only ever created with optimizers that need parameters.

    One of them, by the text of the program.
    """
    root = update.root
    if update.path != (".tx", ".update") or not isinstance(root, tuple):
        return None
    function, parameter = root
    found: list[tuple[str, Origin] | None] = []
    for cls in _named(machine, function, parameter) if isinstance(function, Function) else ():
        if _STATE in cls.info["library"]:
            found += [_needing(*given, 0) for given in _created_with(machine, cls, "tx")]
    return found[0] if found and None not in found else None


def is_params_alone(machine: Machine, method: Symbol, given: Symbol) -> bool:
    """`state.apply_fn(state.params, x)` of a state that is only ever created with a collection.

    By the text of the program: `State.create(params=model.init(key, x)["params"], ...)`.
    """
    root = method.root
    of_state = (method.path, given.path) == ((".apply_fn",), (".params",))
    if not of_state or given.root != root or not isinstance(root, tuple):
        return False
    function, parameter = root
    found: list[bool] = []
    for cls in _named(machine, function, parameter) if isinstance(function, Function) else ():
        if _STATE in cls.info["library"]:
            found += [_is_params(*made) for made in _created_with(machine, cls, "params")]
    return bool(found) and all(found)


def _is_params(links: Links, function: Function, register: Register) -> bool:
    """`model.init(key, x)["params"]`, through names that are bound once."""
    whole = _made(links, function, register)
    key = links.makers(function).get(whole[3]) if whole is not None and whole[0] == "item" else None
    if whole is None or key is None or key[:3:2] != ("const", "params"):
        return False
    made = _made(links, function, whole[2])
    return made is not None and made[0] == "call" and links.word(function, made[2]) == "init"


def _made(links: Links, function: Function, register: Register) -> Instruction | None:
    made = links.makers(function).get(register)
    if made is None or made[0] != "load" or made[3] != 0:
        return made
    stored = links.stores(function).get(made[2], [])
    return links.makers(function).get(stored[0]) if len(stored) == 1 else None


def _needing(
    links: Links, function: Function, register: Register, depth: int
) -> tuple[str, Origin] | None:
    made = links.makers(function).get(register)
    if made is None or depth > _DEPTH:
        return None
    if made[0] == "load":
        owner = links.finder.modules[function.path].top if made[3] == -1 else function
        stored = links.stores(owner).get(made[2], []) if made[3] <= 0 else []
        return _needing(links, owner, stored[0], depth + 1) if len(stored) == 1 else None
    name = links.dotted(function, made[2]) if made[0] == "call" else ""
    if name in NEED_PARAMS:
        return name, (function.path, made[-1])
    parts = [part for _, part in made[3]] if name in CHAINS else []
    found = (_needing(links, function, part, depth + 1) for part in parts)
    return next((one for one in found if one is not None), None)


def _made_by(links: Links, function: Function, register: int, attribute: str) -> Function | None:
    """The class of `x.attribute`, where x is it or an object of it."""
    made = links.makers(function).get(register)
    if made is None or made[0] != "attr" or made[3] != attribute:
        return None
    link = links.of_register(function, made[2])
    return link.function if link is not None and link.kind in ("class", "instance") else None


def result_of(machine: Machine, callee: Symbol, options: dict[str, Value]) -> Value | None:
    """What a call of a caller's model gives, as far as its class alone says (see `known_of`).

    `options`: `method=` runs something else, with `mutable=` there are collections besides.
    """
    if callee.path not in _CALLS or not isinstance(callee.root, tuple) or "method" in options:
        return None
    function, parameter = callee.root[:2]
    if not isinstance(function, Function) or not machine.tried:
        return None
    out = None
    for cls in classes_of(machine, function, parameter):
        found = machine.tried.get(cls)
        if found is not None and class_attribute(machine, cls, "__call__") is not None:
            out = found if out is None else join(out, found)
    mutable = options.get("mutable")
    if out is None or mutable is None or mutable.constant is False:
        return out
    return only(Tuple((out, UNKNOWN)))


def known_of(value: Value, depth: int = 0) -> Value | None:
    """What of a result the class decides: half precision (may), probabilities (must)."""
    if depth == 0 and (known := elements_of(value)) is not None and known.made in PROBABILITIES:
        return Value([Array(None, False, None, elements=known)])
    return _halves_of(value, depth)


def _halves_of(value: Value, depth: int) -> Value | None:
    """The arrays of half precision in a result, and nothing else that is known of it."""
    atom = value.only
    if isinstance(atom, Tuple) and depth < _DEPTH:
        items = [_halves_of(item, depth + 1) for item in atom.items]
        if all(item is None for item in items):
            return None
        return only(Tuple(tuple(UNKNOWN if item is None else item for item in items)))
    found = [
        Array(each.dtype, False, None, "device", each.origin)
        for each in value.atoms
        if isinstance(each, Array) and each.dtype in HALVES
    ]
    return Value(found, True) if found else None
