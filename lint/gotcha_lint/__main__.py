"""`python -m gotcha_lint`."""

from __future__ import annotations

import sys

from gotcha_lint.cli import main

if __name__ == "__main__":
    sys.exit(main())
