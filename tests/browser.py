"""Headless Chromium, where somebody has it: no package of Python brings it, so we install none."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium is in the path: `apt-get install chromium`, or another way"
)


HEADLESS = (
    *(BROWSER or "", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
    "--disable-background-networking",
)


def dom(url: str, folder: Path, *options: str) -> str:
    """The page as it is after its scripts ran; `folder` is the browser's own."""
    command = [*HEADLESS, f"--user-data-dir={folder / 'profile'}", *options]
    done = subprocess.run(
        [*command, "--dump-dom", url],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"HOME": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
