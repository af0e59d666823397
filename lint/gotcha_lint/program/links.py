"""What a written name or attribute stands for, where one definition alone is possible.

Nothing is run (floor `program`): a name counts where it is bound once, an attribute of an object
where its class, and the classes that it extends, write it once. All else stands for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from gotcha_lint.program.data_flow import bodies, decorators, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span

_COPIES = frozenset(("replace", "_replace", "apply_gradients"))  # of states, with other fields
_DEPTH = 12  # steps from a name to its definition
_SAME_PARAMETERS = frozenset(  # decorators after which a function takes what it takes
    ("jit", "filter_jit", "pjit", "pmap", "vmap", "filter_vmap", "checkpoint", "remat", "compact",
     "cache", "lru_cache", "override", "final", "abstractmethod", "no_grad", "typechecked")
)  # fmt: skip
_RECEIVERS = frozenset(("staticmethod", "classmethod"))
_SAME_CLASS = frozenset(
    ("dataclass", "final", "runtime_checkable", "register_static", "register_pytree_node_class",
     "register_dataclass")
)  # fmt: skip


class Finder(Protocol):
    """Who knows the modules of the program."""

    modules: Mapping[str, Module]

    def module_from(self, name: str, importer: str) -> str | None:
        """The path of a module, as another file names it."""
        ...

    def is_certain(self, name: str, importer: str) -> bool:
        """Can the name stand for no other module, whatever else is installed?"""
        ...


@dataclass(frozen=True)
class Link:
    """What something stands for.

    `kind`: "function", "class", "instance" or "module"; `function`: it, the body of the class, or
    the top of the module. `bound`: how many positional arguments it has already. `virtual`: it was
    found on `self`, whose class may be one that extends this one; or on a parameter that says so.
    """

    kind: str
    function: Function
    bound: int = 0
    virtual: bool = False
    annotated: bool = False  # a parameter is said to be one, and may be something else
    through: tuple[str, Span] | None = None  # the import that made it a name of the file


@dataclass(frozen=True)
class ClassParts:
    bases: tuple[Link, ...]
    library: tuple[str, ...]  # full names of bases that are not of the program, "" for others
    decorators: tuple[str, ...]
    fields: tuple[str, ...]
    metaclass: bool


@dataclass(slots=True)
class Told:
    """What a file says of attributes anywhere."""

    names: set[str] = field(default_factory=set)  # that it gives to objects, or asks for as a text
    extended: set[Function] = field(default_factory=set)  # bodies of classes that others extend
    made: set[Function] = field(default_factory=set)  # ... of which objects are made


@dataclass(slots=True)
class Texts:
    """What follows from the text of one function or file alone, for all that ask."""

    makers: dict[Function, dict[Register, Instruction]] = field(default_factory=dict)
    stores: dict[Function, dict[str, list[Register]]] = field(default_factory=dict)
    rebound: dict[Function, set[str]] = field(default_factory=dict)  # by the top of the file
    bodies: dict[Function, list[Function]] = field(default_factory=dict)
    told: dict[str, Told] = field(default_factory=dict)  # by path; of what it imports, too
    given: dict[str, frozenset[str]] = field(default_factory=dict)  # by path


class Links:
    """Answers for the functions of a program; what was asked once is kept."""

    def __init__(self, finder: Finder, texts: Texts) -> None:
        self.finder = finder
        self._texts = texts
        self._classes: dict[Function, ClassParts | None] = {}
        self._objects: dict[Function, Link | None] = {}  # what each function returns

    def bodies(self, module: Module) -> list[Function]:
        """The functions of a file, its top, and the bodies of classes."""
        known = self._texts.bodies.get(module.top)
        if known is None:
            known = self._texts.bodies[module.top] = list(bodies(module))
        return known

    def of_register(self, function: Function, register: Register, depth: int = 0) -> Link | None:
        """What the register of a function holds."""
        made = self.makers(function).get(register)
        if made is None or depth > _DEPTH:
            return None
        operation = made[0]
        if operation == "load":
            return self.of_name(function, made[2], made[3], depth + 1)
        if operation == "attr":
            base = self.of_register(function, made[2], depth + 1)
            return None if base is None else self.member(base, made[3], depth + 1)
        if operation == "closure":
            return Link("function", made[2])
        if operation == "class":
            return Link("class", made[2])
        if operation == "import":
            return self._imported(function, made, depth + 1)
        return self._of_call(function, made, depth + 1) if operation == "call" else None

    def makers(self, function: Function) -> dict[Register, Instruction]:
        """The instruction that writes each register."""
        known = self._texts.makers.get(function)
        if known is None:
            known = self._texts.makers[function] = {i[1]: i for i in steps_of(function)}
            known.update(_written_apart(function, known))
        return known

    def stores(self, function: Function) -> dict[str, list[Register]]:
        """What is stored under each name of its own."""
        known = self._texts.stores.get(function)
        if known is None:
            own = -1 if function.is_module else 0
            known = self._texts.stores[function] = {}
            for i in steps_of(function):
                if i[0] == "store" and i[3] == own:
                    known.setdefault(i[2], []).append(i[4])
                elif i[0] == "delete" and i[2] == "name":
                    known.setdefault(i[3][0], []).append(-1)
        return known

    def of_name(self, function: Function, name: str, hops: int, depth: int) -> Link | None:
        owner: Function | None = function
        if hops < 0 or function.is_module:
            owner = self.finder.modules[function.path].top
        else:
            for _ in range(hops):
                owner = owner.parent if owner is not None else None
        if owner is None or name in self.names_rebound(function.path):
            return None
        stored = self.stores(owner).get(name, [])
        given = name in {p.name for p in owner.parameters}
        copied = (
            {r: self._copies(owner, name, r) for r in stored} if len(stored) + given > 1 else {}
        )
        registers = [r for r in stored if not copied.get(r)]
        if len(registers) == 1 and not given:
            link = self.of_register(owner, registers[0], depth)
        elif not registers and owner is self.finder.modules[function.path].top:
            return self._through_star(owner, name, depth)
        else:
            link = self._receiver(owner, name) if not registers else None
        if link is None or len(registers) == len(stored):
            return link
        own = any(word and self.in_class(link.function, word) for word in copied.values())
        return None if own or link.kind != "instance" else link

    def _copies(self, owner: Function, name: str, register: Register) -> str:
        """`replace`, of `state = state.replace(step=1)`: of the class that it had before."""
        makers = self.makers(owner)
        made = makers.get(register)
        callee = makers.get(made[2]) if made is not None and made[0] == "call" else None
        if callee is None or callee[0] != "attr" or callee[3] not in _COPIES:
            return ""
        before = makers.get(callee[2])
        is_own = before is not None and before[0] == "load" and before[2] == name
        return callee[3] if is_own else ""

    def member(self, base: Link, name: str, depth: int = 0) -> Link | None:
        """`base.name`."""
        if depth > _DEPTH:
            return None
        if base.kind == "module":
            return self._of_module(base, name, depth)
        if base.kind == "function" or self._is_field(base.function, name):
            return None
        found = self.in_class(base.function, name)
        if found is not None:
            return self._method(base, *found)
        return self._field(base, name, depth) if base.kind == "instance" else None

    def _is_field(self, body: Function, name: str) -> bool:
        """Does each object have its own, given to the constructor?"""
        lineage = self.lineage(body)
        return lineage is None or any(name in parts.fields for _, parts in lineage)

    def in_class(
        self, body: Function, name: str, depth: int = 0
    ) -> tuple[Function, Register] | None:
        """Where a class, or one that it extends, binds a name once: the body, and what it holds."""
        registers = self.stores(body).get(name)
        if registers is not None:
            return (body, registers[0]) if len(registers) == 1 else None
        parts = self.class_parts(body)
        if parts is None or depth > _DEPTH:
            return None
        for base in parts.bases:
            found = self.in_class(base.function, name, depth + 1)
            if found is not None:
                return found
        return None

    def class_parts(self, body: Function) -> ClassParts | None:
        """What the class extends; None where that is not known."""
        if body not in self._classes:
            self._classes[body] = None  # for one that extends itself
            self._classes[body] = self._parts(body)
        return self._classes[body]

    def _parts(self, body: Function) -> ClassParts | None:
        owner = body.parent or self.finder.modules[body.path].top
        made = next((i for i in steps_of(owner) if i[0] == "class" and i[2] is body), None)
        if made is None:
            return None
        _, register, _, bases, keywords, _ = made
        own: list[Link] = []
        library: list[str] = []
        for base in bases:
            link = self.of_register(owner, base)
            if link is not None and link.kind == "class":
                own.append(link)
            else:
                library.append(self.dotted(owner, base))
        words = tuple(self._decorators_of(owner, register))
        fields = tuple(i[2] for i in steps_of(body) if i[0] == "field")
        return ClassParts(tuple(own), tuple(library), words, fields, bool(keywords))

    def lineage(self, body: Function) -> list[tuple[Function, ClassParts]] | None:
        """The class and all that it extends; None where one of them is not known."""
        found: list[tuple[Function, ClassParts]] = []
        todo = [body]
        while todo and len(found) < _DEPTH:
            one = todo.pop()
            parts = self.class_parts(one)
            if parts is None:
                return None
            found.append((one, parts))
            todo += [base.function for base in parts.bases]
        return found

    def word(self, function: Function, register: Register) -> str:
        """The last word of a name or attribute, or of what a decorator is made with; else ""."""
        made = self.makers(function).get(register)
        if made is None:
            return ""
        if made[0] == "load":
            return made[2]
        if made[0] == "attr":
            return made[3]
        if made[0] == "call":
            word = self.word(function, made[2])
            if word == "partial" and made[3]:
                return self.word(function, made[3][0][1])
            return word
        return self.word(function, made[2]) if made[0] == "item" else ""

    def dotted(self, function: Function, register: Register) -> str:
        """The full name of what a library has, as far as imports tell; else ""."""
        made = self.makers(function).get(register)
        if made is None:
            return ""
        if made[0] == "import":
            return f"{made[2]}.{made[4]}" if made[4] else made[2]
        if made[0] == "item":
            return self.dotted(function, made[2])
        if made[0] == "attr":
            inner = self.dotted(function, made[2])
            return f"{inner}.{made[3]}" if inner else ""
        if made[0] != "load":
            return ""
        top = self.finder.modules[function.path].top
        registers = self.stores(top).get(made[2])
        if made[3] != -1 or registers is None:
            return f"builtins.{made[2]}" if made[3] == -1 else ""
        return self.dotted(top, registers[0]) if len(registers) == 1 else ""

    # Parts

    def names_rebound(self, path: str) -> set[str]:
        """Names that functions of the file bind for others."""
        module = self.finder.modules[path]
        known = self._texts.rebound.get(module.top)
        if known is None:
            functions = module.functions
            known = self._texts.rebound[module.top] = set().union(
                *(function.globals | function.nonlocals for function in functions)
            )
        return known

    def _receiver(self, owner: Function, name: str) -> Link | None:
        """`self`, in a method."""
        body = owner.parent
        first = owner.parameters[0] if owner.parameters else None
        if body is not None and body.is_class and first is not None and first.name == name:
            if first.kind == "pos" and name == "self":
                return Link("instance", body, virtual=True)
            return None
        return self._annotated(owner, name)

    def _annotated(self, owner: Function, name: str) -> Link | None:
        """A parameter that is annotated with a class of the program."""
        for parameter in owner.parameters:
            words = parameter.annotation.strip("\"'")
            if parameter.name == name and words.isidentifier() and parameter.kind in ("pos", "kw"):
                link = self._of_module(Link("module", self._top(owner)), words, 0)
                if link is not None and link.kind == "class":
                    return Link("instance", link.function, virtual=True, annotated=True)
        return None

    def _top(self, function: Function) -> Function:
        return self.finder.modules[function.path].top

    def _of_call(self, function: Function, made: Instruction, depth: int) -> Link | None:
        """A decorated function, or an object of a class."""
        _, _, callee, args, keywords, _ = made
        if len(args) == 1 and not keywords and not args[0][0]:
            inner = self.makers(function).get(args[0][1])
            if inner is not None and inner[0] in ("closure", "class", "call"):
                word = self.word(function, callee)
                link = self.of_register(function, args[0][1], depth)
                kind = link.kind if link is not None else ""
                same = word in (_SAME_CLASS if kind == "class" else _SAME_PARAMETERS)
                if same and kind in ("function", "class"):
                    return link
        if args and not args[0][0] and self.dotted(function, callee) == "dataclasses.replace":
            return self.of_register(function, args[0][1], depth)
        link = self.of_register(function, callee, depth)
        if link is not None and link.kind == "function":
            return None if link.virtual else self._returned(link.function)
        if link is None or link.kind != "class" or self.in_class(link.function, "__new__"):
            return None
        lineage = self.lineage(link.function)
        if lineage is None or any(parts.metaclass for _, parts in lineage):
            return None
        return Link("instance", link.function)

    def _returned(self, function: Function) -> Link | None:
        """The object of a class that each `return` of a function gives."""
        if function not in self._objects:
            self._objects[function] = None  # for one that calls itself
            if not (function.is_generator or function.is_async or decorators(function)):
                returned = [i[2] for i in steps_of(function) if i[0] == "return"]
                given = [
                    None if one is None else self.of_register(function, one) for one in returned
                ]
                first = given[0] if given else None
                if first is not None and first.kind == "instance" and not first.virtual:
                    same = all(one is not None and one == first for one in given)
                    self._objects[function] = first if same else None
        return self._objects[function]

    def _decorators_of(self, owner: Function, register: Register) -> Iterator[str]:
        held = register
        for i in steps_of(owner):
            if i[0] == "call" and len(i[3]) == 1 and i[3][0] == (False, held) and not i[4]:
                yield self.word(owner, i[2])
                held = i[1]

    def _imported(self, function: Function, made: Instruction, depth: int) -> Link | None:
        _, _, module, level, name, span = made
        full = "." * level + module
        path = self.finder.module_from(full, function.path)
        if path is not None and not self.finder.is_certain(full, function.path):
            return None
        through = (function.path, span)
        if name is None:
            return None if path is None else self._module(path, through)
        if path is not None:
            link = self._of_module(self._module(path, through), name, depth)
            if link is not None or name in self.stores(self.finder.modules[path].top):
                return link
        below = full + name if full.endswith(".") else f"{full}.{name}"
        inner = self.finder.module_from(below, function.path)
        if inner is None or not self.finder.is_certain(below, function.path):
            return None
        return self._module(inner, through)

    def _module(self, path: str, through: tuple[str, Span]) -> Link:
        return Link("module", self.finder.modules[path].top, through=through)

    def _of_module(self, module: Link, name: str, depth: int) -> Link | None:
        top = module.function
        if name in self.names_rebound(top.path):
            return None
        registers = self.stores(top).get(name, [])
        if not registers:
            return self._through_star(top, name, depth + 1)
        return self.of_register(top, registers[0], depth) if len(registers) == 1 else None

    def _through_star(self, top: Function, name: str, depth: int) -> Link | None:
        """`from .other import *`: of the one module that has the name, if all are known."""
        if name.startswith("_") or depth > _DEPTH:
            return None
        found: list[Link] = []
        for i in steps_of(top):
            if i[0] != "importstar":
                continue
            full = "." * i[3] + i[2]
            path = self.finder.module_from(full, top.path)
            if path is None or path == top.path or not self.finder.is_certain(full, top.path):
                return None
            other = self.finder.modules[path].top
            link = self._of_module(Link("module", other), name, depth)
            if link is not None and "__all__" not in self.stores(other):
                found.append(link)
        return found[0] if len(found) == 1 else None

    def _method(self, base: Link, body: Function, register: Register) -> Link | None:
        """What a class attribute is on the class or on an object."""
        words: list[str] = []
        held: Register = register
        made = self.makers(body).get(held)
        while made is not None and made[0] == "call" and len(made[3]) == 1 and not made[4]:
            words.append(self.word(body, made[2]))
            held = made[3][0][1]
            made = self.makers(body).get(held)
        if made is None or made[0] != "closure":
            return None
        if not all(word in _SAME_PARAMETERS or word in _RECEIVERS for word in words):
            return None
        static, of_class = "staticmethod" in words, "classmethod" in words
        bound = 0 if static else int(of_class or base.kind == "instance")
        return Link("function", made[2], bound, base.virtual, base.annotated)

    def _field(self, base: Link, name: str, depth: int) -> Link | None:
        found = self.written_field(base, name)
        link = None if found is None else self.of_register(*found, depth)
        return None if link is None or link.kind == "module" else link

    def written_field(self, base: Link, name: str) -> tuple[Function, Register] | None:
        """What the methods of the class put into an attribute of `self`, once."""
        lineage = self.lineage(base.function)
        if lineage is None:
            return None
        bodies = {body for body, _ in lineage}
        found: list[tuple[Function, Register]] = []
        for body in bodies:
            for function in self.finder.modules[body.path].functions:
                if function.parent is not body or not function.parameters:
                    continue
                me = function.parameters[0].name
                for i in steps_of(function):
                    if i[0] == "setattr" and i[3] == name:
                        on = self.makers(function).get(i[2])
                        if on is not None and on[0] == "load" and on[2] == me:
                            found.append((function, i[4]))
        return found[0] if len(found) == 1 else None


def _written_apart(
    function: Function, makers: Mapping[Register, Instruction]
) -> Iterator[tuple[Register, Instruction]]:
    """The parts of `a, b = f(), g()`."""
    for i in steps_of(function):
        made = makers.get(i[2]) if i[0] == "unpack" and i[4] is None else None
        if made is None or made[0] != "build" or len(made[3]) != len(i[3]):
            continue
        for target, (star, part) in zip(i[3], made[3], strict=True):
            if not star and part in makers:
                yield target, makers[part]
