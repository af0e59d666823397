"""`python -m gotcha_lint`."""

from __future__ import annotations

from gotcha_lint.cli import run_and_leave

if __name__ == "__main__":
    run_and_leave()
