"""The committed verdicts are about known rules and allow the confidence that each has."""

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


def test_a_rule_has_high_confidence_if_it_has_earned_it():
    """By what was read of real code, and by planted faults."""
    rows = verdicts.by_rule(ALL)
    assert [row.rule for row in rows if row.high and not row.earned] == []
    ready = [row.rule for row in rows if not row.high and row.earned]
    assert set(ready).isdisjoint(catalogue.rules()), "raise its confidence"
