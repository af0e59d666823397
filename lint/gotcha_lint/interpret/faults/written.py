"""Calls and names that are wrong as they are written, in code that nothing here may run.

The interpreter runs what leads to JAX. A test, or a function of plain Python, may call what has
another signature since: this looks at each function of a file, and takes only what has one
definition (see `program/links.py`).
"""

from __future__ import annotations

import builtins

from gotcha_lint.domain.sites import Origin
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.submodules import LOADED_BY, MAY_LOAD, NOT_LOADED
from gotcha_lint.interpret.faults.called import check_called
from gotcha_lint.interpret.faults.computed import check_computed
from gotcha_lint.interpret.faults.defined import check_defined
from gotcha_lint.interpret.faults.library_calls import check_library_call
from gotcha_lint.interpret.faults.missing_attributes import Attributes
from gotcha_lint.interpret.faults.names import is_submodule, lacks, missing_module, sets
from gotcha_lint.interpret.faults.remarks import AFTER_IMPORT, note
from gotcha_lint.interpret.faults.saved import check_checkpoints
from gotcha_lint.interpret.faults.shown_by_text import check_texts
from gotcha_lint.interpret.faults.signatures import is_stub, misfit
from gotcha_lint.interpret.faults.train_states import check_train_state
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.result_counts import result_count
from gotcha_lint.patterns.called_defaults import called_default
from gotcha_lint.patterns.constructors import constructor, named_tuple
from gotcha_lint.patterns.parsed_options import ParsedOptions
from gotcha_lint.patterns.raised_errors import errors_not_raised, raised_texts
from gotcha_lint.patterns.repeated_keywords import forwarded, spread_twice
from gotcha_lint.patterns.settings import options_set, variables_after_import, variables_in_function
from gotcha_lint.program.data_flow import steps_of, uncaught
from gotcha_lint.program.ir import Function, Instruction, Module, Parameter, Register
from gotcha_lint.program.links import Link, Links
from gotcha_lint.program.name_flow import Unbound, unbound, undefined
from gotcha_lint.program.partly_bound import partly_bound
from gotcha_lint.program.text import Text

MISFIT_DEFAULT = "default that does not fit"
UNBOUND_AFTER_ERROR = "unbound after an error"
RAISED_TEXT, NOT_RAISED = "raised text", "error that is not raised"
_BUILTINS = frozenset(dir(builtins))


def check_written(machine: Machine, text: Text) -> None:
    """All functions of a file."""
    module, origins = text.module, text.origins
    path, links = module.path, origins.links
    attributes, parsed = Attributes(machine), ParsedOptions(origins)
    for name, span, imported, what in variables_after_import(module.top):
        if not any(option == name.lower() for option, _ in options_set(module.top)):
            place = path, imported, "imports jax"
            note(machine, AFTER_IMPORT, module.top, span, name, what, places=(place,))
    _check_submodules(machine, links, module)
    check_texts(machine, origins, module)
    check_checkpoints(machine, origins, module)
    for each in undefined(module, _BUILTINS):
        note(machine, "undefined", each.within, each.span, each.name, _reader(each))
    for function in links.bodies(module):
        if not (function.is_module or function.is_class or is_test(path)):
            for name, span, imported, what, called in variables_in_function(module.top, function):
                places = (path, imported, "imports jax"), (path, called, "called here")
                note(machine, AFTER_IMPORT, function, span, name, what, places=places)
        if not is_test(path):
            check_computed(machine, links, module, function)
        for span, what in raised_texts(links, function):
            note(machine, RAISED_TEXT, function, span, what)
        for span, name in errors_not_raised(links, function):
            note(machine, NOT_RAISED, function, span, name)
        check_called(machine, links, function)
        check_defined(machine, links, function)
        for each in unbound(module, function, _BUILTINS):
            note(machine, "unbound", each.within, each.span, each.name, _reader(each))
        for found in partly_bound(function, steps_of(function)):
            how = "this handler goes on" if found.swallowed else "bound under this condition"
            place = function.path, found.condition, how
            kind = UNBOUND_AFTER_ERROR if found.swallowed else "perhaps unbound"
            note(
                machine, kind, function, found.read, found.name, places=(place,),
                maybe=not found.certain,
            )  # fmt: skip
        for call in uncaught(function.body):
            if call[0] == "call":
                _check_call(machine, links, function, call)
                _check_twice(machine, links, function, call)
                check_library_call(machine, origins, function, call)
                check_train_state(machine, origins, function, call)
            elif call[0] == "binop":
                _check_modulo(machine, links, function, call)
            elif call[0] == "attr":
                attributes.check(links, function, call)
                _check_option(machine, parsed, function, call)
            elif call[0] == "unpack":
                _check_unpacked(machine, links, function, call)
            elif call[0] == "import" and not function.is_module:
                _check_import(machine, links, function, call)


def _check_option(
    machine: Machine, parsed: ParsedOptions, function: Function, read: Instruction
) -> None:
    found = parsed.missing(function, read)
    if found is not None:
        place = found.path, found.parsed, "the command line is read here"
        note(machine, "lacking", function, found.span, "option", found.name, places=(place,))


def _reader(unbound: Unbound) -> str:
    return "annotation" if unbound.annotates else ""


def _check_call(machine: Machine, links: Links, function: Function, call: Instruction) -> None:
    _, _, callee, args, keywords, span = call
    if any(star for star, _ in args) or any(name is None for name, _ in keywords):
        return
    link = links.of_register(function, callee)
    names = [name for name, _ in keywords]
    if link is None:
        _check_tuple(machine, links, function, call)
        _check_default(machine, links, function, call)
        return
    if link.kind == "module":
        name = machine.modules[link.function.path].name
        places = () if link.through is None else ((*link.through, "imported here"),)
        note(machine, "misfit", function, span, f"`{name}` is a module", places=places)
        return
    called = _called(links, link)
    if called is None:
        if link.kind == "class":
            _check_fields(machine, links, function, call, link)
        return
    problem = misfit(called.function, called.bound, frozenset(), len(args), names)
    if problem is None or is_stub(called.function) or _differs(machine, links, called):
        return
    name = link.function.name if link.kind == "class" else called.function.name
    line = called.function.line
    place = called.function.path, (line, 1, line, 1), "defined here"
    text = f"`{name}` {problem}"
    maybe = called.annotated
    note(machine, "misfit", function, span, text, places=(place,), maybe=maybe)


def _check_twice(machine: Machine, links: Links, function: Function, call: Instruction) -> None:
    """An argument that a call gets by name, and in a dict that is spread here or further down."""
    _, _, callee, _, keywords, span = call
    names = {name for name, _ in keywords if name is not None}
    if None in (name for name, _ in keywords):
        twice = spread_twice(links, function, call)
        if twice is not None:
            note(machine, "misfit", function, span, f"`{twice}` is given twice")
    link = links.of_register(function, callee) if names else None
    called = _called(links, link) if link is not None and link.kind != "module" else None
    if called is None or not any(p.kind == "**" for p in called.function.parameters):
        return
    names -= {p.name for p in called.function.parameters if p.kind in ("pos", "kw")}
    for one in forwarded(called.function) if names else ():
        given = next((name for name, _ in keywords if name in names & one.names), None)
        if given is None or _differs(machine, links, called):
            continue
        text = f"`{called.function.name}` passes `{given}` on, and gives it by itself, too"
        place = called.function.path, one.span, "given twice here"
        maybe = called.annotated or not one.certain
        note(machine, "misfit", function, span, text, places=(place,), maybe=maybe)


def _check_fields(
    machine: Machine, links: Links, function: Function, call: Instruction, link: Link
) -> None:
    """`State(model=m)` of a class whose constructor Python writes: it takes the fields."""
    fields = constructor(links, link.function)
    if fields is None:
        return
    name, line = link.function.name, link.function.line
    _note_misfit(machine, function, call, name, fields, (link.function.path, (line, 1, line, 1)))


def _check_default(machine: Machine, links: Links, function: Function, call: Instruction) -> None:
    """`make(width=8)` of a parameter whose default, a function of the program, takes no `width`."""
    default = called_default(links, function, call)
    if default is None:
        return
    called = _called(links, default.link)
    if called is None or is_stub(called.function):
        return
    _, _, _, args, keywords, span = call
    names = [name for name, _ in keywords if name is not None]
    problem = misfit(called.function, called.bound, frozenset(), len(args), names)
    if problem is None:
        return
    line = called.function.line
    name = default.link.function.name
    places = (
        (function.path, span, "called here"),
        (called.function.path, (line, 1, line, 1), "defined here"),
    )
    note(
        machine, MISFIT_DEFAULT, default.owner, default.span, default.parameter,
        f"`{name}` {problem}", places=places,
    )  # fmt: skip


def _check_tuple(machine: Machine, links: Links, function: Function, call: Instruction) -> None:
    """... of `namedtuple("State", ["model", "key"])`."""
    made = named_tuple(links, function, call[2])
    if made is not None:
        name, fields, (path, at) = made
        _note_misfit(machine, function, call, name, fields, (path, at[-1]))


def _note_misfit(
    machine: Machine,
    function: Function,
    call: Instruction,
    name: str,
    fields: list[Parameter],
    defined: Origin,
) -> None:
    _, _, _, args, keywords, span = call
    taking = Function(name, "", 0, parameters=fields)
    problem = misfit(taking, 0, frozenset(), len(args), [word for word, _ in keywords if word])
    if problem is not None:
        text = f"`{name}` {problem}".replace("has no parameter", "has no field")
        note(machine, "misfit", function, span, text, places=((*defined, "defined here"),))


def _check_import(machine: Machine, links: Links, function: Function, step: Instruction) -> None:
    """`from module import name` within a function; those at the top of a file are run."""
    _, _, module, level, name, span = step
    full = "." * level + module
    path = links.finder.module_from(full, function.path)
    if path is None:
        missing = missing_module(machine, function.path, full, name)
        if missing is not None:
            note(machine, "lacking", function, span, "import", *missing)
    elif (
        name is not None and path != function.path and links.finder.is_certain(full, function.path)
    ):
        other = machine.modules[path]
        if not lacks(machine, other, name) or is_submodule(path, name):
            return
        if not any(sets(machine.modules[each], name) for each in machine.visible):
            note(machine, "lacking", function, span, "import", name, other.name)


def _called(links: Links, link: Link) -> Link | None:
    """The function that runs where this is called, with what it has already."""
    if link.kind == "function":
        return link
    lineage = links.lineage(link.function)
    if lineage is None or any(parts.metaclass or parts.decorators for _, parts in lineage):
        return None
    if link.kind == "class":
        if links.in_class(link.function, "__new__") is not None:
            return None
        made = Link("instance", link.function)
        return links.member(made, "__init__")
    return links.member(link, "__call__")


def _differs(machine: Machine, links: Links, called: Link) -> bool:
    """May another class, which extends this one, have a method of its own here?"""
    if not called.virtual:
        return False
    name, body = called.function.name, called.function.parent
    return any(
        other.is_class and other is not body and name in other.locals
        for path in machine.visible
        for other in links.bodies(machine.modules[path])
    )


def _check_unpacked(
    machine: Machine, links: Links, function: Function, unpack: Instruction
) -> None:
    """`a, b = f(x)`, where each `return` of the program's own `f` writes out three."""
    _, _, source, targets, star, span = unpack
    made = links.makers(function).get(source)
    if made is None or made[0] != "call" or star is not None:
        return
    count = result_count(made, links.makers(function), lambda one: links.dotted(function, one))
    if count is not None and count != len(targets):
        text = f"{len(targets)} names are bound to {count} values"
        note(machine, "unpacked", function, span, text)
        return
    link = links.of_register(function, made[2])
    called = _called(links, link) if link is not None and link.kind != "class" else None
    if called is None or _differs(machine, links, called):
        return
    counts = _returned(links, called.function)
    if len(counts) == 1 and counts != {len(targets)} and None not in counts:
        text = f"{len(targets)} names are bound to {counts.pop()} values"
        line = called.function.line
        place = called.function.path, (line, 1, line, 1), "defined here"
        maybe = called.annotated
        note(machine, "unpacked", function, span, text, places=(place,), maybe=maybe)


def _check_modulo(machine: Machine, links: Links, function: Function, step: Instruction) -> None:
    """`step % (total // size)`: the remainder of a division by zero where `size` is larger."""
    _, _, operator, _, right, span = step
    if operator != "Mod":
        return
    makers = links.makers(function)
    made = makers.get(right)
    if made is not None and made[0] == "load" and made[3] == (-1 if function.is_module else 0):
        if _is_compared(links, function, made[2]):
            return
        stored = links.stores(function).get(made[2], [])
        made = makers.get(stored[0]) if len(stored) == 1 else None
    if made is None or made[0] != "binop" or made[2] != "FloorDiv":
        return
    operands = [makers.get(register) for register in made[3:5]]
    if all(one is not None and one[0] == "const" for one in operands):
        return
    place = function.path, made[-1], "the quotient"
    note(machine, "division", function, span, "quotient", places=(place,), maybe=True)


def _is_compared(links: Links, function: Function, name: str) -> bool:
    """Does the function compare it with anything, or test whether it is zero?"""
    makers = links.makers(function)
    tested: set[Register] = set()
    for i in steps_of(function):
        if i[0] == "compare":
            tested.update(i[3:5])
        elif i[0] == "if":
            tested.add(i[2])
    made = (makers.get(register) for register in tested)
    return any(one is not None and one[0] == "load" and one[2] == name for one in made)


def _returned(links: Links, function: Function) -> set[int | None]:
    """How many values each `return` writes out; None for what is no tuple that is written out."""
    if function.is_generator or function.is_async:
        return {None}
    makers = links.makers(function)
    counts: set[int | None] = set()
    for i in steps_of(function):
        if i[0] == "return":
            made = makers.get(i[2]) if i[2] is not None else None
            is_tuple = made is not None and made[0] == "build" and made[2] == "tuple"
            if made is None or not is_tuple or any(star for star, _ in made[3]):
                counts.add(None)
            else:
                counts.add(len(made[3]))
    return counts


def _check_submodules(machine: Machine, links: Links, module: Module) -> None:
    """`jax.experimental.multihost_utils.x`, where nothing that is imported loads that module."""
    imported: set[str] | None = None
    told: set[tuple[str, Function]] = set()
    for function in module.functions:
        for step in uncaught(function.body):
            if step[0] != "attr":
                continue
            dotted = _dotted(links, function, step)
            if dotted not in NOT_LOADED or (dotted, function) in told:
                continue
            told.add((dotted, function))
            if imported is None:
                imported = _imports(machine, links)
            if not any(name == dotted or name.startswith(f"{dotted}.") for name in imported):
                known = _loaded(imported)
                if dotted not in known:
                    maybe = not MAY_LOAD.isdisjoint(name.partition(".")[0] for name in imported)
                    note(machine, "not loaded", function, step[-1], dotted, maybe=maybe)


def _loaded(imported: set[str]) -> set[str]:
    """The modules of JAX that the imported libraries load."""
    return {
        module
        for name in imported
        for prefix, loads in LOADED_BY.items()
        if name == prefix or name.startswith(f"{prefix}.")
        for module in loads
    }


def _imports(machine: Machine, links: Links) -> set[str]:
    """What the file and all that it imports import, wherever in them, in full."""
    found: set[str] = set()
    for path in machine.visible:
        for function in machine.modules[path].functions:
            for step in steps_of(function):
                if step[0] == "import" and step[3] == 0:
                    found.add(f"{step[2]}.{step[4]}" if step[4] else step[2])
                elif step[0] == "importstar" and step[3] == 0:
                    found.add(step[2])
    return found


def _dotted(links: Links, function: Function, step: Instruction) -> str:
    """`jax.a.b` in full, where `jax` is the name that `import jax` binds; else ""."""
    words: list[str] = []
    made: Instruction | None = step
    while made is not None and made[0] == "attr":
        words.append(made[3])
        made = links.makers(function).get(made[2])
    if made is None or made[0] != "load" or made[2] != "jax":
        return ""
    return ".".join(("jax", *reversed(words)))
