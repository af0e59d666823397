"""The committed verdicts are about known rules and allow what is on by default."""

from __future__ import annotations

from benchmarks import verdicts
from benchmarks.planted import catalogue
from gotcha_lint.registry import rules

ALL = verdicts.read()


def test_verdicts_name_known_rules_and_say_why():
    for verdict in ALL:
        assert verdict["rule"] in rules()
        assert verdict["why"]
        assert isinstance(verdict["true"], bool)


def test_enough_findings_were_read():
    assert sum(v.get("reader", 1) == 1 for v in ALL) >= 200
    assert sum(v.get("reader") == 2 for v in ALL) >= 60


def test_rules_are_on_by_default_if_they_have_earned_it():
    """By what was read of real code, and by planted faults: one without these waits in preview."""
    rows = verdicts.by_rule(ALL)
    assert [row.rule for row in rows if not row.preview and not row.earned] == []
    ready = [row.rule for row in rows if row.preview and row.earned]
    assert set(ready).isdisjoint(catalogue.rules()), "switch it on"
