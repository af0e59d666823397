"""By names: which functions of a file can show much, so that they are worth running.

Over-approximate where a name is a transform's or leads to one; names that mean more than a few
things in a project say nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gotcha_lint.facts.environment import READ_AT_IMPORT, READ_AT_START
from gotcha_lint.facts.halves import HALVES
from gotcha_lint.facts.optax import LOGIT_LOSSES, PRECONDITIONERS, TAKE_SCHEDULES
from gotcha_lint.facts.options import INITIALIZE
from gotcha_lint.facts.options import READ_AT_START as OPTIONS_AT_START
from gotcha_lint.facts.pipelines import STACKS
from gotcha_lint.facts.processes import INDEX_CALLS
from gotcha_lint.facts.random import SAMPLERS
from gotcha_lint.patterns.settings import X64
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Module

_COMPILING = frozenset(
    ("jit", "pmap", "pjit", "shard_map", "filter_jit", "filter_pmap", "scan", "while_loop",
     "fori_loop", "cond", "switch", "associative_scan", "Pool", "ProcessPoolExecutor", "fork",
     "AsyncVectorEnv", "SubprocVecEnv", "grad", "value_and_grad", "filter_grad",
     "filter_value_and_grad", "pickle", "cloudpickle", "dill", "joblib", "shelve", "Queue",
     "SimpleQueue", "JoinableQueue", "Pipe", "save", "ray")
)  # fmt: skip
# A caller of what makes a chain of these knows the rate, and its sign.
_COMPILING |= {name.removeprefix("optax.") for name in PRECONDITIONERS} | {"add_decayed_weights"}
_KEYS = frozenset(name.rpartition(".")[2] for name in SAMPLERS) | {"fold_in"} - {"f", "t"}
_EVERYDAY = frozenset(("split", "choice", "gamma", "beta", "bits", "ball"))
_RANDOM = frozenset(("random", "jrandom", "jr", "jrnd", "rng", "key"))
_MODULES = _RANDOM - {"rng", "key"}
_MEANINGS = 3
SQUASHES = frozenset(("softmax", "sigmoid"))
_PROBABLE = SQUASHES | {name.rpartition(".")[2] for name in LOGIT_LOSSES}
# What is divided by the first two may be zero; labels may be ignored; types lose digits.
_CHECKED = frozenset(
    ("norm", "std", "softmax_cross_entropy_with_integer_labels", "chain", "named_chain",
     "log_softmax", "cast_to_param", "cast_to_compute")
)  # fmt: skip
_SETS_ITEM = "#setitem"
_CHECKED |= {_SETS_ITEM, "device"}  # a method that became an attribute
_CHECKED |= HALVES | _PROBABLE
# What these are given may fail in the first step.
_CHECKED |= {name.rpartition(".")[2] for name in TAKE_SCHEDULES} | {
    "Optimizer",
    "defvjp",
    "checkpoint_policies",
    "apply",
    "apply_fn",
}
_CHECKED |= {name.rpartition(".")[2] for name in INDEX_CALLS}  # the others may wait for it
_SETTINGS = READ_AT_IMPORT | OPTIONS_AT_START.keys() | {X64}
_SETS = "#sets"  # the name of an option or a variable that JAX reads once
_CHECKED |= {_SETS, INITIALIZE.rpartition(".")[2]}
_LEADING = HALVES | _PROBABLE | {_SETS, INITIALIZE.rpartition(".")[2], "apply", "apply_fn"}
_LOOPS = frozenset(("for", "while"))
_READING = frozenset(("device_get", "float", "int", "item", "tolist", "asarray", "array", "print"))


def leading_to_compiles(files: Iterable[Names], compiled: frozenset[str]) -> frozenset[str]:
    """Names of functions and classes that use a transform, or the name of one that does.

    Names that mean more than a few things in the project say nothing.
    """
    uses: dict[str, list[set[str]]] = {}
    for file in files:
        for function, own in file.names_in.items():
            uses.setdefault(function.name, []).append(own)
    clear = {name: set().union(*own) for name, own in uses.items() if len(own) <= _MEANINGS}
    found: set[str] = set(compiled) | {
        name for name, own in clear.items() if _uses_keys(own) or not _LEADING.isdisjoint(own)
    }
    new = _COMPILING | found
    while new:
        known = found | _COMPILING
        new = {name for name, own in clear.items() if name not in known and own & new}
        found |= new
    return frozenset(found)


def _uses_keys(names: set[str]) -> bool:
    """Does it name what takes a random key? Everyday words count beside a name of keys alone."""
    if not (_KEYS - _EVERYDAY).isdisjoint(names) or _makes_key(names):
        return True
    return not (_RANDOM.isdisjoint(names) or (_KEYS | _EVERYDAY).isdisjoint(names))


def _makes_key(names: set[str]) -> bool:
    return "PRNGKey" in names or ("key" in names and not _MODULES.isdisjoint(names))


_JOINING = frozenset(name.rpartition(".")[2] for name in STACKS)


class Names:
    """The names that each function of a file uses, and what follows: which roots can show much.

    Nothing is compiled, and nothing is called again and again, in a function that has no loop and
    that names neither a transform nor a function of the project that leads to one.
    """

    def __init__(self, module: Module) -> None:
        self.used: set[str] = set()  # by functions, outside of themselves
        self.compiling: frozenset[str] = frozenset()
        self.names_in: dict[Function, set[str]] = {f: set() for f in module.functions}
        self.names_annotated = any(p.annotation for f in module.functions for p in f.parameters)
        self._imported = dict(_renamed(module))
        for function in module.functions:
            own = self.names_in[function]
            self._walk(function.body, own)
            if not function.is_module:
                self.used |= own - {function.name}
        for function in module.functions:
            around = function.parent
            while around is not None:
                self.names_in.setdefault(around, set()).update(self.names_in[function])
                around = around.parent

    def is_worth_running(self, function: Function, traced: bool = False) -> bool:
        """`traced`: its methods are traced, whatever calls them, so their loops are unrolled."""
        own = self.names_in.get(function, set())
        if function.declared == "traced":
            return True
        if _COMPILING & own or self.compiling & own or _uses_keys(own) or _CHECKED & own:
            return True
        if "apply" in own and not _READING.isdisjoint(own):
            return True  # a model, outside of jit
        if "collate" in function.name.lower() and not _JOINING.isdisjoint(own):
            return True  # examples, joined on the device
        return (traced or not function.is_class) and bool(_LOOPS & own)

    def _walk(self, code: Any, own: set[str]) -> None:
        for instruction in code:
            operation = instruction[0]
            if operation == "load":
                own.add(instruction[2])
                if instruction[2] in self._imported:
                    own.add(self._imported[instruction[2]])
            elif operation == "attr":
                own.add(instruction[3])
            elif operation in _LOOPS:
                own.add(operation)
            elif operation == "setitem":
                own.add(_SETS_ITEM)
            elif operation == "const" and isinstance(instruction[2], str):
                if instruction[2] in _SETTINGS or instruction[2].startswith(READ_AT_START):
                    own.add(_SETS)
                elif instruction[2] in HALVES:
                    own.add(instruction[2])  # `dtype: str = "bfloat16"` of a configuration
            elif operation == "class":
                inside = self.names_in.setdefault(instruction[2], set())
                self._walk(instruction[2].body, inside)
                own |= inside
            for part in instruction:
                if isinstance(part, list):
                    for block in part if part and isinstance(part[0], list) else [part]:
                        self._walk(block, own)


def _renamed(module: Module) -> Iterator[tuple[str, str]]:
    """The module's own names for what it imports: `jit as compile`, and what they stand for."""
    for function in module.functions:
        imported: dict[int, str] = {}
        for step in steps_of(function):
            if step[0] == "import" and step[4]:
                imported[step[1]] = step[4]
            elif step[0] == "store" and step[2] != imported.get(step[4], step[2]):
                yield step[2], imported[step[4]]
