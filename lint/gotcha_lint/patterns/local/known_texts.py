"""Texts that a function puts together, as far as they are written out (floor `patterns`)."""

from __future__ import annotations

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register
from gotcha_lint.program.links import Links
from gotcha_lint.program.reader import Reader

# In a text: a part that is not written there, and what an environment variable held.
UNKNOWN, HELD = "\0", "\1"
_DEEP = 20


class Texts:
    """The texts of one function; of a name, the one that is stored last, or that of the module."""

    def __init__(self, links: Links, module: Module, reader: Reader) -> None:
        self.links, self.module, self.reader = links, module, reader

    def of(self, register: Register, left: int = _DEEP) -> str:
        i = self.reader.made(register)
        if i is None or not left:
            return UNKNOWN
        if i[0] == "const":
            return i[2] if isinstance(i[2], str) else UNKNOWN
        if i[0] == "fstr":
            return self._formatted(i, left - 1)
        if i[0] in ("binop", "augment") and i[2] == "Add":
            return self.of(i[3], left - 1) + self.of(i[4], left - 1)
        if i[0] == "load" and i[3] == -1:
            return self._constant(i[2])
        if i[0] == "item":
            return HELD if self._word(i[2]) == "environ" else UNKNOWN
        return self._called(i, left - 1) if i[0] == "call" else UNKNOWN

    def _formatted(self, i: Instruction, left: int) -> str:
        fields, texts = list(i[2]), i[4]
        if texts.count(None) != len(fields):  # some stand in the format of others
            return "".join(UNKNOWN if text is None else text for text in texts) or UNKNOWN
        return "".join(self.of(fields.pop(0), left) if t is None else t for t in texts)

    def _called(self, i: Instruction, left: int) -> str:
        callee = self.reader.makers.get(i[2])
        if callee is None or callee[0] not in ("attr", "load"):
            return UNKNOWN
        if self._word(i[2]) == "getenv" or (
            self._word(i[2]) == "get" and self._word(callee[2]) == "environ"
        ):
            return HELD
        if self._word(i[2]) != "join" or callee[0] != "attr" or len(i[3]) != 1:
            return UNKNOWN
        glue, parts = self.reader.makers.get(callee[2]), self.reader.made(i[3][0][1])
        if glue is None or glue[0] != "const" or parts is None or parts[0] != "build":
            return UNKNOWN
        return str(glue[2]).join(UNKNOWN if star else self.of(one, left) for star, one in parts[3])

    def _constant(self, name: str) -> str:
        """Of a name of the module that is set once."""
        top = self.module.top
        stored = self.links.stores(top).get(name, [])
        if self.reader.function is top or len(stored) != 1:
            return UNKNOWN
        if name in self.links.names_rebound(self.module.path):
            return UNKNOWN
        made = self.links.makers(top).get(stored[0])
        known = made is not None and made[0] == "const" and isinstance(made[2], str)
        return made[2] if known and made is not None else UNKNOWN

    def _word(self, register: Register) -> str:
        i = self.reader.makers.get(register)
        if i is None or i[0] not in ("attr", "load"):
            return ""
        return i[3] if i[0] == "attr" else i[2]


def written_before(
    module: Module, function: Function, end: Instruction, text: str
) -> list[Instruction]:
    """The constants of a text that stand in earlier lines than the statement that uses it.

    May: a constant with the same text, of the function or of the module, counts as a part.
    """
    bodies = (function,) if function.is_module else (function, module.top)
    return [
        i
        for body in bodies
        for i in steps_of(body)
        if i[0] == "const"
        and isinstance(i[2], str)
        and i[2].strip()
        and i[2] in text
        and i[-1][2] < end[-1][0]
    ]
