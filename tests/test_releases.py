"""What a page says of since and until when: docs/pages/releases.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measuring.programs import Pair
from pages import releases

PAIR = Pair("bad = 1", "good = 1")
FINE = {"error": "", "compiles": 1, "shown": None}
FAILS = FINE | {"error": "TypeError: no"}
OLD = FINE | {"error": "ImportError: cannot import name 'x' from 'jax' (jax/__init__.py)"}
EVERY = ["0.4.30", "0.5.3", "0.6.2", "0.7.2", "0.10.2"]


def told(monkeypatch, outcomes, pair=PAIR):
    """What the page says where each release did this: (bad, good)."""
    runs = {
        release: {"examples": {pair.digest: {"bad": bad, "good": good}}}
        for release, (bad, good) in outcomes.items()
    }
    monkeypatch.setattr(releases, "runs", lambda: runs)
    return releases._example(pair)


def test_the_same_with_all(monkeypatch):
    text = told(monkeypatch, dict.fromkeys(EVERY, (FAILS, FINE)))
    assert text == f"The same with each release that was tried: jax {', '.join(EVERY)}."


def test_since_when(monkeypatch):
    outcomes = dict.fromkeys(EVERY, (FAILS, FINE)) | {"0.4.30": (OLD, OLD), "0.5.3": (FINE, FINE)}
    assert told(monkeypatch, outcomes) == (
        "Shows with jax 0.6.2 to 0.10.2; the good code cannot be run "
        "(`ImportError: cannot import name 'x' from 'jax'`) with 0.4.30; "
        "the bad code does as the good code with 0.5.3."
    )


def test_by_what_the_expression_says(monkeypatch):
    pair = Pair("bad = 1", "good = 1", "x == 1")
    seen, unseen = FINE | {"shown": True}, FINE | {"shown": False}
    outcomes = {"0.9.2": (unseen, unseen), "0.10.2": (seen, unseen), "0.11.2": (FAILS, unseen)}
    assert told(monkeypatch, outcomes, pair) == (
        "Shows with jax 0.10.2; the bad code does as the good code with 0.9.2; "
        "the bad code fails (`TypeError: no`) with 0.11.2."
    )


def test_by_compiles(monkeypatch):
    more = FINE | {"compiles": 9}
    text = told(monkeypatch, {"0.9.2": (FINE, FINE), "0.10.2": (more, FINE)})
    assert text == "Shows with jax 0.10.2; the bad code does as the good code with 0.9.2."


@pytest.mark.parametrize("reference", [(FINE, FINE), (OLD, OLD), (FINE, FINE | {"compiles": 2})])
def test_silent_where_a_plain_run_cannot_tell(monkeypatch, reference):
    assert told(monkeypatch, {"0.9.2": (FAILS, FINE), "0.10.2": reference}) == ""


@given(st.lists(st.booleans(), min_size=5, max_size=5))
def test_stretches_hold_exactly_those(chosen):
    some = [release for release, wanted in zip(EVERY, chosen, strict=True) if wanted]
    found: list[str] = []
    for part in filter(None, releases._spoken(some, EVERY).split(", ")):
        first, _, last = part.partition(" to ")
        found += EVERY[EVERY.index(first) : EVERY.index(last or first) + 1]
    assert found == some


def test_the_committed_runs_are_in_order():
    assert list(releases.runs()) == sorted(
        releases.runs(), key=lambda release: [int(part) for part in release.split(".")]
    )
    assert releases._REFERENCE in releases.runs()
