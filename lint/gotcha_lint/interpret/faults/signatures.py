"""Calls that do not fit the function: Python raises a `TypeError` before anything is computed.

Only of functions and classes of the program, and where all arguments are written out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from gotcha_lint.domain.sites import Origin, Site, Span
from gotcha_lint.domain.value import Atom, Method, Object, Tuple, Value
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.compiled import Inner
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.heap import class_attribute
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register

_SAME_SIGNATURE = frozenset(
    ("jit", "pmap", "checkpoint", "vmap", "grad", "value_and_grad", "cache")
)
_OF_FIELDS = frozenset(  # bases whose classes take their fields and nothing else
    ("flax.linen.Module", "flax.struct.PyTreeNode", "equinox.Module", "typing.NamedTuple")
)
_WITHOUT_FIELDS = frozenset(("typing.Generic", "typing.Protocol", "abc.ABC", "builtins.object"))
_OF_LINEN = frozenset(("name", "parent"))
_OF_APPLY = frozenset(("rngs", "mutable", "method", "capture_intermediates", "variables"))
_LAYERS = ("flax.linen.", "flax.nnx.")
_INITIALIZER = "_init"
_RAISING = frozenset(("const", "raise", "load", "call", "attr", "fstr"))
_DOING_NOTHING = frozenset(("const", "return"))


def check_call(
    machine: Machine,
    callee: Value,
    args: int,
    keywords: Collection[str],
    span: Span,
    register: Register,
) -> None:
    """A call with so many positional arguments, and these by name; `register` holds the callee."""
    atom = callee.only
    if machine.trying or atom is None:
        return
    if isinstance(atom, Object) and atom.site.kind == "module":
        module = machine.modules[atom.site.path]
        problem = f"`{module.name}` is a module", module.top
    elif isinstance(atom, Object) and atom.site.kind == "class":
        problem = _of_class(machine, atom.site, args, keywords)
    else:
        bound = _bound(machine, atom)
        problem = None if bound is None else _of_function(*bound, args, keywords)
    if problem is not None:
        text, function = problem
        # What a parameter holds may be what the condition around asks for.
        maybe = bool(machine.guards) and not _is_global(machine, register)
        remark(machine, "misfit", span, text, places=(_defined(function),), maybe=maybe)


def check_apply(machine: Machine, found: Value, call: Call, first: str) -> None:
    """`model.apply(variables, *args)`, or `init`, which call a method of the model.

    `first`: the name of the argument that is not for the method.
    """
    atom = found.only
    if machine.trying or not isinstance(atom, Object) or atom.site.kind != "function":
        return
    if (machine.path, call.span) not in machine.starred:
        given = [name for name in call.keywords if name not in _OF_APPLY]
        function = atom.site.info["function"]
        args = max(len(call.args) - (first not in call.keywords), 0)
        problem = _of_function(function, 1, frozenset(), args, given)
        if problem is not None:
            places, maybe = (_defined(function),), bool(machine.guards) and not _at_top(machine)
            remark(machine, "misfit", call.span, problem[0], places=places, maybe=maybe)


def check_initializers(
    machine: Machine, name: str, keywords: Mapping[str, Value], span: Span
) -> None:
    """`nn.Conv(8, (3, 3), bias_init=f)`: Flax calls `f(key, shape, dtype)` (0.12, both APIs)."""
    if machine.trying or not name.startswith(_LAYERS):
        return
    for option, value in keywords.items():
        atom = value.only if option.endswith(_INITIALIZER) else None
        bound = None if atom is None else _bound(machine, atom)
        problem = None if bound is None else _of_function(*bound, 3, (), option)
        if problem is not None:
            text = f"{problem[0]} (key, shape, type)"
            remark(machine, "misfit", span, text, places=(_defined(problem[1]),))


def check_unpacked(
    machine: Machine, value: Value, targets: int, star: int | None, span: Span, register: Register
) -> None:
    """`a, b = f(x)`, where the program's own `f` returns three; `register` holds the result."""
    atom = value.only
    if machine.trying or star is not None or not isinstance(atom, Tuple):
        return
    if len(atom.items) == targets or atom.origin is None or not _is_display(machine, atom.origin):
        return
    made = _maker(machine, register)
    if made is not None and made[0] == "call":
        text = f"{targets} names are bound to {len(atom.items)} values"
        remark(machine, "unpacked", span, text, places=((*atom.origin, "made here"),))


def _maker(machine: Machine, register: Register) -> Instruction | None:
    """The instruction that writes a register of the function that runs."""
    code = steps_of(machine.activation.function)
    return next((instruction for instruction in code if instruction[1] == register), None)


def _is_global(machine: Machine, register: Register) -> bool:
    """Is it a name of the module, or an attribute of one?"""
    made = _maker(machine, register)
    while made is not None and made[0] == "attr":
        made = _maker(machine, made[2])
    return made is not None and made[0] == "load" and (made[3] == -1 or _at_top(machine))


def _at_top(machine: Machine) -> bool:
    return machine.activation.function.is_module


def _is_display(machine: Machine, origin: Origin) -> bool:
    """Is a tuple written out there?"""
    path, span = origin
    module = machine.modules.get(path)
    return module is not None and any(
        instruction[0] == "build" and instruction[-1] == span and instruction[2] == "tuple"
        for function in module.functions
        for instruction in steps_of(function)
    )


def _bound(machine: Machine, atom: Atom) -> tuple[Function, int, frozenset[str]] | None:
    """The function that is called, and which arguments it has already."""
    if isinstance(atom, Method):
        return _of_method(machine, atom)
    if not isinstance(atom, Object):
        return None
    site = atom.site
    if site.kind == "function":
        return site.info["function"], 0, frozenset()
    if site.kind == "instance":
        return _of_method(machine, Method(Value((atom,)), "__call__"))
    if site.kind != "transform" or not _keeps_signature(site):
        return None
    inner = Inner(machine, Value((atom,)))
    if inner.function is None or inner.by_method or "*" in inner.names:
        return None
    return inner.function, inner.bound, frozenset(inner.names)


def _keeps_signature(site: Site) -> bool:
    """Do all the transforms take the arguments that the function takes?"""
    while site.kind == "transform":
        if site.info["word"] not in _SAME_SIGNATURE:
            return False
        inner = site.info["inner"].only
        if not isinstance(inner, Object):
            return False
        site = inner.site
    return site.kind == "function"


def _of_method(machine: Machine, method: Method) -> tuple[Function, int, frozenset[str]] | None:
    """A method of an object of the program's own class, or of the class itself."""
    on = method.receiver.only
    if not isinstance(on, Object) or on.site.kind not in ("instance", "class"):
        return None
    cls: Site | None = on.site.info.get("class") if on.site.kind == "instance" else on.site
    found = class_attribute(machine, cls, method.name) if cls is not None else None
    part = found.only if found is not None else None
    if not isinstance(part, Object):
        return None
    bound = 1
    if part.site.kind in ("class_method", "static_method"):
        bound = int(part.site.kind == "class_method")
        part = part.site.info["inner"].only
        if not isinstance(part, Object):
            return None
    elif on.site.kind == "class":
        return None
    if part.site.kind != "function":
        return None
    return part.site.info["function"], bound, frozenset()


def _of_class(
    machine: Machine, cls: Site, args: int, keywords: Collection[str]
) -> tuple[str, Function] | None:
    init = class_attribute(machine, cls, "__init__")
    if "?" in cls.info["library"] or class_attribute(machine, cls, "__new__") is not None:
        return None
    if init is not None:
        part = init.only
        if not isinstance(part, Object) or part.site.kind != "function":
            return None
        function = part.site.info["function"]
        return _of_function(function, 1, frozenset(), args, keywords, cls.info["name"])
    library = set(cls.info["library"])
    if not (library & _OF_FIELDS or "dataclass" in cls.info["decorators"]):
        return None
    if not library <= _OF_FIELDS | _WITHOUT_FIELDS:
        return None
    names = {name for name, _ in cls.info["fields"]}
    if "flax.linen.Module" in library:
        names |= _OF_LINEN
    unknown = [name for name in keywords if name not in names and f"_{name}" not in names]
    if not unknown:
        return None
    return f"`{cls.info['name']}` has no field `{unknown[0]}`", cls.info["function"]


def _of_function(
    function: Function,
    bound: int,
    named: frozenset[str],
    args: int,
    keywords: Collection[str],
    called: str = "",
) -> tuple[str, Function] | None:
    problem = misfit(function, bound, named, args, keywords)
    if problem is None or is_stub(function):
        return None
    return f"`{called or function.name}` {problem}", function


def misfit(
    function: Function, bound: int, named: frozenset[str], args: int, keywords: Collection[str]
) -> str | None:
    """Why a call does not fit, in words behind the name of the function; None where it fits.

    `bound`: how many positional arguments it has already; `named`: the names of others.
    """
    parameters = function.parameters
    kinds = {parameter.kind for parameter in parameters}
    places = [p for p in parameters if p.kind == "pos"]
    if bound + args > len(places) and "*" not in kinds:
        most, word = len(places) - bound, "arguments" if len(places) - bound != 1 else "argument"
        return f"takes {max(most, 0)} positional {word} and is given {args}"
    known = {p.name for p in parameters if p.kind in ("pos", "kw")}
    unknown = [name for name in keywords if name not in known]
    if unknown and "**" not in kinds:
        return f"has no parameter `{unknown[0]}`"
    by_place = {p.name for p in places[: bound + args]}
    twice = [name for name in keywords if name in by_place]
    if twice and "**" not in kinds:
        return f"is given `{twice[0]}` twice"
    given = by_place | set(keywords) | named
    missing = [
        p.name
        for p in parameters
        if p.kind in ("pos", "kw") and not p.has_default and p.name not in given
    ]
    return f"needs `{missing[0]}`" if missing else None


def is_stub(function: Function) -> bool:
    """A body that only raises, or does nothing: others write their own, with what they need."""
    operations = {instruction[0] for instruction in steps_of(function)}
    return operations <= _DOING_NOTHING or ("raise" in operations and operations <= _RAISING)


def _defined(function: Function) -> tuple[str, Span, str]:
    line = function.line
    return function.path, (line, 1, line, 1), "defined here"
