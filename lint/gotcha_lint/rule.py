"""What a rule is: one class, in one file under rules/FAMILY/, that explains and finds one pitfall.

The file's name is the gotcha's name. A rule asks the recorded sites of an analysed function; it
never walks a tree, never reads another file, and never imports JAX. See CONTRIBUTING.md.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, get_type_hints

import libcst as cst

from gotcha_lint import registry
from gotcha_lint.analysis.sites import Body
from gotcha_lint.finding import Confidence, Severity
from gotcha_lint.task import RuleOptions

if TYPE_CHECKING:
    from gotcha_lint.analysis.model import FileModel
    from gotcha_lint.domain.sites import Origin, Span
    from gotcha_lint.solve.programs import Programs


@dataclass(frozen=True, slots=True)
class Example:
    """Bad code, its lines to be flagged marked `# ! rule-name`, and its cure.

    Exactly one symptom says how both are told apart when they run under real JAX: `raises` (the
    name of the exception, or part of its message), `compiles` (at least so many more compilations
    than the good one), `shows` (an expression over the module's names, true after the bad code and
    false after the good one), or `unseen` (why it cannot be seen here).
    Where the rule offers a fix, the cure is exactly what the fix makes of the bad code.
    """

    bad: str
    good: str
    raises: str = ""
    compiles: int = 0
    shows: str = ""
    unseen: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One edit of a fix: puts text before and after a node, or `text` in place of it.

    `like` puts another node's own text in its place; `below` is a line after a statement.
    """

    node: cst.CSTNode
    text: str | None = None
    before: str = ""
    after: str = ""
    like: cst.CSTNode | None = None
    below: str = ""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A fix as a rule states it; the engine turns nodes into offsets and adds the imports."""

    title: str
    changes: tuple[Change, ...]
    safe: bool = True
    imports: tuple[str, ...] = ()  # modules that must be imported, like "jax"


@dataclass(frozen=True, slots=True)
class Report:
    """A finding as a rule states it."""

    node: cst.CSTNode
    message: str
    fix: Rewrite | None = None
    places: tuple[tuple[cst.CSTNode, str], ...] = ()  # other nodes of the same file that explain it
    why_traced: bool = False  # the reason chain of the function belongs to the message
    why_hot: bool = False  # ... the loops that call it
    confidence: Confidence | None = None


HERE = "\x00"  # stands in a message for the text at the place of what is foreseen


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A finding that follows from what the project compiles (see `solve.programs`).

    `message` may have `HERE` in it.

    `place` and `places` are paths and spans, the latter with what is there. `certain`: it holds
    for all values that callers may give (*must*); else it is a *may*, shown with `--all` alone.
    `quotes`: places whose text stands for each `{}` of the message.
    `about`: a file, and the first and last line between which a report of the same rule has the
    same cause.
    """

    place: Origin
    message: str
    places: tuple[tuple[str, Span, str], ...] = ()
    certain: bool = True
    severity: Severity | None = None
    about: tuple[str, int, int] | None = None
    hint: str = ""  # what `mend_by` is told
    quotes: tuple[Origin, ...] = ()


class Rule:
    """Base of every rule: a docstring, examples, and `check`, `foresee` or both.

    `check` is called for each site of one type, that of the annotation of its parameter: a site of
    `analysis.sites`, or `Body` for rules that look at a function as a whole. `foresee` is called
    once for all that a project compiles.
    """

    severity: ClassVar[Severity] = "warning"
    confidence: ClassVar[Confidence] = "high"
    preview: ClassVar[bool] = False
    roots: ClassVar[frozenset[str]] = frozenset()  # only where a file has one of these words
    doubts: ClassVar[tuple[str, ...]] = ()  # comments that say that what is foreseen is meant
    meant: ClassVar[re.Pattern[str] | None] = None  # ... lines, or names of functions around
    spoken: ClassVar[re.Pattern[str] | None] = None  # ... or the whole function around says so
    confirmed_by: ClassVar[tuple[tuple[str, str], ...]] = ()  # (check, cause) of the sanitizer
    examples: ClassVar[tuple[Example, ...]] = ()

    def __init__(self, options: RuleOptions) -> None:
        self.options = options

    def check(self, site: Any, /) -> Iterator[Report]:
        """The reports about one site."""
        yield from ()

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        """The findings about what a project compiles."""
        yield from ()

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, model: FileModel) -> Rewrite | None:
        """A fix of what `foresee` has found at this node, or None."""
        return None

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, model: FileModel
    ) -> Rewrite | None:
        """The same, where the engine says in a word what is to be done (`Foreseen.hint`)."""
        return self.mend(node, statement, model)

    @cached_property
    def wants(self) -> type | None:
        """The type of the sites that `check` is called for; None where there is no `check`."""
        if type(self).check is Rule.check:
            return None
        hints = get_type_hints(type(self).check)
        return next(kind for name, kind in hints.items() if name != "return")

    @classmethod
    def name(cls) -> str:
        return cls.__module__.rpartition(".")[2].replace("_", "-")

    @classmethod
    def explanation(cls) -> str:
        return inspect.cleandoc(cls.__doc__ or "")


def module_alias(body: Body, module: str) -> str:
    """How this file calls a module: `jnp` for `jax.numpy`; its own name where not imported."""
    return alias_in(body.model, module)


def alias_in(model: FileModel, module: str) -> str:
    """The same, for the model of a file."""
    from gotcha_lint.analysis.model import Imported

    best = ""
    for name, bindings in model.module.scope.bound.items():
        for how in bindings:
            if isinstance(how, Imported) and (module == how or module.startswith(how + ".")):
                candidate = name + module[len(how) :]
                if not best or len(candidate) < len(best):
                    best = candidate
    return best or module


def text_of(node: cst.CSTNode) -> str:
    """The node's source text, without parentheses around it."""
    return cst.Module([]).code_for_node(node).strip()


def load(name: str, options: RuleOptions) -> Rule | None:
    """An instance of a rule; only its module is imported. None for findings of the engine."""
    info = registry.rules()[name]
    if not info.module:
        return None
    for value in vars(import_module(info.module)).values():
        if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == info.module:
            return value(options)
    raise LookupError(f"{info.module} holds no rule")
