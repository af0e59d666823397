"""Folders that exist when Orbax is to write a checkpoint there (floor `patterns`; must).

A checkpointer of Orbax makes the folder itself, and refuses one that is there. Under-approximates:
the folder is made on the way to the save under the same name; or all of its path is written out,
so that the next run finds what this one has written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import dotted

SAVES = frozenset(
    f"orbax.checkpoint.{name}.save"
    for name in ("StandardCheckpointer", "PyTreeCheckpointer", "Checkpointer", "AsyncCheckpointer")
)
_MAKES = frozenset(("makedirs", "mkdir"))
# Functions and methods that give the path again, or a part of it and what is written beside.
_PATHS = frozenset(
    ("Path", "PosixPath", "PurePath", "absolute", "resolve", "abspath", "realpath", "normpath",
     "join", "joinpath", "str", "fspath", "as_posix", "expanduser", "cwd", "getcwd")
)  # fmt: skip
# Words of code that makes room, or asks.
_CAREFUL = ("rmtree", "exists", "is_dir", "isdir", "erase", "rmdir", "remove", "unlink", "tempfile",
            "TemporaryDirectory", "mkdtemp", "delete", "listdir")  # fmt: skip
_DEPTH = 12


@dataclass(frozen=True, slots=True)
class ExistingFolder:
    """`made`: where it is made; None where an earlier run has. `parameter`: of the function, whose
    default is the path.
    """

    span: Span
    text: str
    made: Span | None = None
    parameter: str = ""


def existing_folders(origins: Origins, function: Function) -> Iterator[ExistingFolder]:
    if _is_careful(function):
        return
    makers = origins.links.makers(function)
    made: dict[str, Instruction] = {}
    for i in steps_of(function):
        if i[0] == "store":
            made.pop(i[2], None)
        if i[0] != "call":
            continue
        word = origins.links.word(function, i[2])
        if word in _MAKES:
            made[_folder(makers, i)] = i
        elif word == "save" and origins.called(function, i) in SAVES:
            yield from _saved(origins, function, i, made)


def _is_careful(function: Function) -> bool:
    return any(word in name for name in names_used(function) for word in _CAREFUL)


def _folder(makers: Mapping[Register, Instruction], call: Instruction) -> str:
    """`os.makedirs(folder)` and `folder.mkdir()`."""
    if call[3]:
        return dotted(makers, call[3][0][1])
    callee = makers.get(call[2])
    return dotted(makers, callee[2]) if callee is not None and callee[0] == "attr" else ""


def _saved(
    origins: Origins, function: Function, call: Instruction, made: Mapping[str, Instruction]
) -> Iterator[ExistingFolder]:
    named = dict(call[4])
    if "force" in named or None in named or not call[3] or call[3][0][0]:
        return
    if origins.is_attempted(function, call):
        return
    makers = origins.links.makers(function)
    path = call[3][0][1]
    name = dotted(makers, path)
    maker = made.get(name) if name else None
    if maker is not None:
        around = origins.reader(function).around
        before, here = around[id(maker)], around[id(call)]
        if here[: len(before)] == before:
            yield ExistingFolder(call[-1], name, made=maker[-1])
        return
    module = origins.links.finder.modules[function.path]
    if any(map(_is_careful, origins.links.bodies(module))):
        return
    fixed = _fixed(origins, function, path, _DEPTH)
    if fixed is not None:
        yield ExistingFolder(call[-1], fixed[0], parameter=fixed[1])


def _fixed(
    origins: Origins, function: Function, register: Register, left: int
) -> tuple[str, str] | None:
    """A part of a path that is written out as a whole, and the parameter that has it as default."""
    made = origins.reader(function).made(register)
    if made is None or not left:
        return None
    if made[0] == "const":
        return (made[2], "") if isinstance(made[2], str) else None
    if made[0] == "load":
        return _default(origins, function, made) if made[3] == 0 else None
    if made[0] == "binop" and made[2] == "Div":
        parts = [made[3], made[4]]
    elif made[0] == "call" and origins.links.word(function, made[2]) in _PATHS and not made[4]:
        callee = origins.links.makers(function).get(made[2])
        parts = [one for star, one in made[3] if not star]
        is_method = callee is not None and callee[0] == "attr"
        if is_method and callee is not None and not origins.names.of_call(function, made):
            parts.insert(0, callee[2])
        if len(parts) < len(made[3]):
            return None
    else:
        return None
    found = [_fixed(origins, function, part, left - 1) for part in parts]
    if None in found:
        return None
    texts = [one for one in found if one is not None]
    parameters = {parameter for _, parameter in texts if parameter}
    if not texts or len(parameters) > 1:
        return None
    return texts[-1][0], next(iter(parameters), "")


def _default(origins: Origins, function: Function, load: Instruction) -> tuple[str, str] | None:
    """The default of a parameter that no call of the file gives."""
    names = [p.name for p in function.parameters if p.kind == "pos"]
    parameter = next((p for p in function.parameters if p.name == load[2]), None)
    owner = function.parent or origins.links.finder.modules[function.path].top
    if parameter is None or not parameter.has_default or owner.is_class:
        return None
    place = names.index(load[2]) if load[2] in names else len(names)
    for body in origins.links.bodies(origins.links.finder.modules[function.path]):
        for i in steps_of(body):
            link = origins.links.of_register(body, i[2]) if i[0] == "call" else None
            if link is not None and link.function is function:
                keywords = {name for name, _ in i[4]}
                if len(i[3]) > place or not keywords.isdisjoint((load[2], None)):
                    return None
    for i in steps_of(owner):
        if i[0] == "closure" and i[2] is function:
            held = origins.links.makers(owner).get(dict(i[3]).get(load[2], -1))
            if held is not None and held[0] == "const" and isinstance(held[2], str):
                return held[2], function.name
    return None
