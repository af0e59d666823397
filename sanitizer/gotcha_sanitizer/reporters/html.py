"""One page that holds all it needs: to keep, to attach, to open without a network."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from gotcha_sanitizer.reporters._page.findings import findings
from gotcha_sanitizer.reporters._page.markup import Markup, join, tag
from gotcha_sanitizer.reporters._page.memory import memory
from gotcha_sanitizer.reporters._page.tables import degraded, environment, functions, reads
from gotcha_sanitizer.reporters._page.timeline import timeline
from gotcha_sanitizer.run.record import Run, stages
from gotcha_sanitizer.values.rows import STAGES
from gotcha_sanitizer.values.words import plural, seconds, short

_PARTS = {
    "timeline": timeline,
    "findings": findings,
    "functions": functions,
    "reads": reads,
    "memory": memory,
    "degraded": degraded,
    "environment": environment,
}


def render(run: Run, live: bool = False) -> str:
    """The page. All text of the run is escaped; a policy forbids scripts that are not ours.

    `live`: it asks the server that it comes from for what is new.
    """
    sections = {name: part(run) for name, part in _PARTS.items()}
    page = tag(
        "html",
        _head(_title(run), live),
        tag(
            "body",
            tag("header", tag("h1", _title(run)), _unfinished(run), _tiles(run), _links(sections)),
            tag("main", *sections.values()),
            tag("footer", "Made by gotcha-sanitize; this page loads nothing from elsewhere."),
            *(tag("script", _asset(name)) for name in _scripts(live)),
        ),
        lang="en",
    )
    return f"<!doctype html>\n{page}\n"


@cache
def _asset(name: str) -> Markup:
    return Markup((files("gotcha_sanitizer.reporters._page") / name).read_text("utf-8"))


def _scripts(live: bool) -> tuple[str, ...]:
    return ("script.js", "live.js") if live else ("script.js",)


def _digest(name: str) -> str:
    made = hashlib.sha256(_asset(name).encode()).digest()
    return f"'sha256-{base64.b64encode(made).decode()}'"


def _head(title: str, live: bool) -> Markup:
    ours = " ".join(map(_digest, _scripts(live)))
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {ours}"
    policy += "; connect-src 'self'" if live else ""
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", _asset("style.css")),
    )


def _title(run: Run) -> str:
    argv = run.start.get("argv") or ()
    program = short(str(argv[0])) if argv else ""
    return f"{program} under gotcha" if program and program != "-c" else "A run under gotcha"


def _unfinished(run: Run) -> Markup:
    if run.complete:
        return Markup("")
    text = "The record has no end: the process was killed, or is still running."
    return tag("p", text, class_="card alert")


def _tiles(run: Run) -> Markup:
    spent = sum(run.total(stage) for stage in STAGES)
    lost = sum(finding.seconds for finding in run.problems)
    parts = ", ".join(f"{stage} {seconds(run.total(stage))}" for stage in stages(run))
    share = f"{spent / run.last:.0%} of {seconds(run.last)}" if run.last else ""
    hits = run.count("cache_hits")
    tiles = [
        ("findings", f"{len(run.problems):,}", plural(len(run.notes), "note")),
        ("compiles", f"{run.count('compiles'):,}", f"{hits:,} from the cache" if hits else ""),
        ("compiling", seconds(spent), share),
        ("lost to findings", seconds(lost) if lost else "0", ""),
    ]
    if run.reads:
        waited = sum(read["waited"] for read in run.reads.values())
        tiles.append(("host waited", seconds(waited), plural(len(run.reads), "line")))
    boxes = (
        tag("div", tag("dt", name), tag("dd", value, tag("small", more)))
        for name, value, more in tiles
    )
    return join([tag("dl", *boxes, class_="tiles"), tag("p", parts, class_="soft")])


def _links(sections: dict[str, Markup]) -> Markup:
    links = (tag("a", name, href=f"#{name}") for name, section in sections.items() if section)
    return tag("nav", *links, aria_label="Parts of this page")
