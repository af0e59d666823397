"""What a file offers to be set: flags, fields of configurations, parameters (floor `program`).

Whether anything reads it depends on the other files: `Option.word` is the attribute under which it
would be read. A parameter that its function never reads is known from the function alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from gotcha_lint.program.data_flow import steps_of, used_registers
from gotcha_lint.program.dead_stores import overwritten_parameters
from gotcha_lint.program.ir import Function, Instruction, Module, Parameter, Span

_DUMPS = re.compile(
    rb"\bvars\(|__dict__|\basdict\(|flag_values_dict|\blocals\(|\bmodel_dump(?:_json)?\("
)
_OPTIONS = rb"(?:\w+\.)*(?:args|flags|config|cfg|FLAGS|hparams)\b"  # how they are mostly called
_SPREADS = re.compile(
    rb"\*\*\s*(?:vars\(|[\w.]*asdict\(|" + _OPTIONS + rb")"
    rb"|\bfields\(|getattr\(\s*[\w.]+\s*,\s*[A-Za-z_]"
)
# An object of options has to become a dict, or to be asked for an unknown name.
_OBJECT = rb"(?:\w+\.)*(?:self|cls|\w*(?:args|arguments|flags|config|cfg|hparams|settings|options))"
_SPREADS_OBJECTS = re.compile(
    rb"\*\*\s*(?:vars\(|[\w.]*asdict\()|\bfields\(|getattr\(\s*" + _OBJECT + rb"\s*,\s*[A-Za-z_]",
    re.IGNORECASE,
)
# `f(**settings)`: no power of two numbers, and neither `**kwargs` of a function nor `dict(size=3)`.
_SPREADS_DICT = re.compile(rb"[(,{]\s*\*\*\s*(\w+)")
_OTHER_DICT = re.compile(
    rb"\bdef \w+\((?:[^()]|\([^()]*\))*\*\*\s*(\w+)|\b(\w+)\s*=\s*dict\(\s*\w+\s*=(?!=)"
)
_COMMENT = re.compile(rb"(?m)^[ \t]*#.*$")  # a line of its own: code that is switched off
_READ = re.compile(rb"\.([A-Za-z_]\w*)(?!\w)(?!\s*=[^=])")
_READ_OF_SELF = re.compile(rb"\bself\.([A-Za-z_]\w*)(?!\w)(?!\s*=[^=])")
_HANDED_ON = re.compile(rb"\b(\w+)\s*=\s*(?!self\b)\w+\.(\w+)\s*[,)]")
_QUOTED = re.compile(rb"""(\[|get\(|pop\(|DEFINE_\w+\(\s*)?["']([A-Za-z_]\w*)["'](?!\s*:)""")
_TAG = re.compile(r"\bLiteral\[[^,\]]*\]")  # of one value: it tells classes apart
_SCALAR = re.compile(r"(?:bool|int|float|str)(?:\s*\|\s*None)?")
_ARRAYS = re.compile(r"\b(?:Array|ndarray|ArrayLike|ArrayTree|PyTree)\b")
_BASES = re.compile(rb"^[ \t]*class \w+\(([^)]*)\)", re.MULTILINE)
_WORD = re.compile(rb"\w+")
_SIGNATURE = re.compile(rb"\bdef \w+\([^)]*\)")
# A class that is given to a call, as in `tyro.cli(Arguments)`: who starts the program fills it.
_CLASSES = re.compile(
    rb"(?<!class )\b(\w+)\(\s*\(?\s*((?:\w+\.)*[A-Z]\w*(?:\s*,\s*(?:\w+\.)*[A-Z]\w*)*)\s*,?\s*\)"
)
_MENTIONED = re.compile(rb"(?<!class )\b[A-Z]\w*")
_ASKS = frozenset((b"fields", b"print", b"help", b"signature", b"dir"))  # what a class is like
_GIVEN = re.compile(rb"[(,]\s*([A-Za-z_]\w*)\s*=(?!=)")
_SCALARS = (bool, int, float, str, type(None))
_MODULES = frozenset(("Module",))
_PLAIN = frozenset(("object", "ABC", "Generic", "Protocol", "PyTreeNode"))
_OF_PYDANTIC = frozenset(("BaseModel", "BaseSettings"))  # dataclasses without a decorator
_DATACLASSES = frozenset(("dataclass", "define", "frozen"))
# Names in decorators that leave the parameters to the function.
_DECORATED = frozenset(
    ("jit", "jax", "nnx", "nn", "functools", "partial", "eqx", "filter_jit", "compact",
     "staticmethod", "classmethod")
)  # fmt: skip
_OF_FLAX = frozenset(("name", "parent", "scope"))
_DEPTH = 8  # of bases
_IDLE = frozenset(("const", "discard", "raise", "return", "load", "attr", "import", "store"))

Classes = Mapping[str, tuple[Function, list[str]]]  # by name, with the last words of their bases


@dataclass(frozen=True, slots=True)
class Option:
    """`kind`: "flag", "key" (of a dict of options), "field" or "attribute"; `within`: its class.

    `dumps`: it may be read with all others at once, by code that names none of them. `required`: it
    has no default. `filled`: the user may set it, through a file or otherwise.
    `alone`: of a class of which the file says all, and none of whose own functions reads it: so
    `self.width` in another class is no read of it.
    """

    kind: str
    word: str
    span: Span
    within: str
    dumps: bool = True
    required: bool = False
    filled: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True)
class IgnoredParameter:
    """A parameter that its function never reads, or overwrites first, on each path: then where."""

    function: Function
    parameter: Parameter
    overwritten: Span | None = None

    @property
    def name(self) -> str:
        return self.parameter.name


@dataclass(frozen=True, slots=True)
class Words:
    """What the files of a project read by name.

    `of_others`: without `self.width`, which reads what the object has. `handed_on`: without
    `width=config.width`, which reads the option of `config`, and not what is given it. `quoted`:
    names in quotes that `getattr` may be given. `keys`: those of subscripts, in lower case.
    `by_others`: without either of both. `extended`: classes that others extend.
    `given`: names of arguments in calls. `filled`: classes that calls are given. `mentioned`:
    classes that are named elsewhere than where they are made. `dumps`: options are taken as a dict;
    `spreads`: or under unknown names; `spreads_objects`: those that are attributes of an
    object.
    """

    attributes: frozenset[str]
    of_others: frozenset[str]
    handed_on: frozenset[str]
    by_others: frozenset[str]
    extended: frozenset[str]
    quoted: frozenset[str]
    keys: frozenset[str]
    given: frozenset[str]
    filled: frozenset[str]
    mentioned: frozenset[str]
    dumps: bool
    spreads: bool
    spreads_objects: bool

    def read(self, option: Option) -> bool:
        """Does anything read it?"""
        word = option.word
        if word in self.quoted:
            return True
        if option.kind in ("field", "attribute") and not option.dumps:
            alone = option.alone and option.within not in self.extended
            return word in (self.by_others if alone else self.handed_on)
        as_dict = option.kind == "key" or (option.dumps and self.dumps)
        read = self.of_others if option.kind in ("flag", "key") else self.attributes
        return word in read or (as_dict and word.lower() in self.keys)

    def tell(self, option: Option) -> bool:
        """Is it sure that it is an option, and that nothing reads it if no name here does?

        A default of a plain dataclass is an option for its own sake, one of a module where a call
        gives it. Code that takes all options may read one under a name that is written nowhere,
        and a class that nothing here names is read by files that are not known.
        """
        is_plain = option.kind == "field" and option.dumps
        if is_plain and option.within not in self.mentioned:
            return False
        spreads = self.spreads_objects if option.kind == "field" else self.spreads
        is_default = is_plain and not option.required
        return (is_default or self.sets(option)) and not (option.dumps and spreads)

    def sets(self, option: Option) -> bool:
        """Does a call give it by its name, or may the user do so?

        Where all options are taken at once, an object may have become one of them.
        """
        if option.kind in ("flag", "key"):
            return not (self.dumps and option.word in self.attributes)
        if option.required:
            return False
        is_set = option.filled or option.word in self.given or option.within in self.filled
        return is_set


def words_of(texts: Iterable[bytes]) -> Words:
    """What these files read."""
    found = [_words_of(text) for text in texts]
    return Words(
        frozenset[str]().union(*(each.attributes for each in found)),
        frozenset[str]().union(*(each.of_others for each in found)),
        frozenset[str]().union(*(each.handed_on for each in found)),
        frozenset[str]().union(*(each.by_others for each in found)),
        frozenset[str]().union(*(each.extended for each in found)),
        frozenset[str]().union(*(each.quoted for each in found)),
        frozenset[str]().union(*(each.keys for each in found)),
        frozenset[str]().union(*(each.given for each in found)),
        frozenset[str]().union(*(each.filled for each in found)),
        frozenset[str]().union(*(each.mentioned for each in found)),
        any(each.dumps for each in found),
        any(each.spreads for each in found),
        any(each.spreads_objects for each in found),
    )


@lru_cache(maxsize=4096)
def _words_of(text: bytes) -> Words:
    text = _COMMENT.sub(b"", text)
    read = Counter(_READ.findall(text))
    handed_on = Counter(one for one, other in _HANDED_ON.findall(text) if one == other)
    others = read - handed_on
    of_self = Counter(_READ_OF_SELF.findall(text))
    quoted = _QUOTED.findall(text)
    dumps = _DUMPS.search(text) is not None
    spread = set(_SPREADS_DICT.findall(text)) if dumps else set[bytes]()
    spreads_dicts = not spread.issubset(n for pair in _OTHER_DICT.findall(text) for n in pair)
    return Words(
        _decoded(read),
        _decoded(read - of_self),
        _decoded(others),
        _decoded(others - of_self),
        _decoded(word for bases in _BASES.findall(text) for word in _WORD.findall(bases)),
        _decoded(word for before, word in quoted if not before),
        _decoded(word.lower() for before, word in quoted if before and b"DEFINE" not in before),
        _decoded(_GIVEN.findall(_SIGNATURE.sub(b"", text))),
        _decoded(_filled(text)),
        _decoded(_MENTIONED.findall(text)),
        dumps,
        _SPREADS.search(text) is not None,
        spreads_dicts or _SPREADS_OBJECTS.search(text) is not None,
    )


def _filled(text: bytes) -> Iterator[bytes]:
    for called, names in _CLASSES.findall(text):
        if called not in _ASKS:
            yield from (name.strip().rpartition(b".")[2] for name in names.split(b","))


def _decoded(words: Iterable[bytes]) -> frozenset[str]:
    return frozenset(word.decode("utf-8", "replace") for word in words)


class Declared:
    """What modules declare, worked out once for each: many others import it."""

    def __init__(self) -> None:
        self._classes: dict[Module, dict[str, tuple[Function, list[str]]]] = {}
        self._ignored: dict[Module, list[tuple[str, IgnoredParameter]]] = {}

    def classes(self, module: Module) -> dict[str, tuple[Function, list[str]]]:
        if module not in self._classes:
            self._classes[module] = classes_of(module)
        return self._classes[module]

    def ignored(self, module: Module) -> list[tuple[str, IgnoredParameter]]:
        """Parameters that nothing reads, by the name that a call has for their function."""
        if module not in self._ignored:
            found = list(ignored_parameters(module))
            self._ignored[module] = [(_called(one.function), one) for one in found]
        return self._ignored[module]


def _called(function: Function) -> str:
    of_class = function.name == "__init__" and function.parent is not None
    return function.parent.name if of_class and function.parent is not None else function.name


def options(module: Module, classes: Classes) -> Iterator[Option]:
    """All that a file offers; `classes` of all files that it imports, too."""
    yield from _flags(module)
    for cls, bases in classes_of(module).values():
        if _is_known(cls.name, classes, 0):
            yield from _of_class(cls, bases, module)


def classes_of(module: Module) -> dict[str, tuple[Function, list[str]]]:
    """The classes of a module."""
    steps = {step[1]: step for step in steps_of(module.top) if isinstance(step[1], int)}
    return {
        step[2].name: (step[2], [_last_word(steps.get(base)) for base in step[3]])
        for step in steps.values()
        if step[0] == "class"
    }


def _flags(module: Module) -> Iterator[Option]:
    """`add_argument("--lr")`, `DEFINE_float("lr", ...)`, the keys of a `ConfigDict`."""
    for function in (*module.functions, module.top):
        code = list(steps_of(function))
        steps = {step[1]: step for step in code if isinstance(step[1], int)}
        discarded = {step[2] for step in code if step[0] == "discard"}
        for step in code:
            if step[0] != "call":
                continue
            name = _last_word(steps.get(step[2]))
            given = [steps.get(register) for _, register in step[3]]
            if name == "add_argument":
                words = [s[2] for s in given if s is not None and s[0] == "const"]
                named = dict(step[4]).get("dest")
                dest = steps.get(named) if named is not None else None
                word = dest[2] if dest is not None and dest[0] == "const" else _destination(words)
                if isinstance(word, str) and word:
                    yield Option("flag", word, step[-1], "the command line")
            elif name.startswith("DEFINE_") and step[1] in discarded and given[:1]:
                first = given[0]
                if first is not None and first[0] == "const" and isinstance(first[2], str):
                    yield Option("flag", first[2], step[-1], "the command line")
            elif name == "ConfigDict" and given[:1]:
                yield from _keys(given[0], steps)


def _keys(step: Instruction | None, steps: Mapping[int, Instruction]) -> Iterator[Option]:
    """The keys of a dict of options that hold a literal."""
    for key, value in step[2] if step is not None and step[0] == "dict" else ():
        name, held = steps.get(key), steps.get(value)
        if name is None or held is None or name[0] != "const" or held[0] != "const":
            continue
        if isinstance(name[2], str) and isinstance(held[2], _SCALARS):
            yield Option("key", name[2], name[-1], "the configuration")


def _destination(words: list[object]) -> str:
    """`--warm-up` is read as `warm_up`."""
    long = [word for word in words if isinstance(word, str) and word.startswith("--")]
    return long[0].lstrip("-").replace("-", "_") if long else ""


def _is_known(name: str, classes: Classes, depth: int) -> bool:
    """No base of an unknown library may read what the class keeps."""
    if name not in classes or depth > _DEPTH:
        return False
    known = _MODULES | _PLAIN | _OF_PYDANTIC
    bases = (base for base in classes[name][1] if base not in known)
    return all(_is_known(base, classes, depth + 1) for base in bases)


def _of_class(cls: Function, bases: list[str], module: Module) -> Iterator[Option]:
    init = next((f for f in module.functions if f.parent is cls and f.name == "__init__"), None)
    is_module, is_model = (not each.isdisjoint(bases) for each in (_MODULES, _OF_PYDANTIC))
    alone = is_module and _says_all(cls, bases, module)
    if init is not None:
        for option in _kept(init, cls):
            yield replace(option, alone=alone and _never_read(option.word, cls, module))
    elif is_module or _is_dataclass(cls, module) or is_model:
        if _is_record(cls, module, is_module):
            return
        constants = _constants_of(cls)
        stored = {step[2] for step in steps_of(cls) if step[0] == "store"}
        results = set() if is_module else _given_within(cls, module)
        for step in steps_of(cls):
            if step[0] != "field" or step[2].startswith("_") or step[2] in _OF_FLAX | results:
                continue
            if "ClassVar" in step[4] or _TAG.search(step[4]):
                continue
            if is_module or isinstance(constants.get(step[2], step), _SCALARS):
                alone_here = alone and _never_read(step[2], cls, module)
                yield Option(
                    "field", step[2], step[-1], cls.name, not is_module, filled=is_model,
                    alone=alone_here,
                )  # fmt: skip
            elif constants and step[2] not in stored and _SCALAR.fullmatch(step[4]):
                yield Option("field", step[2], step[-1], cls.name, required=True)


_WHOLE = frozenset(("getattr", "vars", "fields", "asdict", "astuple"))


def _says_all(cls: Function, bases: list[str], module: Module) -> bool:
    """All that reads an attribute of `self` stands in its body: no other base, no function to which
    another class lends its `self`, and nothing that reads attributes under other names.
    """
    if not _MODULES.union(_PLAIN).issuperset(bases):
        return False
    for function in module.functions:
        if _is_inside(function, cls):
            if _takes_self_apart(function):
                return False
        elif not _in_class(function) and any(p.name == "self" for p in function.parameters):
            return False
    return True


def _takes_self_apart(function: Function) -> bool:
    """`getattr(self, name)`, `vars(self)`, `self.__dict__`."""
    steps = {step[1]: step for step in steps_of(function) if isinstance(step[1], int)}
    mine = {register for register, s in steps.items() if s[0] == "load" and s[2] == "self"}
    return any(
        (step[0] in ("load", "attr") and _last_word(step) in ("__dict__", "locals", "eval"))
        or (
            step[0] == "call"
            and _last_word(steps.get(step[2])) in _WHOLE
            and any(register in mine for _, register in step[3])
        )
        for step in steps_of(function)
    )


def _never_read(word: str, cls: Function, module: Module) -> bool:
    inside = [f for f in module.functions if _is_inside(f, cls)]
    return not any(
        (step[0] == "attr" and step[3] == word) or (step[0] == "load" and step[2] == "super")
        for function in (cls, *inside)
        for step in steps_of(function)
    ) and not any(step[0] == "load" and step[2] == word for step in steps_of(cls))


def _is_inside(function: Function, cls: Function) -> bool:
    around = function.parent
    while around is not None and around is not cls:
        around = around.parent
    return around is not None


def _in_class(function: Function) -> bool:
    around = function.parent
    while around is not None and not around.is_class:
        around = around.parent
    return around is not None


def _is_record(cls: Function, module: Module, is_module: bool) -> bool:
    """Does it hold arrays, or nothing but fields? These are data: no behaviour depends on them."""
    methods = {f.name for f in module.functions if f.parent is cls}
    fields = (step for step in steps_of(cls) if step[0] == "field")
    if any(_ARRAYS.search(step[4]) for step in fields):
        return "__call__" not in methods
    return is_module and not methods


def _is_dataclass(cls: Function, module: Module) -> bool:
    """A decorator of that name stands above it."""
    return any(
        cls.first <= step[-1][0] < cls.line and _last_word(step) in _DATACLASSES
        for step in steps_of(module.top)
        if step[0] in ("load", "attr")
    )


def _given_within(cls: Function, module: Module) -> set[str]:
    """Names by which its own methods make new ones: these hold results, and are no options."""
    code = (step for f in module.functions if f.parent is cls for step in steps_of(f))
    return {name for step in code if step[0] == "call" for name, _ in step[4] if name is not None}


def _constants_of(cls: Function) -> dict[str, object]:
    """The names in a class that hold a literal, be it given as `field(default=...)`."""
    steps = {step[1]: step for step in steps_of(cls) if isinstance(step[1], int)}
    found: dict[str, object] = {}
    for step in steps.values():
        value = steps.get(step[4]) if step[0] == "store" else None
        if value is not None and value[0] == "call":
            value = steps.get(dict(value[4]).get("default", -1))
        if value is not None and value[0] == "const":
            found[step[2]] = value[2]
    return found


def _kept(init: Function, cls: Function) -> Iterator[Option]:
    """`self.clip = clip`, where the parameter is used for nothing else."""
    code = list(steps_of(init))
    own = {p.name for p in init.parameters[1:] if p.kind in ("pos", "kw")}
    loads: dict[str, list[int]] = {}
    for step in code:
        if step[0] == "load":
            loads.setdefault(step[2], []).append(step[1])
    used = {each for step in code if step[0] != "setattr" for each in used_registers(step)}
    for step in code:
        if step[0] != "setattr":
            continue
        name = next((n for n in own if loads.get(n) == [step[4]]), None)
        kept = step[2] in loads.get(init.parameters[0].name, ())
        if name and kept and step[4] not in used and name not in init.captured:
            yield Option("attribute", step[3], step[-1], cls.name, dumps=False)


def _last_word(step: Instruction | None) -> str:
    if step is None or step[0] not in ("load", "attr"):
        return ""
    return str(step[2] if step[0] == "load" else step[3])


def ignored_parameters(module: Module) -> Iterator[IgnoredParameter]:
    """Parameters that a function of the module, or of a class in it, never reads.

    One without a default only of `__init__`, or where it is overwritten: a function may have it
    because others do. So may a method of a class whose base is not of the module: it overrides.
    """
    classes = classes_of(module)
    for function in module.functions:
        parent = function.parent
        if function.is_class or function.is_module or parent is None or not _is_real(function):
            continue
        if function.first < function.line and not _DECORATED.issuperset(_decorators(function)):
            continue
        if not (parent.is_module or (parent.is_class and _is_top(parent))):
            continue
        is_method = parent.is_class and function.name != "__init__"
        if is_method and not _is_known(parent.name, classes, 0):
            continue
        read, overwritten = _names_read(function), overwritten_parameters(function)
        for parameter in function.parameters[_has_self(function) :]:
            name = parameter.name
            if parameter.kind not in ("pos", "kw") or name.startswith(("_", "unused")):
                continue
            if name in overwritten:
                yield IgnoredParameter(function, parameter, overwritten[name])
            elif name not in read and (parameter.has_default or function.name == "__init__"):
                yield IgnoredParameter(function, parameter)


def _has_self(function: Function) -> bool:
    in_class = function.parent is not None and function.parent.is_class
    return in_class and "staticmethod" not in _decorators(function)


def _decorators(function: Function) -> Iterator[str]:
    """The names above it: one that dispatches, or that overrides, asks for its parameters."""
    assert function.parent is not None
    for step in steps_of(function.parent):
        if step[0] in ("load", "attr") and function.first <= step[-1][0] < function.line:
            yield _last_word(step)


def _is_top(cls: Function) -> bool:
    return cls.parent is not None and cls.parent.is_module


def _is_real(function: Function) -> bool:
    """Neither abstract nor a stub: it does something."""
    code = list(steps_of(function))
    loads = {step[2] for step in code if step[0] == "load"}
    if "NotImplementedError" in loads or "locals" in loads:
        return False
    if any(step[0] == "raise" for step in function.body):  # whatever it is given
        return False
    return any(step[0] not in _IDLE for step in code)


def _names_read(function: Function) -> set[str]:
    read = set(function.captured)
    for step in steps_of(function):
        if step[0] == "load":
            read.add(step[2])
        elif step[0] == "delete" and step[2] == "name":
            read.add(step[3][0])
        elif step[0] == "class":
            read |= _names_read(step[2])
    return read


def ignored_arguments(
    module: Module, seen: Collection[Module], declared: Declared
) -> Iterator[tuple[IgnoredParameter, Span]]:
    """Calls of a module that give what the function never reads.

    `seen`: the modules that it imports, and itself. Where two functions have the name, it is
    unknown which one is called.
    """
    calls = list(_calls(module))
    names = {name for name, _, _ in calls}
    ignored: dict[str, dict[str, IgnoredParameter]] = {}
    for each in seen:
        for name, one in declared.ignored(each):
            if name in names:
                ignored.setdefault(name, {})[one.name] = one
    if not ignored:
        return
    functions = Counter(f.name for each in seen for f in each.functions if f.name in ignored)
    classes = Counter(n for each in seen for n in declared.classes(each) if n in ignored)
    for name, callee, call in calls:
        found = ignored.get(name)
        if not found:
            continue
        function = next(iter(found.values())).function
        of_class = function.name == "__init__"
        same, others = (classes, functions) if of_class else (functions, classes)
        if same[name] == 1 and name not in others:
            for given in _given_to(call, callee, function):
                if given in found:
                    yield found[given], call[-1]


def _calls(module: Module) -> Iterator[tuple[str, Instruction | None, Instruction]]:
    """The calls of a module: the last word of what is called, its instruction, and the call."""
    for function in dict.fromkeys((*module.functions, module.top)):
        code = list(steps_of(function))
        steps = {step[1]: step for step in code if isinstance(step[1], int)}
        for step in code:
            if step[0] == "call":
                callee = steps.get(step[2])
                yield _last_word(callee), callee, step


def _given_to(call: Instruction, callee: Instruction | None, function: Function) -> Iterator[str]:
    """The parameters that a call gives, by position up to a star, and by name."""
    through = callee is not None and callee[0] == "attr"
    bound = _has_self(function) and (function.name == "__init__" or through)
    names = [p.name for p in function.parameters if p.kind == "pos"][bound:]
    for name, (star, _) in zip(names, call[3], strict=False):
        if star:
            break
        yield name
    yield from (name for name, _ in call[4] if name is not None)


def ignored_defaults(module: Module, declared: Declared) -> Iterator[IgnoredParameter]:
    """Parameters with a default, which the module's own functions never read.

    Several functions of one name have them in common, be they of use to each or not.
    """
    named = Counter(function.name for function in module.functions)
    for _, one in declared.ignored(module):
        name = one.function.name
        special = name.startswith("__") if name != "__init__" else False
        alone = name == "__init__" or named[name] == 1
        if one.parameter.has_default and alone and not special:
            yield one
