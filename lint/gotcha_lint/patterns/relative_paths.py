"""Relative paths that reach Orbax through functions, defaults and options (floor `patterns`).

Orbax, and with it `flax.training.checkpoints`, refuses a path that does not begin at the root. Of a
text its beginning counts: of a join, a sum or a `Path`, their first part. A parameter has what the
caller gives, else its default; `args.folder` has the default that the program declares once. It
under-approximates: what is bound in two places is not known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from gotcha_lint.patterns.saved_states import At, argument
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register
from gotcha_lint.program.links import Links
from gotcha_lint.program.origins import Origins

_JOINS = frozenset(
    ("os.path.join", "os.fspath", "os.path.normpath", "builtins.str", "pathlib.Path",
     "pathlib.PurePath", "pathlib.PosixPath", "etils.epath.Path", "etils.epath.path.Path")
)  # fmt: skip
_SAME = frozenset(("joinpath", "as_posix", "with_suffix", "with_name", "__str__"))
_STEPS = 12

Sinks = dict[str, At]  # by parameter: where the path is given to Orbax


@dataclass(frozen=True)
class Beginning:
    """The first characters of a path, or the parameter that it begins with; `at`: written there.

    `chosen`: the user of the program may give another one.
    """

    text: str | None
    parameter: str | None
    at: At
    chosen: bool = False


@dataclass(frozen=True)
class RelativePath:
    """`sink`: where the path is given to Orbax; `source`: where it is written.

    `always`: the call at `sink` gets no other path.
    """

    sink: At
    text: str
    source: At
    always: bool = False


def is_relative(text: str) -> bool:
    """No root, no drive, no scheme; of variables somebody else takes care."""
    return bool(text) and text[0] not in "/\\~$%" and ":" not in text.partition("/")[0]


class RelativePaths:
    """Looks for them in the functions of a program; what was asked once is kept.

    `takers`: the functions of libraries, with the place and the name of the path.
    """

    def __init__(
        self, origins: Origins, modules: Iterable[Module], takers: dict[str, tuple[int, str]]
    ) -> None:
        self._origins = origins
        self._links = origins.links
        self._takers = takers
        self._words = {name.rpartition(".")[2] for name in takers}
        self._modules = list(modules)
        self._sinks: dict[Function, Sinks] = {}
        self._options: dict[str, list[tuple[str, At]]] | None = None

    def of(self, function: Function) -> Iterator[RelativePath]:
        """Those that the calls of a function give, and the defaults of its own parameters."""
        found: dict[str, At] = {}
        for register, sink, direct in self._given(function):
            beginning = self._beginning(function, register, _STEPS)
            if beginning is None:
                continue
            if beginning.parameter is not None:
                found[beginning.parameter] = sink
            elif beginning.text is not None and is_relative(beginning.text):
                always = direct and not beginning.chosen
                yield RelativePath(sink, beginning.text, beginning.at, always)
        for name, sink in found.items():
            default = self._default(function, name)
            if default is not None and default.text is not None and is_relative(default.text):
                yield RelativePath(sink, default.text, default.at)

    def _given(self, function: Function) -> Iterator[tuple[Register, At, bool]]:
        """The registers that reach Orbax, and where: here (`direct`), or in what is called."""
        links = self._links
        makers = links.makers(function)
        for i in steps_of(function):
            if i[0] != "call" or any(star for star, _ in i[3]):
                continue
            place = self._taker(function, i)
            if place is not None:
                register = argument(i, *place)
                if register is not None and register in makers:
                    yield register, (function.path, makers[register][-1]), True
                continue
            link = links.of_register(function, i[2])
            if link is None or link.kind != "function" or link.annotated:
                continue
            for name, sink in self._of_parameters(link.function).items():
                places = [p.name for p in link.function.parameters if p.kind == "pos"]
                at = places.index(name) - link.bound if name in places else -1
                register = argument(i, at, name)
                if register is not None:
                    yield register, sink, False

    def _taker(self, function: Function, call: Instruction) -> tuple[int, str] | None:
        """Where the path stands among the arguments; None where an error is expected."""
        if self._links.word(function, call[2]) not in self._words:
            return None
        place = self._takers.get(self._origins.called(function, call))
        expected = place is not None and self._origins.is_attempted(function, call)
        return None if expected else place

    def _of_parameters(self, function: Function) -> Sinks:
        known = self._sinks.get(function)
        if known is None:
            known = self._sinks[function] = {}  # for one that calls itself
            for register, sink, _ in self._given(function):
                beginning = self._beginning(function, register, _STEPS)
                if beginning is not None and beginning.parameter is not None:
                    known[beginning.parameter] = sink
        return known

    def _beginning(self, function: Function, register: Register, steps: int) -> Beginning | None:
        links = self._links
        made = links.makers(function).get(register)
        if made is None or steps == 0:
            return None
        at = function.path, made[-1]
        if made[0] == "fstr" and made[4][:1]:
            if made[4][0] is not None:
                return Beginning(made[4][0], None, at)
            return self._beginning(function, made[2][0], steps - 1)
        if made[0] == "const":
            return Beginning(made[2], None, at) if isinstance(made[2], str) else None
        if made[0] == "binop" and made[2] in ("Add", "Div"):
            return self._beginning(function, made[3], steps - 1)
        if made[0] == "call":
            callee = links.makers(function).get(made[2])
            if links.dotted(function, made[2]) in _JOINS and made[3] and not made[3][0][0]:
                return self._beginning(function, made[3][0][1], steps - 1)
            if callee is not None and callee[0] == "attr" and callee[3] in _SAME:
                return self._beginning(function, callee[2], steps - 1)
            return None
        if made[0] == "load":
            return self._of_name(function, made, steps)
        return self._of_option(made[3]) if made[0] == "attr" else None

    def _of_name(self, function: Function, load: Instruction, steps: int) -> Beginning | None:
        _, _, name, hops, span = load
        last = self._origins.reader(function).stored(load)
        if last is not None:
            return self._beginning(function, last, steps - 1)
        owner = function if hops == 0 else None
        if hops < 0 or function.is_module:
            owner = self._links.finder.modules[function.path].top
        if owner is None or name in self._links.names_rebound(function.path):
            return None
        registers = self._links.stores(owner).get(name, [])
        if any(p.name == name for p in owner.parameters):
            return None if registers else Beginning(None, name, (function.path, span))
        return self._beginning(owner, registers[0], steps - 1) if len(registers) == 1 else None

    def _default(self, function: Function, name: str) -> Beginning | None:
        around = function.parent or self._links.finder.modules[function.path].top
        for i in steps_of(around):
            if i[0] == "closure" and i[2] is function:
                for word, register in i[3]:
                    if word == name:
                        return self._beginning(around, register, _STEPS)
        return None

    def _of_option(self, name: str) -> Beginning | None:
        """`args.folder`: the default that is declared, if one place alone does."""
        if self._options is None:
            self._options = {}
            for module in self._modules:
                for function in module.functions:
                    for option, text, at in _declared(self._links, function):
                        self._options.setdefault(option, []).append((text, at))
        found = self._options.get(name, [])
        return Beginning(found[0][0], None, found[0][1], chosen=True) if len(found) == 1 else None


def _declared(links: Links, function: Function) -> Iterator[tuple[str, str, At]]:
    """The options of argparse and absl with their defaults; "" for what is set elsewhere."""
    makers = links.makers(function)
    for i in steps_of(function):
        if i[0] == "setattr":
            yield i[3], "", (function.path, i[-1])
        if i[0] != "call" or not i[3]:
            continue
        callee = makers.get(i[2])
        word = callee[3] if callee is not None and callee[0] == "attr" else ""
        texts = [_text(makers, register) for _, register in i[3]]
        if word == "add_argument" and texts[0]:
            given = {name: register for name, register in i[4]}
            option = _text(makers, given.get("dest", -1)) or _longest(texts)
            default = given.get("default")
        elif word == "DEFINE_string" and len(texts) > 1:
            option, default = texts[0], i[3][1][1]
        else:
            continue
        text = _text(makers, default) if default is not None else ""
        at = makers[default][-1] if default in makers else i[-1]
        yield option.lstrip("-").replace("-", "_"), text, (function.path, at)


def _longest(texts: Collection[str]) -> str:
    return next((text for text in texts if text.startswith("--")), next(iter(texts)))


def _text(makers: dict[Register, Instruction], register: Register) -> str:
    made = makers.get(register)
    known = made is not None and made[0] == "const" and isinstance(made[2], str)
    return str(made[2]) if made is not None and known else ""
