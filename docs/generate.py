"""Writes docs/gotchas/ from the rules and the checks; `--check` only compares.

Needs neither JAX nor LibCST.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from trainer_marks import Mark, marks

from gotcha_lint.errors import TABLE
from gotcha_lint.errors.known import Known
from gotcha_lint.registry import RuleInfo, rules
from gotcha_sanitizer.advice import ADVICE
from gotcha_sanitizer.check import Check
from gotcha_sanitizer.checks import checks

PAGES = Path(__file__).parent / "gotchas"
RULES = {name: info for name, info in rules().items() if info.module}
CHECKS: dict[str, type[Check]] = {
    gotcha: check for check in checks().values() for gotcha in check.gotchas or (check.name(),)
}

MARKS: dict[str, list[Mark]] = marks()

# Errors of JAX that neither has a rule or check for: the explanation of a crash is all there is.
ERRORS: dict[str, list[Known]] = {}
for _row in TABLE:
    if _row.names[0] not in {*RULES, *CHECKS}:
        ERRORS.setdefault(_row.names[0], []).append(_row)


def page(info: RuleInfo) -> str:
    """The page of one gotcha, in Markdown."""
    parts = [f"# {info.name}", _facts(info), info.explanation, _at_run_time(info)]
    for example in info.examples:
        parts += [
            "## Example",
            _code(example["bad"]),
            "Use instead:",
            _code(example["good"]),
            _symptom(example),
        ]
    parts += [
        _in_the_trainer(info.name),
        f"Where the code is right as it is, say why: `# gotcha: allow[{info.name}] reason`.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def run_time_page(name: str, check: type[Check]) -> str:
    """The page of a gotcha that the linter has no rule for."""
    parts = [f"# {name}", "*Seen by the sanitizer only.*", check.explanation()]
    if name == "recompile":
        parts.append(_causes())
    parts += [
        _in_the_trainer(name),
        f"Where the code is right as it is, say why: `# gotcha: allow[{name}] reason`.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def error_page(name: str, rows: list[Known]) -> str:
    """The page of a gotcha that ends in an error of JAX."""
    parts = [f"# {name}", "*An error of JAX; explained after a crash and by `--explain-error`.*"]
    for row in rows:
        means = re.sub(r"\{(\w+)\}", r"`\1`", row.means.replace("{{", "{").replace("}}", "}"))
        fix = row.fix.replace("{{", "{").replace("}}", "}")
        parts += [f"## What happens\n{means}", f"## Instead\n{fix}"]
    parts.append(_in_the_trainer(name))
    return "\n\n".join(part for part in parts if part) + "\n"


def _in_the_trainer(name: str) -> str:
    """The places of the reference trainer that show the right way."""
    places = [
        f"`{mark.path}`, `{mark.function}`: {mark.why}.\n\n```python\n{mark.code}\n```"
        for mark in MARKS.get(name, [])
    ]
    return "\n\n".join(["## In the reference trainer", *places]) if places else ""


def _causes() -> str:
    rows = ["## Causes", "", "| cause | what differs | what to do |", "| --- | --- | --- |"]
    rows += [f"| {name} | {row.meaning} | {row.fix} |" for name, row in ADVICE.items()]
    return "\n".join(rows)


def _at_run_time(info: RuleInfo) -> str:
    """How the sanitizer sees it: its own check of the name, or what confirms the rule."""
    if info.name in CHECKS:
        return f"## At run time\n{CHECKS[info.name].explanation()}"
    seen = [
        f"[{name}]({name}.md)" + (f" ({cause})" if cause else "")
        for name, cause in info.confirmed_by
    ]
    return f"## At run time\nThe sanitizer reports it as {', '.join(seen)}." if seen else ""


def _facts(info: RuleInfo) -> str:
    state = "in preview: on with `--preview`" if info.preview else "on by default"
    fix = "it has a fix" if info.fixable else "no automatic fix"
    return f"*{info.family}, {info.severity}; the linter's rule is {state}; {fix}.*"


def _code(source: str) -> str:
    lines = (re.sub(r"#\s*!\s*([\w-]+)", r"# <- \1", line) for line in source.strip().splitlines())
    return "```python\n" + "\n".join(lines) + "\n```"


def _symptom(example: dict[str, object]) -> str:
    """How the bad code differs when both are run; every example is run by the tests."""
    if example.get("raises"):
        return f"Run, the first raises `{example['raises']}`."
    if compiles := example.get("compiles"):
        return f"Run, the first compiles at least {compiles} times more than the second."
    if example.get("shows"):
        return f"Run, `{example['shows']}` is true after the first and false after the second."
    return f"Not shown by a run: {example['unseen']}."


def index() -> str:
    """docs/gotchas/README.md: every gotcha, by family."""
    lines = [
        "# Gotchas",
        "",
        "| gotcha | family | severity | linter | sanitizer | trainer | fix | |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for info in sorted(RULES.values(), key=lambda i: (i.family, i.name)):
        cells = (
            f"[{info.name}]({info.name}.md)",
            info.family,
            info.severity,
            "preview" if info.preview else "on",
            "yes" if info.name in CHECKS or info.confirmed_by else "",
            _shown(info.name),
            "yes" if info.fixable else "",
            info.summary.replace("|", "\\|"),
        )
        lines.append("| " + " | ".join(cells) + " |")
    for name, check in sorted(CHECKS.items()):
        if name not in RULES:
            text = check.explanation().partition("\n")[0].replace("|", "\\|")
            facts = f"run time | warning | | yes | {_shown(name)} |"
            lines.append(f"| [{name}]({name}.md) | {facts} | {text} |")
    for name, rows in sorted(ERRORS.items()):
        text = re.sub(r"[{}]", "", rows[0].means).replace("|", "\\|")
        facts = f"crash | error | | yes | {_shown(name)} |"
        lines.append(f"| [{name}]({name}.md) | {facts} | {text} |")
    return "\n".join(lines) + "\n"


def _shown(name: str) -> str:
    return "shown" if name in MARKS else ""


def stale() -> dict[Path, str | None]:
    """The files to write, with their text, and those to remove, with None."""
    wanted = {PAGES / f"{name}.md": page(info) for name, info in RULES.items()}
    wanted |= {
        PAGES / f"{name}.md": run_time_page(name, check)
        for name, check in CHECKS.items()
        if name not in RULES
    }
    wanted |= {PAGES / f"{name}.md": error_page(name, rows) for name, rows in ERRORS.items()}
    wanted[PAGES / "README.md"] = index()
    changed: dict[Path, str | None] = {
        path: text
        for path, text in wanted.items()
        if not path.exists() or path.read_text("utf-8") != text
    }
    return changed | {path: None for path in PAGES.glob("*.md") if path not in wanted}


def main() -> int:
    pages = stale()
    check = "--check" in sys.argv
    PAGES.mkdir(exist_ok=True)
    for path, text in pages.items():
        print(f"out of date: {path.name}" + ("; run `make docs`" if check else ""))
        if not check:
            path.unlink() if text is None else path.write_text(text, "utf-8")
    return int(bool(pages) and check)


if __name__ == "__main__":
    sys.exit(main())
