"""Options of the command line that are read, and that no parser has (floor `patterns`; must).

Under-approximates: the parser is made, filled and asked in one function; its options have names
that are written out. Nothing is known of a parser that is given to a function or has parents, nor
of options in a file that adds or asks for names as texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins

_PARSER = "argparse.ArgumentParser"
_DYNAMIC = frozenset(("setattr", "vars", "__dict__", "fromfile_prefix_chars"))
_OWN = frozenset(  # methods that leave the parser where it is
    ("add_argument", "parse_args", "parse_known_args", "set_defaults", "add_argument_group",
     "add_mutually_exclusive_group", "print_help", "print_usage", "format_help", "error", "exit")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unparsed:
    """`parsed`: where the command line is read."""

    span: Span
    name: str
    parsed: Span
    path: str


@dataclass(slots=True)
class ParsedOptions:
    """Answers for one file."""

    origins: Origins
    _known: dict[tuple[Function, Register], frozenset[str] | None] = field(default_factory=dict)
    _others: dict[str, frozenset[str] | None] = field(default_factory=dict)

    def missing(self, function: Function, read: Instruction) -> Unparsed | None:
        """Of `args.name`."""
        _, _, base, name, span = read
        if name.startswith("_"):
            return None
        found = self._parsed(function, base)
        if found is None:
            return None
        owner, call = found
        options = self._options(owner, call)
        others = self._given(function.path)
        if options is None or others is None or name in options | others:
            return None
        return Unparsed(span, name, call[-1], owner.path)

    def _parsed(self, function: Function, base: Register) -> tuple[Function, Instruction] | None:
        """The call of `parse_args` that gives it: here, or where the one caller is."""
        found = self.origins.of(function, base)
        made = self.origins.links.makers(function).get(base)
        if (found is None or isinstance(found[1], str)) and made is not None:
            given = None
            if made[0] == "load" and made[3] == 0:
                given = self.origins.given_by_caller(function, made[2])
            found = self.origins.of(*given) if given is not None else None
        if found is None:
            return None
        owner, call = found
        if isinstance(call, str) or call[0] != "call":
            return None
        callee = self.origins.links.makers(owner).get(call[2])
        is_parse = callee is not None and callee[0] == "attr" and callee[3] == "parse_args"
        return (owner, call) if is_parse else None

    def _options(self, owner: Function, call: Instruction) -> frozenset[str] | None:
        callee = self.origins.links.makers(owner)[call[2]]
        key = owner, callee[2]
        if key not in self._known:
            self._known[key] = self._all_options(owner, call, callee[2])
        return self._known[key]

    def _all_options(
        self, owner: Function, call: Instruction, parser: Register
    ) -> frozenset[str] | None:
        """All that the parser may set; None where not all is written out."""
        makers = self.origins.links.makers(owner)
        found = self.origins.of(owner, parser)
        if self.origins.library(owner, parser) != _PARSER or found is None:
            return None
        made = found[1]
        if found[0] is not owner or isinstance(made, str) or len(call[3]) > 1:
            return None
        options = {name for name, _ in (*made[4], *call[4])}
        if not options.isdisjoint(("parents", "namespace", None)):
            return None
        names = {i[2] for i in steps_of(owner) if i[0] == "store" and i[4] == made[1]}
        loads = {i[1] for i in steps_of(owner) if i[0] == "load" and i[2] in names}
        asked = {i[2] for i in steps_of(owner) if i[0] == "attr" and i[3] in _OWN}
        if not names or loads - asked or not names.isdisjoint(owner.captured - owner.locals):
            return None
        words: set[str] = set()
        for i in steps_of(owner):
            method = makers.get(i[2]) if i[0] == "call" else None
            if method is None or method[0] != "attr":
                continue
            if method[3] == "set_defaults":
                words |= {name or "" for name, _ in i[4]}
            elif method[3] == "add_argument":
                words.add(destination(makers, i))
        return None if "" in words else frozenset(words)

    def _given(self, path: str) -> frozenset[str] | None:
        """Names that the file gives to any object, or writes as a text; None for names that are
        written nowhere.
        """
        if path not in self._others:
            module = self.origins.links.finder.modules[path]
            names: set[str] | None = set()
            for function in self.origins.links.bodies(module):
                if not _DYNAMIC.isdisjoint(names_used(function)):
                    names = None
                    break
                names |= set(_written(function))
            self._others[path] = None if names is None else frozenset(names)
        return self._others[path]


def _written(function: Function) -> Iterator[str]:
    for i in steps_of(function):
        if i[0] == "setattr":
            yield i[3]
        elif i[0] == "const" and isinstance(i[2], str):
            yield i[2]


def destination(makers: dict[Register, Instruction], call: Instruction) -> str:
    """The attribute that an option is kept in; "" where that is not written out."""
    named = dict(call[4])
    given = [makers.get(register) for star, register in call[3] if not star]
    if None in named or len(given) < len(call[3]):
        return ""
    if "dest" in named:
        given = [makers.get(named["dest"])]
    words = [i[2] for i in given if i is not None and i[0] == "const" and isinstance(i[2], str)]
    if not words or len(words) < len(given):
        return ""
    long = [word for word in words if word.startswith("--")]
    return (long or words)[0].lstrip("-").replace("-", "_")
