"""The site: it builds without a warning, no link is broken, and a browser shows and searches it."""

from __future__ import annotations

import fcntl
import functools
import http.server
import importlib.util
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from pages.catalogue import gotchas
from pages.symptoms import symptoms

from tests.browser import dom, needs_browser

ROOT = Path(__file__).parents[1]
SITE = ROOT / "site"
OWN = ROOT / ".venv-docs" / "bin" / "python"  # `make site`
HERE = sys.executable if importlib.util.find_spec("zensical") else ""
BUILDER = str(OWN) if OWN.exists() else HERE
# What a page gets besides, by its query: it looks, and `shows` what it found. The image keeps the
# page from being complete, and so from being dumped, until then.
SCRIPTS = {
    "loads": """
const loads = () => performance.getEntriesByType("resource").map((each) => each.name);
setTimeout(() => shows(loads()), 3000);""",
    "filter": """
const rows = () => [...document.querySelectorAll("article tbody tr")].filter((row) => !row.hidden);
const wait = (look, then) => look() ? then(look()) : setTimeout(wait, 50, look, then);
wait(() => document.querySelector(".gotcha-filter"), (form) => {
  const all = rows().length;
  const choose = (name, value) => {
    form.elements[name].value = value;
    form.dispatchEvent(new Event("input", { bubbles: true }));
    return rows().map((row) => row.cells[0].textContent.trim()).join(",");
  };
  const seen = [all];
  seen.push(choose("symptom", "The loss is NaN"));
  seen.push(choose("tool", "has a fix"), choose("symptom", ""), choose("tool", ""));
  seen.push(choose("library", "Orbax"), choose("library", ""), choose("words", "dropout"));
  shows([...seen, location.hash]);
});""",
    "search": """
const wait = (look, then) => {
  const found = look();
  found ? then(found) : setTimeout(wait, 50, look, then);
};
const inside = (name) => [...document.querySelectorAll("*")]
  .flatMap((each) => each.shadowRoot ? [...each.shadowRoot.querySelectorAll(name)] : []);
wait(() => inside("input")[0] || document.querySelector(".md-search__button").click(), (input) => {
  input.value = "gradient is NaN";
  input.dispatchEvent(new Event("input", { bubbles: true }));
  wait(() => inside("a").length, () => shows(inside("a").map((link) => link.href)));
});""",
}
BESIDES = """<img src="/until-shown" alt=""><script>
const shows = (words) => {
  document.body.dataset.shown = words.join(" ");
  fetch("/shown");
};
%s
</script></body>"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not BUILDER, reason="Zensical is not installed: `make site` installs it"),
]


class Page(HTMLParser):
    """What a page points at, what it loads, and what can be pointed at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name == "href" and tag == "a":
                self.links.append(value or "")
            elif name in ("href", "src", "data", "poster"):
                self.loads.append(value or "")


def build() -> None:
    sources = os.pathsep.join(str(ROOT / part) for part in ("lint", "sanitizer"))
    done = subprocess.run(
        [BUILDER, str(ROOT / "docs" / "build_site.py")],
        env=os.environ | {"PYTHONPATH": sources},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    """The built site, by address. Of the workers of xdist one builds it, and the others wait."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # of all the workers of this run
    with (folder / "site-is-built").open("a+") as mark:
        fcntl.flock(mark, fcntl.LOCK_EX)
        if not os.fstat(mark.fileno()).st_size:
            build()
            mark.write("yes")
    files = [file for file in SITE.rglob("*.html") if file.name != "404.html"]
    return {
        f"/{file.relative_to(SITE).as_posix().removesuffix('index.html')}": Page(
            file.read_text("utf-8")
        )
        for file in files
    }


def test_every_page_is_in_the_site_and_in_its_navigation(pages: dict[str, Page]):
    sources = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "gotchas").glob("*.md")]
    relative = [file.relative_to(ROOT / "docs").with_suffix("").as_posix() for file in sources]
    wanted = {"/" + re.sub(r"(^|/)(index|README)$", "", name) for name in relative}
    wanted = {name if name == "/" else f"{name}/" for name in wanted}
    assert wanted == set(pages)
    listed = {urlsplit(urljoin("/gotchas/", link)).path for link in pages["/gotchas/"].links}
    assert wanted <= listed


def test_no_link_is_broken(pages: dict[str, Page]):
    broken = []
    for at, page in pages.items():
        for link in (*page.links, *page.loads):
            target = urlsplit(urljoin(f"http://site{at}", link))
            if target.netloc != "site":
                continue
            there = pages.get(target.path)
            if there is None and not (SITE / unquote(target.path).strip("/")).is_file():
                broken.append(f"{at}: {link}")
            elif there and target.fragment and unquote(target.fragment) not in there.anchors:
                broken.append(f"{at}: {link} (no such heading)")
    assert not broken


def test_nothing_is_loaded_from_another_host(pages: dict[str, Page]):
    foreign = [load for page in pages.values() for load in page.loads if urlsplit(load).netloc]
    styles = "".join(file.read_text("utf-8") for file in SITE.rglob("*.css"))
    assert not foreign
    assert not re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)]*", styles)


class Server(http.server.SimpleHTTPRequestHandler):
    """The site; with a query, a page has the script of that name."""

    shown = threading.Event()

    def do_GET(self) -> None:
        page, _, name = self.path.partition("?")
        if page == "/until-shown":
            self.shown.wait(60)
            self._answer(b"")
        elif page == "/shown":
            self.shown.set()
            self._answer(b"")
        elif name in SCRIPTS:
            self.shown.clear()
            text = (SITE / page.strip("/") / "index.html").read_text("utf-8")
            self._answer(text.replace("</body>", BESIDES % SCRIPTS[name]).encode())
        else:
            super().do_GET()

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(pages: dict[str, Page]) -> Iterator[str]:
    handler = functools.partial(Server, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def browse(url: str, folder: Path) -> tuple[str, list[str]]:
    """The page as it is after its scripts ran, and what our own script found."""
    text = dom(url, folder, "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1")
    shown = re.search(r'data-shown="([^"]*)"', text)
    assert shown, "our script did not come to its end"
    return text, shown[1].split()


@needs_browser
@pytest.mark.parametrize(
    ("path", "says"),
    [("/", "start from the symptom"), ("/gotchas/where-nan-gradient/", "What happens")],
)
def test_a_browser_shows_it(path: str, says: str, address: str, tmp_path: Path):
    text, loaded = browse(f"{address}{path}?loads", tmp_path)
    assert says in text
    assert '<html lang="en" class="js' in text, "its own scripts did not run"
    assert any(name.endswith(".js") for name in loaded)
    assert {urlsplit(name).netloc for name in loaded} == {urlsplit(address).netloc}


@needs_browser
def test_the_search_finds_a_gotcha(address: str, tmp_path: Path):
    _, found = browse(f"{address}/?search", tmp_path)
    assert any(urlsplit(link).path == "/gotchas/where-nan-gradient/" for link in found), found


@needs_browser
def test_the_index_is_filtered(address: str, tmp_path: Path):
    _, seen = browse(f"{address}/gotchas/?filter", tmp_path)
    every, nan, _, fixable, again, orbax, all_of_them, dropout, kept = seen
    names = again.split(",")
    assert int(every) == len(names) == len(gotchas())
    assert nan.split(",") == sorted(symptoms()["The loss is NaN"], key=names.index)
    assert "discarded-update" in fixable.split(",") and "where-nan-gradient" not in fixable
    assert "orbax-existing-dir" in orbax.split(",") and "traced-if" not in orbax.split(",")
    assert all_of_them == again
    assert 0 < len(dropout.split(",")) < 10
    assert kept == "#?words=dropout"


@needs_browser
def test_choices_are_part_of_the_address(address: str, tmp_path: Path):
    query = "symptom=The+loss+is+NaN&family=gradients"
    text, _ = browse(f"{address}/gotchas/?loads#?{query}", tmp_path)
    found = re.search(r"<output>(\d+) of \d+</output>", text)
    assert found and 0 < int(found[1]) < len(symptoms()["The loss is NaN"])
