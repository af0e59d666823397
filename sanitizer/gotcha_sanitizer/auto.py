"""`import gotcha_sanitizer.auto`: starts the sanitizer, unless `GOTCHA_SANITIZE` is 0 or empty."""

from __future__ import annotations

import os

from gotcha_sanitizer._startup import start

os.environ.setdefault("GOTCHA_SANITIZE", "1")
start()
