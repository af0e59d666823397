"""One page: what happens, why, the code, what both tools print, the trainer, the price."""

from __future__ import annotations

from measuring.programs import marks, plain

from gotcha_sanitizer.explain.advice import ADVICE
from pages import prices, references, versions
from pages.catalogue import Gotcha
from pages.measured import Example, examples
from pages.not_reported import items
from pages.outcome import told

_ELSEWHERE = (
    "References",
    "In a run",
    "The price",
    "Not reported",
)  # sections with a place of their own
_ORDINALS = ("first", "second", "third", "fourth")


def page(gotcha: Gotcha) -> str:
    """The page, in Markdown."""
    shown = examples(gotcha.name)
    parts = [
        f"# {gotcha.name}",
        _facts(gotcha),
        gotcha.text.partition("\n\n")[0],
        *_explained(gotcha, shown),
        *_code(shown),
        _linter(gotcha, shown),
        _sanitizer(gotcha, shown),
        _trainer(gotcha),
        _titled("Versions", versions.section(gotcha, shown)),
        _titled(
            "References",
            references.section(gotcha.name, gotcha.sections.get("References", ""), shown),
        ),
        _titled("The price", prices.section(gotcha)),
        _titled("Not reported", items(gotcha.sections.get("Not reported", ""))),
        _allowed(gotcha),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _allowed(gotcha: Gotcha) -> str:
    if not (gotcha.rule or gotcha.check):
        return ""
    return f"Where the code is right as it is, say why: `# gotcha: allow[{gotcha.name}] reason`."


def _titled(title: str, text: str) -> str:
    return f"## {title}\n\n{text}" if text else ""


def _facts(gotcha: Gotcha) -> str:
    if gotcha.rule:
        sure = f"{gotcha.rule.confidence} confidence"
        fix = "it has a fix" if gotcha.rule.fixable else "no automatic fix"
        return f"*{gotcha.family}, {gotcha.severity}; found by the linter, {sure}; {fix}.*"
    if gotcha.check:
        return "*Seen by the sanitizer only.*"
    return "*An error of JAX; explained after a crash and by `gotcha-lint --explain-error`.*"


def _explained(gotcha: Gotcha, shown: tuple[Example, ...]) -> list[str]:
    """What happens with the true symptom after it, then why, then what to do."""
    sections = dict(gotcha.sections)
    happens = [sections.pop("What happens", ""), told(shown[0]) if shown else ""]
    for elsewhere in _ELSEWHERE:
        sections.pop(elsewhere, "")
    parts = [_titled("What happens", "\n\n".join(filter(None, happens)))]
    parts += [_titled(title, text) for title, text in sections.items()]
    return [*parts, _causes() if gotcha.name == "recompile" else ""]


def _causes() -> str:
    rows = ["## Causes", "", "| cause | what differs | what to do |", "| --- | --- | --- |"]
    rows += [f"| {name} | {row.meaning} | {row.fix} |" for name, row in ADVICE.items()]
    return "\n".join(rows)


def _code(shown: tuple[Example, ...]) -> list[str]:
    parts = []
    for number, example in enumerate(shown):
        title = "Example" if len(shown) == 1 else f"{_ORDINALS[number].capitalize()} example"
        parts += [f"## {title}", _block(_marked(example.pair.bad), "python")]
        parts += ["Use instead:", _block(plain(example.pair.good), "python")]
        parts += [told(example, "above")] if number else []
    return parts


def _marked(code: str) -> str:
    """The marks of the tests, as comments that a reader understands."""
    lines = plain(code).splitlines()
    for number, what in marks(code):
        if number and len(lines[number - 1]) + len(what) < 90:
            lines[number - 1] += f"  # <- {what.rstrip('/')}"
    return "\n".join(lines)


def _block(text: str, language: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"


def _linter(gotcha: Gotcha, shown: tuple[Example, ...]) -> str:
    printed = _prints([each.linter for each in shown])
    if gotcha.rule:
        return _titled("What the linter prints", printed)
    return "## What the linter prints\n\nNothing: it has no rule for it."


def _sanitizer(gotcha: Gotcha, shown: tuple[Example, ...]) -> str:
    parts = []
    if gotcha.check:
        parts.append(_watches(gotcha))
    elif gotcha.seen_as:
        parts.append(f"It is reported as {_confirmed(gotcha)}.")
    printed = _prints([each.sanitizer for each in shown])
    if printed:
        parts.append(printed)
    elif said := gotcha.sections.get("In a run"):
        parts.append(said)
    elif gotcha.sanitizer:
        parts.append(_silent(gotcha))
    else:
        parts.append("Nothing: it has no check for it.")
    return _titled("What the sanitizer prints", "\n\n".join(parts))


def _watches(gotcha: Gotcha) -> str:
    """What the check says of itself, without what the page has said above."""
    assert gotcha.check
    said = " ".join(gotcha.text.split())
    own = gotcha.check.explanation().partition("\n\n## ")[0].split("\n\n")
    return "\n\n".join(part for part in own if " ".join(part.split()) not in said)


def _silent(gotcha: Gotcha) -> str:
    if any(each.error and not each.error["type"] for each in examples(gotcha.name)):
        return "Nothing: the process is gone. `gotcha-lint --explain-error` knows the message."
    if gotcha.sanitizer == "crash":
        return "Of this example nothing; where JAX raises an error, it explains it."
    return "Of this example, nothing."


def _confirmed(gotcha: Gotcha) -> str:
    seen = [
        f"[{name}]({name}.md)" + (f" ({cause})" if cause else "") for name, cause in gotcha.seen_as
    ]
    return " or ".join(filter(None, (", ".join(seen[:-1]), seen[-1])))


def _prints(texts: list[str]) -> str:
    """Each different text as a block; which example it is of, where there are more."""
    parts = []
    for number, text in enumerate(texts):
        if text and text not in texts[:number]:
            parts += [f"Of the {_ORDINALS[number]} example:"] if len(texts) > 1 else []
            parts.append(_block(text.replace("\n\n\n", "\n\n"), "text"))
    return "\n\n".join(parts)


def _trainer(gotcha: Gotcha) -> str:
    places = [
        f"`{mark.path}`, `{mark.function}`: {mark.why}.\n\n{_block(mark.code, 'python')}"
        for mark in gotcha.marks
    ]
    return _titled("In the reference trainer", "\n\n".join(places))
