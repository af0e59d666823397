"""Makes docs/images/: the linter in a terminal, and the sanitizer's page in a browser.

python docs/pictures.py          needs rich, JAX and Chromium
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
SHOWN = "stale-global,jit-captures-batch"
COLUMNS = 100


def terminal() -> str:
    """Two findings in `examples/flawed` as an SVG that loads nothing from elsewhere."""
    command = ["-m", "gotcha_lint", "--no-cache", "--color", "always"]
    ran = _run([*command, "--select", SHOWN, "examples/flawed"], ROOT)
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(f"$ gotcha-lint --select {SHOWN} examples/flawed", markup=False)
    console.print(Text.from_ansi(ran))
    picture = console.export_svg(title="gotcha-lint")
    alone = re.sub(r"@font-face \{.*?\}\s*|<!--.*?-->", "", picture, flags=re.DOTALL)
    return alone.strip() + "\n"


def page(browser: str) -> bytes:
    """The top of the page about a run of `examples/flawed`, as a PNG."""
    with tempfile.TemporaryDirectory() as name:
        html, png = Path(name) / "run.html", Path(name) / "run.png"
        options = f"html={html}:quiet=1"
        command = ["-m", "gotcha_sanitizer", "flawed/train.py", "--save", f"{name}/x.pkl"]
        _run(command, ROOT / "examples", GOTCHA_OPTIONS=options)
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        quiet = ["--disable-background-networking", "--disable-sync", "--no-first-run"]
        place = [f"--user-data-dir={name}/profile", f"--screenshot={png}"]
        size = ["--window-size=1100,1500", html.as_uri()]
        subprocess.run([browser, *flags, *quiet, *place, *size], check=True, capture_output=True)
        return png.read_bytes()


def _run(args: list[str], folder: Path, **settings: str) -> str:
    paths = os.pathsep.join(str(ROOT / part) for part in ("lint", "sanitizer"))
    env = os.environ | {"PYTHONPATH": paths, "COLUMNS": str(COLUMNS)} | settings
    done = subprocess.run(
        [sys.executable, *args], cwd=folder, env=env, capture_output=True, text=True
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{args}: {done.stderr}")
    return done.stdout


def main() -> int:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise SystemExit("no Chromium: the picture of the page cannot be made")
    (IMAGES / "linter.svg").write_text(terminal(), encoding="utf-8")
    (IMAGES / "page.png").write_bytes(page(browser))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
