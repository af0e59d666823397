"""Full names of what the libraries have, in any scope, as imports write them (floor `program`).

Under-approximates: a name that is also bound in another way, or imported as two things, has none.
"""

from __future__ import annotations

from collections.abc import Callable

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Slot
from gotcha_lint.program.links import Links

_STARS = 3  # modules that bring a name along, one by the other


class FullNames:
    """`jax.numpy.sum` for `jnp.sum`; "" for what no import of a library has bound.

    `canonical`: one name for all that a library calls the same; of what is called.
    """

    def __init__(self, links: Links, canonical: Callable[[str], str] = str) -> None:
        self.links = links
        self.canonical = canonical
        self._binding: set[tuple[Function, str]] = set()  # names that are being read

    def of_register(self, function: Function, register: Register) -> str:
        """Of a name, or of attributes of one."""
        base, words = self.parts(function, register)
        return ".".join((base, *words)) if base else ""

    def parts(self, function: Function, register: Register) -> tuple[str, list[str]]:
        """What is imported, and the attributes of it that are written."""
        words: list[str] = []
        made = self.links.makers(function).get(register)
        while made is not None and made[0] == "attr":
            words.append(made[3])
            made = self.links.makers(function).get(made[2])
        if made is None or made[0] != "load":
            return "", []
        return self.of_slot(function, (made[2], made[3])), words[::-1]

    def of_call(self, function: Function, call: Instruction) -> str:
        """Of the function that is called."""
        return self.canonical(self.of_register(function, call[2]))

    def of_slot(self, function: Function, slot: Slot) -> str:
        """Of a name, in the function that reads it."""
        name, hops = slot
        owner: Function | None = function
        if hops < 0:
            owner = self.links.finder.modules[function.path].top
        for _ in range(hops):
            owner = owner.parent if owner is not None else None
        if owner is None:
            return ""
        stored = self.links.stores(owner).get(name)
        if not stored:
            is_given = any(p.name == name for p in owner.parameters)
            return "" if is_given or not owner.is_module else self._starred(owner, name, _STARS)
        found = {self._bound(owner, register, name) for register in stored}
        return found.pop() if len(found) == 1 else ""

    def _gives(self, top: Function, name: str) -> bool:
        """Does `from module import *` bring it along?"""
        makers = self.links.makers(top)
        said = [makers.get(one) for one in self.links.stores(top).get("__all__", ())]
        listed = said[0] if len(said) == 1 else None
        if listed is None or listed[0] != "build":
            return not name.startswith("_")
        each = (makers.get(one) for _, one in listed[3])
        return any(one is not None and one[0] == "const" and one[2] == name for one in each)

    def _bound(self, owner: Function, register: Register, name: str) -> str:
        """By an import, or by another name: `partial = functools.partial`."""
        made = self.links.makers(owner).get(register)
        if made is None or made[0] != "attr" or (owner, name) in self._binding:
            return _imported(made)
        self._binding.add((owner, name))
        found = self.of_register(owner, register)
        self._binding.discard((owner, name))
        return found

    def _starred(self, top: Function, name: str, left: int) -> str:
        """`jax`, where `from .utils import *` brings it along."""
        finder = self.links.finder
        for i in steps_of(top) if left else ():
            if i[0] != "importstar":
                continue
            path = finder.module_from("." * i[3] + i[2], top.path)
            if path is None or path not in finder.modules or path == top.path:
                continue
            other = finder.modules[path].top
            stored = self.links.stores(other).get(name) if self._gives(other, name) else None
            if stored:
                return self.of_slot(other, (name, -1))
            found = self._starred(other, name, left - 1)
            if found:
                return found
        return ""


def _imported(made: Instruction | None) -> str:
    """What an import binds, in full; "" for one of the program, by dots."""
    if made is None or made[0] != "import" or made[3]:
        return ""
    return f"{made[2]}.{made[4]}" if made[4] else made[2]


def are_lazy(module: Module) -> bool:
    """Are annotations not evaluated?"""
    return any(i[0] == "import" and i[2] == "__future__" and i[4] == "annotations"
               for i in module.top.body)  # fmt: skip
