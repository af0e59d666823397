"""Explains a pasted traceback: which known pitfall it is, which argument is at fault, the cure."""

from __future__ import annotations

import re
import textwrap
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gotcha_lint.errors import libraries, states, tracing, values
from gotcha_lint.errors.known import Known
from gotcha_lint.home import more
from gotcha_lint.output.paint import one_line, paint

# As the releases of jax 0.10 word them; the more particular message stands first.
TABLE: tuple[Known, ...] = (*tracing.ROWS, *values.ROWS, *states.ROWS, *libraries.ROWS)

_FRAME = re.compile(
    r'^(?P<indent>[ ]*)File "(?P<path>[^"\n]+)", line (?P<line>\d+), in (?P<name>\S+)[ ]*$'
    r"(?:\n(?P=indent)[ ]{2}(?P<source>\S[^\n]*))?",
    re.M,
)
_PLAIN = {"ArrayImpl": "array", "NoneType": "None"}  # names of types, as users call them
_AND = re.compile(r",? and |, ")
_TRACED = re.compile(r"tracing the function (?P<name>\S+) at (?P<place>\S+:\d+) for (?P<how>\w+)")
_DEPENDS = re.compile(r"depends on the values? of the arguments? (?P<names>[^\n]+?)\.?\s*$", re.M)
# Of a mismatch of two trees inside of Optax: which trees they are, and the cure.
_OPTAX = re.compile(
    r'[\\/]optax[\\/][^"\n]*", line \d+, in (?P<call>apply_updates|update_fn|update)\b'
)
_ROLES = {
    "apply_updates": (
        "The first tree is the parameters, the other the updates.",
        "Give optax.apply_updates the updates that tx.update returned for these parameters: "
        "`updates, opt_state = tx.update(grads, opt_state, params)`.",
    ),
    "update": (
        "The first tree is the gradients, the other the optimizer's state.",
        "Make the state of the parameters that are differentiated: `opt_state = tx.init(params)`; "
        "make it again, or restore it, when the model changes.",
    ),
}
_HEADLINE = re.compile(
    r"^(?:[\w]+\.)*(?P<kind>[A-Z]\w*(?:Error|Exception|Reuse)|Exception): ", re.M
)
_FOREIGN = re.compile(r"[\\/](?:site-packages|dist-packages|lib[\\/]python3[^\\/]*)[\\/]|^<")


@dataclass(frozen=True)
class Meaning:
    """What a traceback says."""

    error: str
    known: Known
    means: str
    fix: str
    argument: str
    function: str
    place: str
    path: str = ""
    line: int = 0
    source: str = ""
    """The line at `place`, as the traceback quotes it."""
    differs: str = ""
    """What the argument was, and what it became."""


def recognise(text: str) -> Meaning | None:
    """The first row of the table that fits the last error of the text, else any of its errors."""
    text = text.replace("\r\n", "\n")
    for part in (_last_error(text), text):
        for known in TABLE:
            if found := known.pattern.search(part):
                return _meaning(text, part, known, found)
    return None


def _last_error(text: str) -> str:
    """From the last line that names an exception: the errors before it led to it."""
    heads = list(_HEADLINE.finditer(text))
    return text[heads[-1].start() :] if heads else text


def _meaning(text: str, part: str, known: Known, found: re.Match[str]) -> Meaning:
    groups = _groups(found)
    depends = _DEPENDS.search(part)
    traced = _TRACED.search(part)
    head = _HEADLINE.search(part)
    frame = _own_frame(text)
    source = frame["source"] or "" if frame else ""
    argument = groups.get("argument", "")
    if depends:
        argument = _culprit(depends["names"], source)
    both = "before" in groups and "after" in groups
    role, cure = _optax_trees(text) if known.names[0] == "tree-map-structure" else ("", "")
    return Meaning(
        error=head["kind"] if head else "",
        known=known,
        means=" ".join(filter(None, (_filled(known.means, groups), role))),
        fix=cure or _filled(known.fix, groups),
        argument=argument,
        function=f"{traced['name']} at {traced['place']} ({traced['how']})" if traced else "",
        place=f"{frame['path']}:{frame['line']} in {frame['name']}" if frame else "",
        path=frame["path"] if frame else "",
        line=int(frame["line"]) if frame else 0,
        source=source,
        differs=f"{groups['before']} goes in, {groups['after']} comes out" if both else "",
    )


def _optax_trees(text: str) -> tuple[str, str]:
    """Which trees Optax compared, and the cure; empty where the error is not Optax's."""
    calls = _OPTAX.findall(text)
    return _ROLES[calls[-1].removesuffix("_fn")] if calls else ("", "")


def _groups(found: re.Match[str]) -> dict[str, str]:
    """`call2` is another place where the pattern can find `call`."""
    groups: dict[str, str] = {}
    for name, value in found.groupdict().items():
        if value is not None:
            groups.setdefault(name.rstrip("23"), _PLAIN.get(value, value))
    return groups


def _filled(template: str, groups: Mapping[str, str]) -> str:
    return template.format_map(defaultdict(lambda: "?", groups))


def _own_frame(text: str) -> re.Match[str] | None:
    """The deepest frame that is not a library's: where the user has to look."""
    frames = [m for m in _FRAME.finditer(text) if not _FOREIGN.search(m["path"])]
    return frames[-1] if frames else None


def _culprit(listed: str, source: str) -> str:
    """The argument to look at first, of those that the value depends on.

    One that the failing line names, by its whole path or by the variable alone, else the first:
    with a tree of parameters JAX lists hundreds.
    """
    names = [name for name in _AND.split(listed) if name]
    line = source.replace('"', "'")
    whole = [name for name in names if "[" in name and name in line]
    roots = [name for name in names if re.search(rf"\b{re.escape(_root(name))}\b", line)]
    best = (whole or roots or names)[0]
    others = len(names) - 1
    if others < 2:
        return listed
    return f"{best} (the value depends on {others} others too)"


def _root(name: str) -> str:
    return re.split(r"[\[.]", name, maxsplit=1)[0]


def as_text(
    meaning: Meaning, *, width: int, colour: bool, linter: Sequence[str] = (), code: str = ""
) -> str:
    """The meaning for a reader; the name is that of the gotcha that fits best, rule or no rule.

    `linter` is what the linter says of the place, and `code` the line there, where its file is at
    hand; else the traceback's own words are shown.
    """
    name = meaning.known.names[0]
    rows = [
        ("means", meaning.means),
        ("argument", meaning.argument),
        ("differs", meaning.differs),
        ("traced", meaning.function),
        ("look at", meaning.place),
        ("line", code.strip() or meaning.source),
        *(("linter", said) for said in linter),
        ("fix", meaning.fix),
        ("more", more(name)),
    ]
    head = ": ".join(word for word in (meaning.error, name) if word)
    lines = [paint(one_line(head), "bold", colour)]
    for label, text in rows:
        if text:
            lines += _row(label, one_line(text), width, colour)
    return "\n".join(lines) + "\n"


def _row(label: str, text: str, width: int, colour: bool) -> list[str]:
    first, *rest = textwrap.wrap(
        text, max(width - 12, 40), break_long_words=False, break_on_hyphens=False
    )
    return [f"  {paint(f'{label:<8}', 'cyan', colour)}  {first}", *(" " * 12 + x for x in rest)]
