"""What the constructors take that Python writes itself: of dataclasses and tuples with names.

None where that is not all written out (must): another decorator, a metaclass, an `__init__` of a
library, a field that a function makes in an unknown way.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Parameter, Register
from gotcha_lint.program.links import Links

_TUPLE = "typing.NamedTuple"
_LINEN = "flax.linen.Module"
TRAIN_STATE = "flax.training.train_state.TrainState"
_OF_STATES = ("step", "apply_fn", "params", "tx", "opt_state")
# Bases that make a dataclass of each class that extends them, and those that add nothing.
_OF_FIELDS = frozenset((_LINEN, "flax.struct.PyTreeNode", "equinox.Module", TRAIN_STATE))
_PLAIN = frozenset(("typing.Generic", "abc.ABC", "builtins.object"))
_DATACLASSES = frozenset(("dataclasses.dataclass", "flax.struct.dataclass"))
_FIELDS = frozenset(("dataclasses.field", "flax.struct.field", "equinox.field"))
_SPECIAL = ("ClassVar", "InitVar", "KW_ONLY", "AbstractVar", "AbstractClassVar")
_NAMEDTUPLES = frozenset(("collections.namedtuple", _TUPLE))


def constructor(links: Links, body: Function) -> list[Parameter] | None:
    """Of a class whose body this is."""
    found: dict[str, Parameter] = {}
    if not _collect(links, body, found, 0):
        return None
    lineage = links.lineage(body) or []
    names = {name for _, parts in lineage for name in parts.library}
    if _LINEN in names:
        for name in ("parent", "name"):
            found[name] = Parameter(name, "kw", True)
    return list(found.values()) if found else None


def _collect(links: Links, body: Function, found: dict[str, Parameter], depth: int) -> bool:
    """Adds the fields, those of the bases first. False: something is not known."""
    parts = links.class_parts(body)
    stores = links.stores(body)
    if parts is None or parts.metaclass or depth > 8 or len(parts.bases) > 1:
        return False
    if {"__init__", "__new__"} & set(stores):
        return False
    library = set(parts.library)
    if not library <= _OF_FIELDS | _PLAIN | {_TUPLE}:
        return False
    if _TUPLE in library and (library != {_TUPLE} or parts.bases or parts.decorators):
        return False
    if TRAIN_STATE in library:
        found |= {name: Parameter(name, "pos") for name in _OF_STATES}
    for base in parts.bases:
        if not _collect(links, base.function, found, depth + 1):
            return False
    makes = bool(library & (_OF_FIELDS | {_TUPLE})) or any(
        _OF_FIELDS & set(more.library) for _, more in links.lineage(body) or ()
    )
    decorated = list(decorators(links, body))
    if any(name not in _DATACLASSES or options for name, options in decorated):
        return False
    if not makes and not decorated:
        return False
    return all(_add(links, body, i, found) for i in steps_of(body) if i[0] == "field")


def _add(links: Links, body: Function, step: Instruction, found: dict[str, Parameter]) -> bool:
    _, _, name, _, annotation, *_ = step
    if any(word in annotation for word in _SPECIAL):
        return False
    registers = links.stores(body).get(name, [])
    if len(registers) > 1:
        return False
    given = bool(registers)
    if registers:
        made = links.makers(body).get(registers[0])
        if made is not None and made[0] == "call":
            named = links.dotted(body, made[2])
            options = {key for key, _ in made[4]}
            if named in _FIELDS:
                if None in options or {"init", "kw_only"} & options or made[3]:
                    return False
                given = bool({"default", "default_factory"} & options)
            elif not named or "field" in named:
                return False  # a helper may make a field without a default
    found[name] = Parameter(name, "pos", given)
    return True


def decorators(links: Links, body: Function) -> Iterator[tuple[str, bool]]:
    """The full names of the decorators, and whether one has options that change the constructor."""
    owner = body.parent or links.finder.modules[body.path].top
    held = next((i[1] for i in steps_of(owner) if i[0] == "class" and i[2] is body), None)
    for i in steps_of(owner):
        if i[0] == "call" and len(i[3]) == 1 and i[3][0] == (False, held) and not i[4]:
            made = links.makers(owner).get(i[2])
            if made is not None and made[0] == "call":
                options = {key for key, _ in made[4]} - {"frozen", "eq", "slots", "repr", "order"}
                yield links.dotted(owner, made[2]), bool(options or made[3])
            else:
                yield links.dotted(owner, i[2]), False
            held = i[1]


def named_tuple(
    links: Links, function: Function, register: Register, depth: int = 0
) -> tuple[str, list[Parameter], tuple[str, Instruction]] | None:
    """`namedtuple("State", ["model", "key"])`, which a name of the program stands for.

    Its name, what it takes, and where it is made: a file and the instruction.
    """
    made = links.makers(function).get(register)
    if made is None or depth > 8:
        return None
    if made[0] == "load":
        top = links.finder.modules[function.path].top
        registers = links.stores(top).get(made[2], [])
        own = made[3] < 0 or function.is_module
        if not own or len(registers) != 1 or made[2] in links.names_rebound(function.path):
            return None
        return named_tuple(links, top, registers[0], depth + 1)
    if made[0] == "import" and made[4] is not None:
        full = "." * made[3] + made[2]
        path = links.finder.module_from(full, function.path)
        if path is None or not links.finder.is_certain(full, function.path):
            return None
        top = links.finder.modules[path].top
        registers = links.stores(top).get(made[4], [])
        if len(registers) != 1 or made[4] in links.names_rebound(path):
            return None
        return named_tuple(links, top, registers[0], depth + 1)
    if made[0] != "call" or links.dotted(function, made[2]) not in _NAMEDTUPLES:
        return None
    fields = _names(links, function, made)
    if fields is None:
        return None
    parameters = [Parameter(name, "pos") for name in fields]
    return _title(links, function, made), parameters, (function.path, made)


def _title(links: Links, function: Function, made: Instruction) -> str:
    first = links.makers(function).get(made[3][0][1])
    return str(first[2]) if first is not None and first[0] == "const" else "the tuple"


def _names(links: Links, function: Function, made: Instruction) -> list[str] | None:
    _, _, _, args, keywords, _ = made
    if len(args) != 2 or keywords or any(star for star, _ in args):
        return None
    makers = links.makers(function)
    given = makers.get(args[1][1])
    if given is None:
        return None
    if given[0] == "const" and isinstance(given[2], str):
        return given[2].replace(",", " ").split()
    if given[0] != "build" or any(star for star, _ in given[3]):
        return None
    found: list[str] = []
    for _, register in given[3]:
        one = makers.get(register)
        if one is not None and one[0] == "build" and one[3] and not one[3][0][0]:
            one = makers.get(one[3][0][1])  # a pair of `typing.NamedTuple`
        if one is None or one[0] != "const" or not isinstance(one[2], str):
            return None
        found.append(one[2])
    return found
