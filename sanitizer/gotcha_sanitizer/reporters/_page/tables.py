"""The function table, host reads, degraded features, and where the run was made."""

from __future__ import annotations

import time
from typing import Any

from gotcha_sanitizer.reporters._page.markup import Markup, tag
from gotcha_sanitizer.run.record import Run, stages
from gotcha_sanitizer.values.rows import Inlined, Row, Sums
from gotcha_sanitizer.values.words import place, plural, seconds, short

_MOST = 400
_READS, _CALLERS = 15, 20


def functions(run: Run) -> Markup:
    """Everything that was compiled, most expensive first; the head of a column sorts by it."""
    rows = sorted(run.rows.values(), key=lambda row: -row.total)
    if not rows:
        return Markup("")
    shown = stages(run)
    heads = ("function", "place", "programs", "compiles", "cache hits", *shown, "total", "why")
    names = [
        tag(
            "th",
            head,
            scope="col",
            class_=None if head in ("function", "place", "why") else "number",
        )
        for head in heads
    ]
    inlined = (_inlined(each, len(names) - 3) for each in run.only_inlined[:_MOST])
    left = len(rows) - _MOST
    caption = "Seconds are of all compilations of the function together"
    caption += f"; {plural(left, 'cheaper function')} left out" if left > 0 else ""
    table = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *names)),
        tag("tbody", *(_row(row, shown) for row in rows[:_MOST]), *inlined),
        class_="sortable",
    )
    return tag(
        "section",
        tag("h2", "What it compiled"),
        tag(
            "div", table, class_="card scroll", tabindex="0", role="region", aria_label="Functions"
        ),
        id="functions",
    )


def _row(row: Row, stages: tuple[str, ...]) -> Markup:
    name = f"{row.function} outside of jit" if row.eager else row.function
    return tag(
        "tr",
        tag("th", name, scope="row", class_="mono"),
        tag("td", f"{short(row.path)}:{row.line}", _callers(row), class_="mono"),
        *(_count(value) for value in (row.programs, row.compiles, row.cache_hits)),
        *(_seconds(row.seconds[stage]) for stage in stages),
        _seconds(row.total),
        tag("td", _causes(row)),
    )


def _callers(row: Row) -> Markup:
    """The lines that called it, where there is more than one."""
    if len(row.calls) < 2:
        return Markup("")
    lines = (
        tag(
            "li",
            f"{place(site)}: {plural(sums.programs, 'program')}, {seconds(sums.total)}",
            f"; {_causes(sums)}" if sums.causes else "",
        )
        for site, sums in row.callers[:_CALLERS]
    )
    return tag("details", tag("summary", f"called at {len(row.calls)} lines"), tag("ul", *lines))


def _causes(sums: Sums) -> str:
    return ", ".join(f"{cause} {n}" if n > 1 else cause for cause, n in sums.causes.items())


def _inlined(each: Inlined, numbers: int) -> Markup:
    return tag(
        "tr",
        tag("th", each.name, scope="row", class_="mono"),
        tag("td", f"{short(each.path)}:{each.line}", class_="mono"),
        *(tag("td", "n/a", class_="number", data_value=0) for _ in range(numbers)),
        tag("td", str(each)),
    )


def _count(value: int) -> Markup:
    return tag("td", f"{value:,}", class_="number", data_value=value)


def _seconds(value: float) -> Markup:
    shown = seconds(value) if value else "n/a"
    return tag("td", shown, class_="number", data_value=f"{value:.6f}")


def reads(run: Run) -> Markup:
    """The lines where the host waited for the device."""
    rows = sorted(run.reads.values(), key=lambda read: -read["waited"])
    if not rows:
        return Markup("")
    most = rows[0]["waited"] or 1.0
    heads = (("line", ""), ("how", ""), ("reads", "number"), ("waited", "number"), ("", ""))
    table = tag(
        "table",
        tag("caption", _reads_caption(rows)),
        tag("thead", tag("tr", *(tag("th", h, scope="col", class_=c or None) for h, c in heads))),
        tag("tbody", *(_read(read, most) for read in rows[:_READS])),
    )
    return tag(
        "section",
        tag("h2", "Where the host waited"),
        tag(
            "div", table, class_="card scroll", tabindex="0", role="region", aria_label="Host reads"
        ),
        id="reads",
    )


def _reads_caption(rows: list[dict[str, Any]]) -> str:
    total = sum(read["waited"] for read in rows)
    left = len(rows) - _READS
    more = f"; {plural(left, 'line')} that waited less left out" if left > 0 else ""
    return f"Reads of device arrays on the host blocked it for {seconds(total)} in all{more}"


def _read(read: dict[str, Any], most: float) -> Markup:
    share = 100 * read["waited"] / most
    return tag(
        "tr",
        tag("th", f"{short(read['path'])}:{read['line']}", scope="row", class_="mono"),
        tag("td", read["how"], class_="mono"),
        tag("td", f"{read['count']:,}", class_="number"),
        tag("td", seconds(read["waited"]), class_="number"),
        tag("td", tag("span", class_="bar", style=f"width:{share:.1f}%"), style="width:45%"),
    )


def degraded(run: Run) -> Markup:
    """What could not be seen in this run."""
    if not run.degraded:
        return Markup("")
    rows = (
        tag("tr", tag("th", feature, scope="row"), tag("td", why))
        for feature, why in sorted(run.degraded.items())
    )
    return tag(
        "section",
        tag("h2", "What could not be seen"),
        tag("div", tag("table", tag("tbody", *rows), class_="facts"), class_="card alert"),
        id="degraded",
    )


def environment(run: Run) -> Markup:
    """Versions, the command, the time, the checks that were on."""
    start = run.start
    when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(start.get("time", 0.0)))
    facts = {
        "command": " ".join(start.get("argv", ())) or "not recorded",
        "started": when if start.get("time") else "",
        "jax": start.get("jax", ""),
        "python": start.get("python", ""),
        "platform": start.get("platform", ""),
        "process": start.get("pid", ""),
        "gotcha": start.get("version", ""),
        "checks": ", ".join(start.get("checks", ())),
        "cost of watching": seconds(run.summary["self_seconds"])
        if "self_seconds" in run.summary
        else "",
    }
    rows = (
        tag("tr", tag("th", name, scope="row"), tag("td", value, class_="mono"))
        for name, value in facts.items()
        if value != ""
    )
    return tag(
        "section",
        tag("h2", "Where it ran"),
        tag("div", tag("table", tag("tbody", *rows), class_="facts"), class_="card scroll"),
        id="environment",
    )
