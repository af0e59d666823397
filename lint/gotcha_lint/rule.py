"""What a rule is: one class, in one file under rules/FAMILY/, that explains and finds one pitfall.

The file's name is the gotcha's name. A rule asks what the engine has seen of a project; it never
walks a tree, never reads another file, and never imports JAX. See CONTRIBUTING.md.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

import libcst as cst

from gotcha_lint import registry
from gotcha_lint.finding import Confidence, Severity
from gotcha_lint.task import RuleOptions

if TYPE_CHECKING:
    from gotcha_lint.domain.sites import Origin, Span
    from gotcha_lint.solve.programs import Programs
    from gotcha_lint.text.file_tree import FileTree


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


HERE = "\x00"  # stands in a message for the text at the place of what is foreseen


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A finding that follows from what the project compiles (see `solve.programs`).

    `message` may have `HERE` in it.

    `place` and `places` are paths and spans, the latter with what is there. `certain`: it holds
    for all values that callers may give (*must*); else it is a *may*, shown with `--all` alone.
    `quotes`: places whose text stands for each `{}` of the message.
    """

    place: Origin
    message: str
    places: tuple[tuple[str, Span, str], ...] = ()
    certain: bool = True
    severity: Severity | None = None
    hint: str = ""  # what `mend_by` is told
    quotes: tuple[Origin, ...] = ()


class Rule:
    """Base of every rule: a docstring, examples, and `foresee`; `mend` where it has a fix.

    `foresee` is called once for all that a unit of the project shows (see `solve.units`).
    """

    severity: ClassVar[Severity] = "warning"
    confidence: ClassVar[Confidence] = "high"  # "medium" until real code has shown it to be right
    doubts: ClassVar[tuple[str, ...]] = ()  # comments that say that what is foreseen is meant
    meant: ClassVar[re.Pattern[str] | None] = None  # ... lines, or names of functions around
    spoken: ClassVar[re.Pattern[str] | None] = None  # ... or the whole function around says so
    confirmed_by: ClassVar[tuple[tuple[str, str], ...]] = ()  # (check, cause) of the sanitizer
    examples: ClassVar[tuple[Example, ...]] = ()

    def __init__(self, options: RuleOptions) -> None:
        self.options = options

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        """The findings about what a project compiles."""
        yield from ()

    def mend(self, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree) -> Rewrite | None:
        """A fix of what `foresee` has found at this node, or None."""
        return None

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        """The same, where the engine says in a word what is to be done (`Foreseen.hint`)."""
        return self.mend(node, statement, file)

    @classmethod
    def name(cls) -> str:
        return cls.__module__.rpartition(".")[2].replace("_", "-")

    @classmethod
    def explanation(cls) -> str:
        return inspect.cleandoc(cls.__doc__ or "")


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
