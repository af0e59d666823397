"""Options of JAX and environment variables that are set, with what is written: by the text."""

from __future__ import annotations

from gotcha_lint.facts.options import FAMILIES, OPTIONS, UPDATES
from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.local.known_texts import Texts, written_before
from gotcha_lint.patterns.local.releases import asks, prepared
from gotcha_lint.patterns.settings import variables_set
from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.full_names import FullNames
from gotcha_lint.program.ir import Function, Instruction, Module
from gotcha_lint.program.links import Links
from gotcha_lint.program.reader import Reader

OPTION_SET, OPTION_ASSIGNED, OPTION_READ = "option set", "option assigned", "option read"
VARIABLE_SET, FLAGS_SET = "variable set", "flags set"
_CONFIG = frozenset(name.rpartition(".")[0] for name in UPDATES)


def check_settings(machine: Machine, links: Links, module: Module, function: Function) -> None:
    """Those of one function that are set whatever release is installed."""
    names = FullNames(links)
    for i in steps_of(function):
        if i[0] == "call" and i[3]:
            first = links.makers(function).get(i[3][0][1])
            if first is None or first[0] != "const" or not isinstance(first[2], str):
                continue
            if names.of_call(function, i) in UPDATES and _is_free(links, function, i, first[2]):
                note(machine, OPTION_SET, function, i[-1], first[2])
        elif i[0] == "attr" and i[3].startswith("jax_"):
            of_jax = names.of_register(function, i[2]) in _CONFIG
            if of_jax and _is_free(links, function, i, i[3]):
                note(machine, OPTION_READ, function, i[-1], i[3])
        elif i[0] == "setattr":
            owner = names.of_register(function, i[2])
            of_jax = owner in _CONFIG or (owner == "jax" and f"jax_{i[3]}" in OPTIONS)
            if of_jax and _is_free(links, function, i, i[3]):
                note(machine, OPTION_ASSIGNED, function, i[-1], i[3])
    for one in variables_set(function):
        if one.name == "XLA_FLAGS" and one.value is not None:
            text = Texts(links, module, Reader(function)).of(one.value)
            if _is_free(links, function, one.at, "jaxlib", attempted=True):
                parts = written_before(module, function, one.at, text)
                spans = tuple((module.path, i[-1], "written here") for i in parts)
                texts = (text, *(str(i[2]) for i in parts))
                note(machine, FLAGS_SET, function, one.at[-1], *texts, places=spans)
        elif one.name.startswith(FAMILIES) and _is_only_set(links, module, one.name):
            note(machine, VARIABLE_SET, function, one.at[-1], one.name)


def _is_free(
    links: Links, function: Function, i: Instruction, name: str, attempted: bool = False
) -> bool:
    """No test before it asks for the release or the name; nothing catches that it is missing."""
    before = prepared(function, links.makers(function), every=True)[id(i)]
    if before is None:
        return attempted
    words = (name, "jax", "config", "jax_config")
    for test in before:
        inside = (s for s in steps_of(function) if test[:2] <= s[-1][:2] and s[-1][2:] <= test[2:])
        if any(s[0] == "const" and s[2] == name for s in inside) or asks(function, test, words):
            return False
    return True


def _is_only_set(links: Links, module: Module, name: str) -> bool:
    """Nothing else in the file has the name: it is not the project's own variable."""
    said = sum(
        i[0] == "const" and i[2] == name
        for function in links.bodies(module)
        for i in instructions(function.body)
    )
    bodies = links.bodies(module)
    return said <= sum(one.name == name for each in bodies for one in variables_set(each))
