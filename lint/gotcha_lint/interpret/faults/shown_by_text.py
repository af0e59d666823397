"""Faults that the text of a function shows alone, whatever calls it (see `patterns/`)."""

from __future__ import annotations

from functools import cache

from gotcha_lint.facts import Facts, load
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.public_names import releases_of
from gotcha_lint.interpret.faults.evaluated import check_evaluations
from gotcha_lint.interpret.faults.nnx_objects import check_nnx
from gotcha_lint.interpret.faults.optimizer_arguments import OLD_UPDATE
from gotcha_lint.interpret.faults.remarks import (
    ABSENT_NAME,
    CAUGHT_IN_VAIN,
    DICT_TEST,
    DISCARDED,
    ENTERED_MESH,
    EXCHANGED_FIELDS,
    FIXED_FLAG,
    IN_PLACE,
    INDEXED_STATE,
    LEAF,
    LIBRARY_NAME,
    LOST_CONSTANT,
    NUMBER_MASK,
    RATE_OF_ONE,
    REBUILT_TUPLE,
    RESTORED_STATE,
    TUPLE_OF_ONE,
    UNCHECKED_SHAPES,
    UNTYPED_MESH,
    note,
)
from gotcha_lint.interpret.faults.settings import check_settings
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.start.importable import Modules
from gotcha_lint.patterns.local.absent_names import absent_names
from gotcha_lint.patterns.local.assigned_arrays import assigned_arrays
from gotcha_lint.patterns.local.dict_tests import dict_tests
from gotcha_lint.patterns.local.discarded_updates import discarded_updates
from gotcha_lint.patterns.local.field_orders import exchanged_fields
from gotcha_lint.patterns.local.fixed_flags import fixed_flags
from gotcha_lint.patterns.local.half_constants import lost_constants
from gotcha_lint.patterns.local.indexed_states import indexed_states
from gotcha_lint.patterns.local.iterators import iterator_leaves
from gotcha_lint.patterns.local.library_names import library_names, names_set
from gotcha_lint.patterns.local.mesh_types import means_explicit, untyped_meshes
from gotcha_lint.patterns.local.meshes import entered_meshes, sets_meshes
from gotcha_lint.patterns.local.missing_names import missing_names
from gotcha_lint.patterns.local.number_masks import number_masks
from gotcha_lint.patterns.local.old_updates import old_updates
from gotcha_lint.patterns.local.rebuilt_tuples import rebuilt_tuples
from gotcha_lint.patterns.local.restored_states import restored_states
from gotcha_lint.patterns.local.tuples_of_one import rates_of_one, tuples_of_one
from gotcha_lint.patterns.local.unchecked_shapes import unchecked_shapes
from gotcha_lint.patterns.local.vain_handlers import vain_handlers
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Module
from gotcha_lint.program.links import Links
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.text import Text


def check_texts(machine: Machine, origins: Origins, module: Module) -> None:
    """All functions of a file."""
    links = origins.links
    _check_releases(machine, origins, module)
    of_flax = _imports_flax(links, module)
    if not is_test(module.path):
        check_nnx(machine, origins, module, lambda name: _built_in_facts().get(name).transform)
        check_evaluations(machine, origins, module)
        for function, span, *text in fixed_flags(links, module):
            note(machine, FIXED_FLAG, function, span, *text)
    for function in links.bodies(module):
        if of_flax:
            _check_trees(machine, origins, function)
        _check_values(machine, origins, function)
        if not is_test(module.path):
            check_settings(machine, links, module, function)
            _check_numbers(machine, origins, function)


def _check_releases(machine: Machine, origins: Origins, module: Module) -> None:
    """What a release of a library has lost, or replaces."""
    links, bodies = origins.links, origins.links.bodies(module)
    makes_meshes = any("make_mesh" in names_used(function) for function in bodies)
    if makes_meshes:
        makes_meshes = not means_explicit(module, _visible(machine))
    given, newer = names_set(links, module), sets_meshes(bodies)
    for function in bodies:
        for use in library_names(origins, module, function, lambda: _visible(machine)):
            text = (use.name, use.argument, "set" if use.name in given else "")
            note(machine, LIBRARY_NAME, function, use.span, *text)
        for missing in missing_names(links, module, function, lambda: _visible(machine)):
            how = "tried" if missing.tried else missing.how
            text = (how, missing.name, missing.module, releases_of(missing.module))
            note(machine, "lacking", function, missing.span, *text, maybe=missing.tried)
        for span in old_updates(origins, function, lambda: _visible(machine)):
            note(machine, OLD_UPDATE, function, span)
        for absent in absent_names(links, function):
            note(machine, ABSENT_NAME, function, absent.span, absent.name)
        for span in untyped_meshes(origins, function) if makes_meshes else ():
            note(machine, UNTYPED_MESH, function, span)
        for span in () if newer else entered_meshes(origins, function):
            note(machine, ENTERED_MESH, function, span)


def _visible(machine: Machine) -> list[Module]:
    return [machine.modules[path] for path in machine.visible]


def _imports_flax(links: Links, module: Module) -> bool:
    return any(
        i[0] == "import" and i[2].partition(".")[0] == "flax"
        for function in links.bodies(module)
        for i in steps_of(function)
    )


def _check_trees(machine: Machine, origins: Origins, function: Function) -> None:
    """In files that import Flax."""
    for test in dict_tests(origins, function):
        note(machine, DICT_TEST, function, test.span, test.converts)


def _check_values(machine: Machine, origins: Origins, function: Function) -> None:
    for at, dtype, name, made in number_masks(origins, function):
        places = ((function.path, made, "the mask"),)
        note(machine, NUMBER_MASK, function, at, dtype, name, places=places)
    for span, name in tuples_of_one(origins, function):
        note(machine, TUPLE_OF_ONE, function, span, name)
    for span, name, sure in rates_of_one(function):
        note(machine, RATE_OF_ONE, function, span, name, maybe=not sure)
    for span, name in rebuilt_tuples(origins, function):
        note(machine, REBUILT_TUPLE, function, span, name)
    module = machine.modules[function.path]
    for lost in discarded_updates(origins, module, function, _is_pure):
        note(machine, DISCARDED, function, lost.span, lost.called, lost.name)
    for one in assigned_arrays(origins, function):
        note(machine, IN_PLACE, function, one.span, one.owner, one.name)
    for state in indexed_states(origins, function):
        how = "written" if state.written else ""
        text = (state.owner, state.of, state.field, how)
        note(machine, INDEXED_STATE, function, state.span, *text)
    for order in exchanged_fields(origins, function):
        wrong = ", ".join(f"`{text}` into `{field}`" for text, field in order.wrong)
        turn = ",".join(f"{place}:{other}" for place, other in order.places)
        text = (wrong, order.called, ", ".join(order.fields), turn)
        note(machine, EXCHANGED_FIELDS, function, order.span, *text)
    for handler in vain_handlers(origins, function):
        note(machine, CAUGHT_IN_VAIN, function, handler.span, handler.error, handler.caught)


def _check_numbers(machine: Machine, origins: Origins, function: Function) -> None:
    for leaf in iterator_leaves(origins, function):
        note(machine, LEAF, function, leaf.span, leaf.kind, leaf.taker, leaf.fix)
    for use in restored_states(origins, function):
        places = ((function.path, use.restored, "restored here"),)
        note(machine, RESTORED_STATE, function, use.span, places=places)
    for span, word in unchecked_shapes(origins, function):
        note(machine, UNCHECKED_SHAPES, function, span, word)
    for lost in lost_constants(origins, function):
        beside = f" beside `{lost.beside}`" if lost.beside else ""
        text = f"{lost.number!r}{beside} is {lost.became:.0f} in {lost.half}"
        note(machine, LOST_CONSTANT, function, lost.span, text)


def text_of(machine: Machine, path: str) -> Text:
    """The text of one file, with the names by which libraries call what it uses."""
    links = Links(Modules(machine), machine.texts)
    return Text(machine.modules[path], Origins(links, _built_in_facts().canonical))


@cache
def _built_in_facts() -> Facts:
    return load()


def _is_pure(name: str) -> bool:
    """A function of JAX that gives an array, and does nothing else."""
    fact = _built_in_facts().get(name)
    if fact.effect or fact.transform or fact.key is not None:
        return False
    return fact.returns.startswith("array")
