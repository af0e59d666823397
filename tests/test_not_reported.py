"""The list that a page ends with is made of the prose of a rule."""

from __future__ import annotations

from pages.not_reported import items


def test_sentences_and_parts_become_items() -> None:
    text = """Reads under an `if; x`, of the step before (once. Or
    twice); loops that evaluate: there it is needed. Demos. They are short. `vmap` of it."""
    assert items(text).splitlines() == [
        "- Reads under an `if; x`, of the step before (once. Or twice).",
        "- Loops that evaluate: there it is needed.",
        "- Demos. They are short.",
        "- `vmap` of it.",
    ]


def test_a_list_stays_as_it_is() -> None:
    assert items("- one\n- two") == "- one\n- two"
    assert items("") == ""


def test_long_items_are_wrapped() -> None:
    lines = items("word " * 60).splitlines()
    assert all(len(line) <= 92 for line in lines) and lines[1].startswith("  word")
