"""Names, calls and arguments that a release of a library has lost (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from gotcha_lint.facts.deprecated import ARGUMENTS, DEPRECATED, JIT_ARGUMENTS, POSITIONAL
from gotcha_lint.facts.deprecated import LAST_WORDS as DEPRECATED_WORDS
from gotcha_lint.facts.removed import KEYWORDS, LAST_WORDS, REMOVED, row_of
from gotcha_lint.patterns.local.releases import asks, prepared
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.full_names import FullNames, are_lazy
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import dotted

_WORDS = LAST_WORDS | DEPRECATED_WORDS
TABLES = (REMOVED, DEPRECATED)
BY_POSITION = "#"  # too many arguments without a name
_JIT = "jax.jit"
# Attributes of arrays that are gone, by names that nothing else has: what to use instead.
GONE_OF_ARRAYS = {
    "device_buffer": "`x.addressable_data(0)`, and `x.devices()` for its place",
    "device_buffers": "`x.addressable_shards`",
}
# Methods of a `FrozenDict`, which `init` of Flax gave until 0.7.1: what is said of a plain dict,
# and what to use instead.
GONE_OF_PARAMETERS = {
    "copy": "whose `copy` takes no argument; use `{**params, ...}`",
    "unfreeze": "which have no `unfreeze`; use them as they are, or `flax.core.unfreeze(params)`",
    "pop": "whose `pop` gives the value alone; use `flax.core.pop(variables, name)` for both",
}
_FREEZES = frozenset(("freeze", "FrozenDict"))
_COLLECTIONS = ("params", "variables", "batch_stats")
_VARIABLES = frozenset(
    f"flax.nnx.{name}"
    for name in (
        "Variable", "Param", "BatchStat", "Cache", "Intermediate", "LoRAParam", "Perturbation",
        "OptState",
    )
)  # fmt: skip
OF_ARRAY, OF_VARIABLE, OF_PARAMETERS = "of an array", "of a variable", "of parameters"


@dataclass(frozen=True)
class Use:
    """`name`: in full; `argument`: of that function, if it is what is gone.

    `argument` is `OF_ARRAY`, `OF_VARIABLE` or `OF_PARAMETERS` where `name` is an attribute of such.
    """

    name: str
    span: Span
    function: Function
    argument: str = ""


def library_names(
    origins: Origins,
    module: Module,
    function: Function,
    visible: Callable[[], Iterable[Module]],
) -> Iterator[Use]:
    """What one function uses of the tables, whatever release is installed.

    `visible`: the files of its program.
    """
    uses = _Uses(origins, module, function)
    yield from uses.names()
    yield from uses.arguments()
    yield from uses.attributes()
    yield from uses.of_frozen(visible)


def names_set(links: Links, module: Module) -> set[str]:
    """Names of libraries that the file puts there itself: `jax.tree_map = jax.tree.map`."""
    names = FullNames(links)
    found = {
        (names.of_register(function, i[2]), i[3])
        for function in links.bodies(module)
        for i in steps_of(function)
        if i[0] == "setattr" and i[3] in _WORDS
    }
    return {f"{owner}.{name}" for owner, name in found if owner}


def _is_known(base: str, words: Sequence[str]) -> bool:
    """Is it in a table, and what is imported is not, which is told there?"""
    name = ".".join((base, *words))
    return bool(base) and any(name in table and row_of(base, table) is None for table in TABLES)


def _freezes(module: Module) -> bool:
    """Does the file make a `FrozenDict`, or tell Flax to give one?"""
    for function in (module.top, *module.functions):
        made = {i[1]: i for i in steps_of(function) if i[0] in ("load", "attr")}
        for i in steps_of(function):
            callee = made.get(i[2]) if i[0] == "call" else None
            if callee is not None and callee[2 if callee[0] == "load" else 3] in _FREEZES:
                return True
            if i[0] == "const" and i[2] == "flax_return_frozendict":
                return True
    return False


class _Uses:
    def __init__(self, origins: Origins, module: Module, function: Function) -> None:
        self.module, self.function = module, function
        self.origins, self.names_of = origins, FullNames(origins.links)
        self.makers = origins.links.makers(function)
        self._tests: dict[int, tuple[Span, ...] | None] | None = None

    def names(self) -> Iterator[Use]:
        before = ""
        for i in steps_of(self.function):
            if i[0] == "attr" and i[3] in _WORDS:
                base, words = self.names_of.parts(self.function, i[1])
                if _is_known(base, words) and self._is_free(i, (base, *base.split("."), *words)):
                    yield Use(".".join((base, *words)), i[-1], self.function)
            elif i[0] in ("import", "importstar") and not i[3]:
                yield from self._imported(i, before)
                before = i[2]
        if are_lazy(self.module):
            return
        for one in self.module.annotations:
            if one.within is self.function and one.rest[-1] in _WORDS:
                base = self.names_of.of_slot(self.function, one.slot)
                if _is_known(base, one.rest):
                    yield Use(".".join((base, *one.rest)), one.span, self.function)

    def attributes(self) -> Iterator[Use]:
        """Of arrays, and `value` of a variable of nnx."""
        for i in steps_of(self.function):
            if i[0] == "attr" and i[3] in GONE_OF_ARRAYS and self._is_free(i, (i[3],)):
                yield Use(i[3], i[-1], self.function, OF_ARRAY)
            elif i[0] in ("attr", "setattr") and i[3] == "value":
                is_variable = self.origins.library(self.function, i[2]) in _VARIABLES
                if is_variable and self._is_free(i, ("value", "get_value", "flax")):
                    yield Use(i[3], i[-1], self.function, OF_VARIABLE)

    def of_frozen(self, visible: Callable[[], Iterable[Module]]) -> Iterator[Use]:
        """Methods of a `FrozenDict`, in a program that makes none."""
        found = list(self._called_on_frozen())
        if found and not any(map(_freezes, visible())):
            for callee in found:
                if self._is_free(callee, (*_FREEZES, "unfreeze", "flax", callee[3])):
                    yield Use(callee[3], callee[-1], self.function, OF_PARAMETERS)

    def _called_on_frozen(self) -> Iterator[Instruction]:
        """`p.copy(add_or_replace=...)`, `model.init(...).unfreeze()`, `_, p = v.pop("params")`"""
        pairs = {i[2] for i in steps_of(self.function) if i[0] == "unpack" and len(i[3]) == 2}
        for i in steps_of(self.function):
            callee = self.makers.get(i[2]) if i[0] == "call" else None
            if callee is None or callee[0] != "attr" or callee[3] not in GONE_OF_PARAMETERS:
                continue
            if callee[3] == "copy":
                gone = any(name == "add_or_replace" for name, _ in i[4])
            elif callee[3] == "unfreeze":
                gone = not i[3] and not i[4] and self._holds_weights(callee[2])
            else:
                key = self.makers.get(i[3][0][1]) if len(i[3]) == 1 and i[1] in pairs else None
                gone = key is not None and key[0] == "const" and key[2] in _COLLECTIONS
            if gone:
                yield callee

    def _holds_weights(self, register: Register) -> bool:
        """By its name, by the key it is taken out with, or as the result of `init`."""
        made = self.makers.get(register)
        if made is None:
            return False
        if made[0] == "call":
            return dotted(self.makers, made[2]).endswith(".init")
        key = self.makers.get(made[3]) if made[0] == "item" else None
        word = key[2] if key is not None and key[0] == "const" else dotted(self.makers, register)
        return isinstance(word, str) and word.rpartition(".")[2] in _COLLECTIONS

    def _imported(self, i: Instruction, before: str) -> Iterator[Use]:
        """A line is told once for all that it imports of a module that is gone."""
        module, member = i[2], i[4] if i[0] == "import" else None
        name = module if member is None else f"{module}.{member}"
        for table in TABLES:
            of_module = member is not None and row_of(module, table) is not None
            found = row_of(module if of_module else name, table)
            new = found is not None and not (of_module and before == module)
            if found is not None and new and self._is_free(i, name.split(".")):
                yield Use(found[0], i[-1], self.function)

    def _is_free(self, i: Instruction, words: Collection[str]) -> bool:
        """Does it run whatever the installed release is?"""
        if self._tests is None:
            self._tests = prepared(self.function, self.makers)
        tests = self._tests.get(id(i))
        return tests is not None and not any(asks(self.function, one, words) for one in tests)

    def arguments(self) -> Iterator[Use]:
        for i in steps_of(self.function):
            if i[0] != "call" or any(star for star, _ in i[3]):
                continue
            name = self.origins.names.of_call(self.function, i)
            if not name:
                continue
            gone = KEYWORDS.get(name, {})
            for keyword, register in i[4]:
                if keyword in gone and self._is_free(i, name.split(".")):
                    span = _argument(keyword, self.makers[register])
                    yield Use(name, span, self.function, keyword)
            yield from self._deprecated(name, i)

    def _deprecated(self, name: str, i: Instruction) -> Iterator[Use]:
        most, _ = POSITIONAL.get(name, (0, None))
        if most and len(i[3]) > most:
            yield Use(name, self.makers[i[3][most][1]][-1], self.function, BY_POSITION)
        if name in ARGUMENTS:
            position, keyword, _ = ARGUMENTS[name]
            given = i[3][position][1] if position < len(i[3]) else dict(i[4]).get(keyword)
            made = None if given is None else self.makers.get(given)
            if made is not None and not (made[0] == "const" and made[2] is None):
                yield Use(name, made[-1], self.function, keyword)
        first = self.names_of.of_register(self.function, i[3][0][1]) if i[3] else ""
        if name == _JIT or (name == "functools.partial" and first == _JIT):
            for keyword, register in i[4]:
                made = self.makers.get(register)
                if made is None or made[0] != "const" or made[2] is None:
                    continue
                if keyword in JIT_ARGUMENTS and self._is_free(i, ("jit", keyword)):
                    yield Use(_JIT, _argument(keyword, made), self.function, keyword)


def _argument(keyword: str, made: Instruction) -> Span:
    """`keyword=value`, from its name on."""
    line, column, *end = made[-1]
    return line, max(1, column - len(keyword) - 1), *end
