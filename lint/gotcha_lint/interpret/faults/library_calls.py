"""Calls that do not fit a function or a class of a library: Python raises a `TypeError`.

Must, for the releases of `facts/signatures.txt`: only what is called by its public name, with all
arguments written out, and under no condition that asks for a release.
"""

from __future__ import annotations

from gotcha_lint.facts.removed import KEYWORDS
from gotcha_lint.facts.signatures import release_of, words_of
from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.faults.signatures import misfit
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.local.releases import asks, prepared
from gotcha_lint.program.ir import Function, Instruction, Parameter
from gotcha_lint.program.origins import Origins

_OF_OTHER_RULES = frozenset(("flax.nnx.Optimizer",))


def check_library_call(
    machine: Machine, origins: Origins, function: Function, call: Instruction
) -> None:
    _, _, callee, args, keywords, span = call
    if any(star for star, _ in args) or any(word is None for word, _ in keywords):
        return
    name = origins.names.of_register(function, callee)
    parameters = None if name in _OF_OTHER_RULES else parameters_of(name)
    if parameters is None:
        return
    given = [word for word, _ in keywords]
    gone = KEYWORDS.keys() & {name, origins.names.of_call(function, call)}
    if any(word in KEYWORDS[one] for one in gone for word in given):
        return  # `removed-api` has it
    taking = Function(name, "", 0, parameters=parameters)
    problem = misfit(taking, 0, frozenset(), len(args), given)
    if problem is None or not _is_free(origins, function, call, name):
        return
    note(machine, "misfit", function, span, f"`{name}` of {release_of(name)} {problem}")


def parameters_of(name: str) -> list[Parameter] | None:
    """Of a function or class of a library; None where it is not known."""
    words = words_of(name)
    if words is None:
        return None
    kind, found = "pos", list[Parameter]()
    for word in words:
        if word.startswith("**"):
            found.append(Parameter(word[2:], "**"))
        elif word.startswith("*"):
            kind = "kw"
            if word != "*":
                found.append(Parameter(word[1:], "*"))
        elif word != "/":
            found.append(Parameter(word.rstrip("="), kind, has_default=word.endswith("=")))
    return found


def _is_free(origins: Origins, function: Function, call: Instruction, name: str) -> bool:
    """Does it run whatever the installed release is, and is no error of it expected?"""
    if origins.is_attempted(function, call):
        return False
    tests = prepared(function, origins.links.makers(function)).get(id(call))
    words = name.split(".")
    return tests is not None and not any(asks(function, test, words) for test in tests)
