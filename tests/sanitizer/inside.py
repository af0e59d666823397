"""Programs that run in this process, under a session of their own (the fixture `running`)."""

from __future__ import annotations

import gotcha_sanitizer as gotcha
from gotcha_sanitizer.old_python import UNSEEN
from gotcha_sanitizer.run.session import Session


def problems(running: Session) -> dict[str, str]:
    """Name/cause -> message; the session is over then."""
    gotcha.stop()
    return {f"{f.name}/{f.cause}": f.message for f in running.run.problems}


def lost(running: Session) -> set[str]:
    """What could not be seen, other than what this Python never shows."""
    return set(running.run.degraded) - UNSEEN.keys()


def mine(running: Session) -> list[dict]:
    """The programs of the user's functions."""
    return [p for p in running.run.programs if p["owner"] == "user" and not p["eager"]]
