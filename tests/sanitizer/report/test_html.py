"""The page: whole, safe whatever the names, small after a storm; and looked at by a browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from gotcha_sanitizer.reporters import html
from gotcha_sanitizer.reporters._page.axis import sizes, ticks, times
from gotcha_sanitizer.reporters._page.markup import prose, tag
from gotcha_sanitizer.reporters._page.timeline import cut
from gotcha_sanitizer.run.record import fold
from gotcha_sanitizer.values.parts import Site
from tests.browser import dom, needs_browser
from tests.sanitizer import records

NASTY = (
    '</script><script>document.title="taken"</script>',
    '<img src=x onerror="document.title=1">',
    "\"quoted' & <b>",
    "\u202eturned\u202c \u6f22\u5b57 \x00\x1b[31m",
    "\udcff no UTF-8",
    "a" * 400,
)


class Page(HTMLParser):
    """What a browser makes of the tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_data(self, data: str) -> None:
        if self._inside not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def count(self, name: str) -> int:
        return sum(tag == name for tag, _ in self.tags)


def page(events: list[records.Json]) -> Page:
    return Page(html.render(fold(events)))


def hostile(programs: int = 60) -> list[records.Json]:
    """Every text of a run is as bad as can be."""
    events = [records.start(argv=[NASTY[0]], platform=NASTY[1], jax=NASTY[2])]
    for n in range(programs):
        name = NASTY[n % len(NASTY)] if n % 10 == 0 else f"step_{n % 50}"
        events.append(
            records.program(
                n, n * 0.1, function=name, defined=[name, n % 9], shapes=name, why=[name]
            )
        )
    for n, text in enumerate(NASTY):
        events.append(
            records.finding(
                message=f"`{text}` {text}",
                site=Site(text, 3, text),
                advice=text,
                function=text,
                seconds=float(n),
                chain=((Site(text, 4), text),),
                evidence={"differences": [f"{text}: {text} -> {text}"]},
            )
        )
    events.append({"event": "reads", "at": 9.0, "rows": [{**records.READ, "path": NASTY[0]}]})
    events.append({"event": "degraded", "feature": NASTY[0], "why": NASTY[1]})
    return events


def test_says_what_the_record_holds():
    shown = page(records.storm())
    assert shown.count("svg") >= 3
    for part in (
        "train.py under gotcha",
        "recompile (shape)",
        "step was compiled 2 more times",
        "float32[8,2]",
        "pad to a few fixed sizes",
        "Python 3.12 and later only",
        "blocked it for 2.6 s",
        "1 note",
        "19 MiB at most",
    ):
        assert part in shown.text, part
    assert "has no end" not in shown.text


def test_text_of_the_run_never_becomes_markup():
    shown = page(hostile())
    assert shown.count("script") == 1
    assert shown.count("img") == 0 and shown.count("b") == 0
    assert not [
        name for _, attributes in shown.tags for name in attributes if name.startswith("on")
    ]
    assert NASTY[1] in shown.text


def test_output_is_utf_8_without_moving_characters():
    text = html.render(fold(hostile()))
    assert not re.search("[\x00\x1b\u202e\ud800-\udfff]", text)
    text.encode("utf-8")


def test_loads_nothing_and_allows_one_script():
    shown = page(hostile())
    for _, attributes in shown.tags:
        assert "src" not in attributes
        assert re.match(r"#|https://github\.com/", attributes.get("href") or "#")
    policy = next(a["content"] for t, a in shown.tags if t == "meta" and "http-equiv" in a)
    assert policy and "default-src 'none'" in policy
    assert "url(" not in html.render(fold([]))


def test_a_storm_stays_small():
    text = html.render(fold(hostile(10_000)))
    assert len(text) < 3_000_000
    assert text.count("<rect") < 14 * 300 + 10


def test_tables_can_be_read_out():
    shown = page(records.storm())
    heads = [attributes.get("scope") for tag, attributes in shown.tags if tag == "th"]
    assert heads and all(heads)
    for name, attributes in shown.tags:
        if name == "svg":
            assert attributes.get("aria-hidden") == "true" or attributes.get("aria-label")


def test_source_is_shown_unless_redacted(tmp_path: Path):
    program = tmp_path / "train.py"
    program.write_text("first = 1\nsecret = 2\nthird = 3\n")
    found = records.finding(site=Site(str(program), 2, "main"))
    assert "secret = 2" in page([records.start(), found]).text
    assert "secret" not in page([records.start(redact=True), found]).text


def test_a_record_without_an_end_says_so():
    assert "has no end" in page(records.storm()[:-1]).text


def test_an_empty_run_is_a_page():
    shown = page([])
    assert "None: nothing" in shown.text
    assert shown.count("svg") == 0


def test_markup_is_escaped_by_construction():
    assert tag("p", "<i>", tag("b", "x"), title='"') == '<p title="&quot;">&lt;i&gt;<b>x</b></p>'
    assert prose("a `<b>` c") == "a <code>&lt;b&gt;</code> c"
    assert prose("one ` only") == "one ` only"


def test_axes_have_round_numbers():
    assert ticks(10, 5) == [0, 2, 4, 6, 8, 10]
    assert times(848, 10) == [0, 120, 240, 360, 480, 600, 720, 840]
    assert sizes(3.5 * 2**30, 4) == [0, 2**30, 2 * 2**30, 3 * 2**30]
    assert ticks(0, 5) == [0.0]


@pytest.mark.slow
@needs_browser
def test_a_browser_runs_our_script_and_no_other(tmp_path: Path):
    file = tmp_path / "run.html"
    file.write_text(html.render(fold(hostile(2000))), "utf-8")
    shown = Page(dom(file.as_uri(), tmp_path))
    assert shown.count("button") == 10  # a head of the table each
    assert shown.count("script") == 1
    title = shown.text[:200]
    assert "taken" in title and "under gotcha" in title  # the name, not what it would have done


NARROW = """<iframe src="run.html" width="420" height="900" style="border: 0" onload="
const page = this.contentDocument.documentElement;
document.title = page.scrollWidth + ' of ' + page.clientWidth"></iframe>"""


@pytest.mark.slow
@needs_browser
def test_a_telephone_shows_the_page_without_scrolling_sideways(tmp_path: Path):
    name = "a_function_with_a_name_that_is_longer_than_a_telephone_is_wide"
    found = records.finding(message=f"`{name}` was compiled 9 more times")
    rows = [records.program(n, n, function=name) for n in range(1, 9)]
    (tmp_path / "run.html").write_text(html.render(fold([records.start(), *rows, found])), "utf-8")
    frame = tmp_path / "frame.html"
    frame.write_text(NARROW, "utf-8")
    shown = dom(
        frame.as_uri(), tmp_path, "--allow-file-access-from-files", "--virtual-time-budget=5000"
    )
    wide = re.search(r"<title>(\d+) of (\d+)</title>", shown)
    assert wide and int(wide[1]) <= int(wide[2]) <= 420


@pytest.mark.slow
@needs_browser
def test_a_click_sorts_a_table(tmp_path: Path):
    names = [
        records.program(n, 1.0, function=f"f{n}", defined=[f"{n}.py", 1], seconds={"compile": took})
        for n, took in enumerate((3.0, 1.0, 2.0))
    ]
    text = html.render(fold([records.start(), *names]))
    text = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    click = "document.querySelectorAll('table.sortable th button')[8].click();"
    file = tmp_path / "run.html"
    for clicks, order in ((1, "f0 f2 f1"), (2, "f1 f2 f0")):
        file.write_text(text.replace("</body>", f"<script>{click * clicks}</script></body>"))
        table = re.search(
            r'<table class="sortable">.*?</table>', dom(file.as_uri(), tmp_path), re.DOTALL
        )
        assert table
        assert " ".join(re.findall(r">(f\d)<", table[0])) == order


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("step (src/train.py:8)", "step (src/train.py:8)"),
        ("train_step (.../cases/runtime/two_problems.py:8)", "train_step (two_problems.py:8)"),
        ("Trainer.fit.<lambda>.gradients (train.py:61)", "….<lambda>.gradients (train.py:61)"),
    ],
)
def test_a_lane_keeps_the_name_of_its_function_and_the_line(name: str, shown: str):
    assert cut(name) == shown
