"""Names that are not there: of a module of the program, and local ones that nothing has bound."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gotcha_lint.domain.sites import Span
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.state import Layer
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Module
from gotcha_lint.program.name_flow import names_of

_PRIVATE_OF = frozenset(("jax", "jaxlib", "flax", "optax", "orbax", "chex", "equinox", "haiku"))
_SUPPORT = "jaxlib"  # which promises nothing but its version
_GENERATED = frozenset(("_version", "version", "__version__"))  # when the package is built
_COMPILED = ("_pb2", "_pb2_grpc")
_OF_PROJECTS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "src", "requirements.txt")
_UP = 4  # folders above a package in which another one of its name is looked for
_MAKE_NAMES = frozenset(("globals", "exec", "vars", "setattr", "locals", "__getattr__"))


def check_name(machine: Machine, path: str, name: str, span: Span, how: str) -> None:
    """The module at `path` has not left this name: does it ever have it?

    `how`: it is imported ("import"), or it is an attribute of the module ("attribute").
    """
    if machine.trying or machine.path == path or (machine.guards and how == "import"):
        return
    module = machine.modules[path]
    if (machine.path, path) in machine.doubtful:
        return
    if not lacks(machine, module, name) or is_submodule(path, name):
        return
    if not any(sets(machine.modules[other], name) for other in machine.visible):
        # A file of a package may be generated, or left out of a copy.
        maybe = bool(machine.guards) or (how == "import" and "/__init__." in f"/{path}")
        remark(machine, "lacking", span, how, name, module.name, maybe=maybe)


def check_module(machine: Machine, package: str, name: str, span: Span) -> None:
    """A module of a package of the program is imported, and there is no such file."""
    if machine.trying or machine.guards or name in _GENERATED or name.endswith(_COMPILED):
        return
    if not is_submodule(package, name) and lacks(machine, machine.modules[package], name):
        remark(machine, "lacking", span, "import", name, machine.modules[package].name, maybe=True)


def check_missing(machine: Machine, full: str, name: str | None, span: Span) -> None:
    """`from .gone import name`: no such file in the package that imports it."""
    if machine.trying or machine.guards:
        return
    missing = missing_module(machine, machine.path, full, name)
    if missing is not None:
        remark(machine, "lacking", span, "import", *missing)


def missing_module(
    machine: Machine, importer: str, full: str, name: str | None
) -> tuple[str, str] | None:
    """What the package of the importer lacks of `full` and the name from it, and where.

    The files of a package that use no JAX are not analysed: the disk is asked.
    """
    level = len(full) - len(full.lstrip("."))
    words = [word for word in full.split(".") if word]
    folder = os.path.dirname(os.path.abspath(importer))
    if level:
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
    else:
        root = None if machine.is_library(words[0]) else _folder_around(folder, words[0])
        if root is None or _is_elsewhere(root):
            return None
        folder, words = root, words[1:]
    if name is not None and name != "*":
        words.append(name)
    for position, word in enumerate(words):
        below = os.path.join(folder, word)
        if os.path.isdir(below):
            folder = below
            continue
        try:
            entries = os.listdir(folder)
        except OSError:
            return None
        is_name = name is not None and position == len(words) - 1
        may_be_bound = is_name and any(_binds_names(folder, entry) for entry in entries)
        there = any(entry.partition(".")[0] == word for entry in entries)
        if there or may_be_bound or word in _GENERATED or word.endswith(_COMPILED):
            return None
        return word, os.path.basename(folder)
    return None


def _folder_around(folder: str, name: str) -> str | None:
    """The folder of that name around a file, if it is a package at the top of a project."""
    while os.path.basename(folder) != name:
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    above = os.path.dirname(folder)
    at_top = os.path.exists(os.path.join(folder, "__init__.py")) or any(
        os.path.exists(os.path.join(above, entry)) for entry in _OF_PROJECTS
    )
    for _ in range(_UP):
        if os.path.exists(os.path.join(above, "__init__.py")):
            return None
        above = os.path.dirname(above)
    return folder if at_top else None


def _is_elsewhere(root: str) -> bool:
    """Is there another one of this name further up? It may be the one that is meant."""
    above, name = os.path.split(root)
    if any(os.path.exists(os.path.join(root, entry)) for entry in _OF_PROJECTS):
        return True  # the folder of a whole project may be called as its package
    for _ in range(_UP):
        above, below = os.path.split(above)
        if not below:
            return False
        for place in (above, os.path.join(above, "src")):
            other = os.path.join(place, name)
            if other != root and (os.path.isdir(other) or os.path.exists(f"{other}.py")):
                return True
    return False


def _binds_names(folder: str, entry: str) -> bool:
    """Is it the file of a package, with something in it?"""
    if entry.partition(".")[0] != "__init__":
        return False
    try:
        return os.path.getsize(os.path.join(folder, entry)) > 0
    except OSError:
        return True


def check_local(machine: Machine, name: str, span: Span) -> None:
    """A local name is read that nothing has bound on the way here.

    What is bound further up may be so where an option has another value than the one at hand.
    """
    function = machine.activation.function
    if function.is_notebook or function.is_class or "%" in name or name not in function.locals:
        return
    if function.is_module and any(i[0] == "importstar" for i in steps_of(function)):
        return
    if machine.trying or machine.guards or machine.maybe:
        return
    code = steps_of(function)
    stores = [i[-1] for i in code if i[0] == "store" and i[2] == name and i[3] in (0, -1)]
    if stores and min(stores) > span:
        remark(machine, "unbound", span, name)


def note_partly_bound(machine: Machine, ends: Sequence[Layer], span: Span) -> None:
    """Both ways of a branch go on, and one of them alone binds a local name.

    In a loop it may be the way that the first iteration takes.
    """
    activation = machine.activation
    function = activation.function
    if function.is_module or function.is_class or machine.loops:
        return
    for place in ends[0].keys() ^ ends[1].keys():
        name = place[1]
        own = place[0] is activation.frame and name in function.locals and "%" not in name
        if own and machine.peek(place) is None:
            activation.partial[name] = span


def check_partly_bound(machine: Machine, name: str, span: Span) -> None:
    """It is read whatever the branch has done, under no condition."""
    if not (machine.trying or machine.guards or machine.maybe):
        branch = machine.path, machine.activation.partial.pop(name), "bound under this condition"
        remark(machine, "perhaps unbound", span, name, places=(branch,), maybe=True)


def check_private(machine: Machine, module: str, dotted: str, span: Span) -> None:
    """An import from within a library: the next release may have it elsewhere, or not at all.

    Within `try`, or under a condition, the program is ready for that.
    """
    head = module.partition(".")[0]
    inner = dotted.split(".")[1:]
    private = head in _PRIVATE_OF and any(_is_private(part) for part in inner)
    private |= head == _SUPPORT and bool(inner) and inner[0] not in _GENERATED
    if private and not (machine.trying or machine.guards):
        remark(machine, "private", span, dotted, head)


def _is_private(part: str) -> bool:
    return part.startswith("_") and not part.startswith("__")


def lacks(machine: Machine, module: Module, name: str, seen: frozenset[str] = frozenset()) -> bool:
    """Does nothing in the text of the module bind the name?

    Where modules import each other, a name may come later than the import that asks for it here:
    which of them runs first is up to whatever imports them.
    """
    names = names_of(module)
    if name.startswith("__") or name in names or module.top.is_notebook:
        return False
    if module.path.endswith(".pyi") or not _MAKE_NAMES.isdisjoint(names):
        return False
    for function in module.functions:
        for instruction in steps_of(function):
            operation = instruction[0]
            if operation == "load" and instruction[2] in _MAKE_NAMES:
                return False
            if operation == "attr" and instruction[3] == "modules":
                return False
            if operation == "importstar":
                path = machine.module_from("." * instruction[3] + instruction[2], module.path)
                if path is None:
                    return False
                around = seen | {module.path}
                if path not in around and not lacks(machine, machine.modules[path], name, around):
                    return False
    return True


def is_submodule(path: str, name: str) -> bool:
    """Files that use no JAX, and compiled ones, are not among those that are analysed."""
    folder, _, file = path.rpartition("/")
    if not file.startswith("__init__."):
        return False
    try:
        return any(entry.partition(".")[0] == name for entry in os.listdir(folder or "."))
    except OSError:
        return True


def sets(module: Module, name: str) -> bool:
    """Does a module write an attribute of that name of anything?"""
    return any(
        instruction[0] == "setattr" and instruction[3] == name
        for function in module.functions
        for instruction in steps_of(function)
    )
