"""Which call makes a value, through names, attributes of `self` and own functions (`program`).

Nothing is run. Of what may be made in more than one way nothing is known; what is given by a caller
is what its annotation says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.full_names import FullNames
from gotcha_lint.program.ir import Function, Instruction, Region, Register
from gotcha_lint.program.links import Links
from gotcha_lint.program.reader import SureReader
from gotcha_lint.program.spelled import Makers, spelled

_DEPTH = 8  # names and calls that are followed
_CONTAINERS = frozenset(("dict", "Dict", "Mapping", "list", "List", "Sequence"))


# Contexts of tests, and those in which nothing is traced.
_EXPECTING = ("raises", "Raises", "warns", "Warn", "assertNo", "assertLogs")
_EXPECTING += ("ensure_compile_time_eval", "disable_jit")


class Origins:
    """What the registers of the functions of a program were made by."""

    def __init__(self, links: Links, canonical: Callable[[str], str] = str) -> None:
        self.links = links
        self.names = FullNames(links, canonical)
        self._calls: dict[str, dict[Function, list[tuple[Function, Instruction, int]]]] = {}
        self._expecting: dict[Function, set[int]] = {}  # instructions, by their identity
        self._readers: dict[Function, SureReader] = {}

    def reader(self, function: Function) -> SureReader:
        if function not in self._readers:
            self._readers[function] = SureReader(function)
        return self._readers[function]

    def library(self, function: Function, register: Register) -> str:
        """The full name of the function or class of a library that gave it; "" if there is none."""
        found = self.of(function, register)
        if found is None:
            return ""
        owner, made = found
        if isinstance(made, str):
            return made
        return self.names.of_call(owner, made) if made[0] == "call" else ""

    def library_given(self, function: Function, register: Register) -> str:
        """The same, also of what the one call of the function gives."""
        made = self.links.makers(function).get(register)
        found = self.library(function, register)
        if found or made is None or made[0] != "load" or made[3] != 0:
            return found
        given = self.given_by_caller(function, made[2])
        return self.library(*given) if given is not None else ""

    def called(self, function: Function, call: Instruction) -> str:
        """The full name of what is called: also of a method of what a library has made."""
        name = self.names.of_call(function, call)
        made = self.links.makers(function).get(call[2])
        if name or made is None or made[0] != "attr":
            return name
        owner = self.library(function, made[2])
        return f"{owner}.{made[3]}" if owner else ""

    def of_argument(self, function: Function, call: Instruction) -> str:
        """The full name of what a call is given first: `jax.jit`, of `partial(jax.jit, ...)`."""
        return self.names.canonical(self.names.of_register(function, call[3][0][1]))

    def is_attempted(self, function: Function, instruction: Instruction) -> bool:
        """Is it in a `try` that catches something, or where a test expects an error?"""
        if function not in self._expecting:
            makers = self.links.makers(function)
            self._expecting[function] = set(_expected(makers, function.body))
        if id(instruction) in self._expecting[function]:
            return True
        around = self.reader(function).around[id(instruction)]
        return any(block[0] == "try" and part == 2 and block[3] for block, part in around)

    def given_by_caller(
        self, function: Function, parameter: str
    ) -> tuple[Function, Register] | None:
        """What the one call that the file has of a function of its own gives."""
        if function.path not in self._calls:
            self._calls[function.path] = self._calls_in(function.path)
        calls = self._calls[function.path].get(function, [])
        places = [p.name for p in function.parameters if p.kind == "pos"]
        if len(calls) != 1 or parameter not in places:
            return None
        (caller, call, bound) = calls[0]
        place = places.index(parameter) - bound
        if any(star for star, _ in call[3]) or not place >= 0:
            return None
        given = call[3][place][1] if place < len(call[3]) else dict(call[4]).get(parameter)
        return None if given is None else (caller, given)

    def callers(self, function: Function) -> list[Function]:
        """The functions of the file that call it."""
        if function.path not in self._calls:
            self._calls[function.path] = self._calls_in(function.path)
        return [caller for caller, _, _ in self._calls[function.path].get(function, [])]

    def _calls_in(self, path: str) -> dict[Function, list[tuple[Function, Instruction, int]]]:
        found: dict[Function, list[tuple[Function, Instruction, int]]] = {}
        for caller in self.links.bodies(self.links.finder.modules[path]):
            for i in steps_of(caller):
                link = self.links.of_register(caller, i[2]) if i[0] == "call" else None
                if link is not None and link.kind == "function":
                    found.setdefault(link.function, []).append((caller, i, link.bound))
        return found

    def of(
        self, function: Function, register: Register, left: int = _DEPTH
    ) -> tuple[Function, Instruction | str] | None:
        """The instruction that made it, and the function that this is in, or its annotation."""
        made = self.reader(function).made(register)
        if made is None or not left:
            return None
        if made[0] == "load":
            return self._of_name(function, made, left - 1)
        if made[0] == "enter":
            return self.of(function, made[2], left - 1)
        if made[0] == "attr":
            return self._of_attribute(function, made, left - 1)
        if made[0] == "call":
            return self._of_call(function, made, left - 1)
        return function, made

    def _of_name(
        self, function: Function, load: Instruction, left: int
    ) -> tuple[Function, Instruction | str] | None:
        """Of a name of the module, or of a function around; of a parameter that is annotated."""
        name, hops = load[2], load[3]
        owner: Function | None = function
        if hops < 0:
            owner = self.links.finder.modules[function.path].top
        for _ in range(hops):
            owner = owner.parent if owner is not None else None
        if owner is None:
            return None
        stored = self.links.stores(owner).get(name, [])
        for parameter in owner.parameters:
            if parameter.name == name and not stored:
                said = self._annotated(owner, parameter.annotation)
                return (owner, said) if said else None
        if owner is function or len(stored) != 1 or stored[0] < 0:
            return None
        return self.of(owner, stored[0], left)

    def of_elements(self, function: Function, register: Register) -> str:
        """What the elements of a container are, as the annotation of the parameter says."""
        made = self.reader(function).made(register)
        if made is None or made[0] != "load" or made[3] != 0:
            return ""
        said = next((p.annotation for p in function.parameters if p.name == made[2]), "")
        head, _, inner = said.strip("\"'").removesuffix("]").partition("[")
        if head.rpartition(".")[2] not in _CONTAINERS or "[" in inner:
            return ""
        return self._annotated(function, inner.rpartition(",")[2].strip())

    def _annotated(self, owner: Function, annotation: str) -> str:
        head, *rest = annotation.strip("\"'").split(".")
        base = self.names.of_slot(owner, (head, -1)) if head.isidentifier() else ""
        return ".".join((base, *rest)) if base else ""

    def _of_attribute(
        self, function: Function, made: Instruction, left: int
    ) -> tuple[Function, Instruction | str] | None:
        """Of `self.name`, `agent.name`, which the methods of the class write once."""
        link = self.links.of_register(function, made[2])
        if link is None or link.kind != "instance" or link.annotated:
            return None
        found = self.links.written_field(link, made[3])
        return None if found is None else self.of(*found, left)

    def _of_call(
        self, function: Function, call: Instruction, left: int
    ) -> tuple[Function, Instruction | str] | None:
        """Of a function of the program: what its one `return` gives."""
        called = self._function(function, call)
        if called is None:
            return function, call
        given = [i for i in steps_of(called) if i[0] == "return" and i[2] is not None]
        if len(given) != 1 or called.is_generator or called.is_async:
            return function, call
        return self.of(called, given[0][2], left) or (function, call)

    def _function(self, function: Function, call: Instruction) -> Function | None:
        """The program's own function, also of a module that may be installed besides."""
        link = self.links.of_register(function, call[2])
        if link is not None:
            known = link.kind == "function" and not (link.virtual or link.annotated)
            return link.function if known else None
        finder = self.links.finder
        module, _, name = self.names.of_call(function, call).rpartition(".")
        path = finder.module_from(module, function.path) if module else None
        stored = self.links.stores(finder.modules[path].top).get(name, []) if path else []
        if path is None or len(stored) != 1:
            return None
        made = self.links.makers(finder.modules[path].top).get(stored[0])
        return made[2] if made is not None and made[0] == "closure" else None


def _expected(makers: Makers, code: Region, inside: bool = False) -> Iterator[int]:
    """The instructions in a `with` whose context says that they fail, or only look."""
    contexts: set[Register] = set()
    for i in code:
        if i[0] == "enter" and any(word in spelled(makers, i[2], 200) for word in _EXPECTING):
            contexts.add(i[2])
        elif i[0] == "exit":
            contexts.discard(i[2])
        if inside or contexts:
            yield id(i)
        for part in i:
            if isinstance(part, list):
                nested = part and isinstance(part[0], list)
                for region in part if nested else [part]:
                    yield from _expected(makers, region, inside or bool(contexts))
