"""The rules: found by being there. Their texts are read without importing them, or LibCST."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

from gotcha_lint.home import page_url

_FOLDER = Path(__file__).parent / "rules"


@dataclass(frozen=True, slots=True)
class Text:
    """What a rule's file says for people to read."""

    summary: str
    explanation: str
    severity: str = "warning"
    confidence: str = "high"
    fixable: bool = False
    examples: tuple[dict[str, Any], ...] = ()
    confirmed_by: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class RuleInfo:
    """What the command line tells of a rule; a run that only lints never reads its text."""

    name: str
    family: str
    module: str
    read: Callable[[], Text]

    @cached_property
    def text(self) -> Text:
        return self.read()

    @property
    def summary(self) -> str:
        return self.text.summary

    @property
    def explanation(self) -> str:
        return self.text.explanation

    @property
    def severity(self) -> str:
        return self.text.severity

    @property
    def confidence(self) -> str:
        return self.text.confidence

    @property
    def fixable(self) -> bool:
        return self.text.fixable

    @property
    def examples(self) -> tuple[dict[str, Any], ...]:
        return self.text.examples

    @property
    def confirmed_by(self) -> tuple[tuple[str, str], ...]:
        """(check, cause) pairs of the sanitizer that confirm it."""
        return self.text.confirmed_by

    @property
    def url(self) -> str:
        return page_url(self.name)


# Findings of the engine itself: they have no file under rules/ and cannot be deselected.
_OWN = {
    "syntax-error": ("error", "A file that is not valid Python"),
    "undecodable-file": ("error", "A file whose bytes are not text in its encoding"),
    "unreadable-file": ("error", "A file that cannot be read"),
    "too-deeply-nested": ("error", "Code nested deeper, or in longer chains, than can be analysed"),
    "file-too-large": ("error", "A file larger than what is analysed"),
    "unused-allow": ("warning", "A `# gotcha: allow[...]` comment that allows nothing"),
    "unknown-comment": ("warning", "A `# gotcha:` comment that is not understood"),
}
OWN = frozenset(_OWN)


@cache
def names() -> frozenset[str]:
    """Of all rules, without reading them."""
    return frozenset({*map(_name, _files()), *_OWN})


def _files() -> list[Path]:
    return [path for path in sorted(_FOLDER.glob("*/*.py")) if path.stem != "__init__"]


def _name(path: Path) -> str:
    return path.stem.replace("_", "-")


@cache
def rules() -> dict[str, RuleInfo]:
    """Every rule by its name, in order."""
    found = list(map(_info, _files()))
    own = [
        RuleInfo(name, "engine", "", partial(Text, text, text + ".", severity))
        for name, (severity, text) in _OWN.items()
    ]
    return {info.name: info for info in sorted((*found, *own), key=lambda info: info.name)}


def _info(path: Path) -> RuleInfo:
    return RuleInfo(
        name=_name(path),
        family=path.parent.name,
        module=f"gotcha_lint.rules.{path.parent.name}.{path.stem}",
        read=partial(_text, path),
    )


def _text(path: Path) -> Text:
    tree = ast.parse(path.read_text("utf-8"))
    cls = next(n for n in tree.body if isinstance(n, ast.ClassDef) and _is_rule(n))
    fields = {
        target.id: node.value
        for node in cls.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    explanation = inspect.cleandoc(ast.get_docstring(cls) or "")
    return Text(
        summary=explanation.partition("\n")[0],
        explanation=explanation,
        severity=_constant(fields.get("severity"), "warning"),
        confidence=_constant(fields.get("confidence"), "high"),
        fixable=any(_gives_fix(node) for node in ast.walk(tree)),
        examples=tuple(_examples(fields.get("examples"))),
        confirmed_by=_constant(fields.get("confirmed_by"), ()),
    )


def _is_rule(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "Rule" for base in node.bases)


def _constant(node: ast.expr | None, default: Any) -> Any:
    return ast.literal_eval(node) if node is not None else default


def _gives_fix(node: ast.AST) -> bool:
    """`Report(node, message, fix)` or an `Insertion`, wherever it is made; or it mends."""
    if isinstance(node, ast.FunctionDef):
        return node.name in ("mend", "mend_by")
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    in_report = len(node.args) > 2 or any(given.arg == "fix" for given in node.keywords)
    return node.func.id == "Insertion" or (node.func.id == "Report" and in_report)


def _examples(node: ast.expr | None) -> list[dict[str, Any]]:
    calls = node.elts if isinstance(node, ast.Tuple) else []
    return [
        {
            k.arg: inspect.cleandoc(v) if isinstance(v := ast.literal_eval(k.value), str) else v
            for k in call.keywords
            if k.arg
        }
        for call in calls
        if isinstance(call, ast.Call)
    ]


class _Registry:
    """`RULES["traced-if"]`: read at the first use."""

    def __getitem__(self, name: str) -> RuleInfo:
        return rules()[name]

    def __iter__(self):
        return iter(rules())

    def __len__(self) -> int:
        return len(rules())

    def __contains__(self, name: object) -> bool:
        return name in rules()

    def get(self, name: str) -> RuleInfo | None:
        return rules().get(name)

    def items(self):
        return rules().items()

    def values(self):
        return rules().values()


RULES = _Registry()
