"""The frozen findings: what differs is said, what is not at hand is kept, equal is equal bytes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import same
from benchmarks.frozen import programs, record
from benchmarks.frozen.record import Record, Row, Scope, Source

ROW = Row("planted", "host", "train.py", "key-reuse", "warning", "abc", None, 3)
ALSO = Row("also", "brax", "run.ipynb", "jit-in-loop", "warning", "def", 2, 7)
EVERY = Scope(frozenset({"planted"}), frozenset({Source("also", "brax")}))


def compared(old: tuple[Row, ...], new: tuple[Row, ...]) -> tuple[tuple[Row, ...], ...]:
    difference = record.compare(Record(old), Record(new), EVERY)
    return difference.appeared, difference.disappeared


def test_a_moved_line_is_the_same_finding() -> None:
    assert compared((ROW,), (ROW._replace(line=30),)) == ((), ())


def test_a_finding_without_an_identity_is_known_by_its_line() -> None:
    first = ROW._replace(id="", rule="syntax-error")
    assert compared((first,), (first,)) == ((), ())
    moved = first._replace(line=4)
    assert compared((first,), (moved,)) == ((moved,), (first,))


@pytest.mark.parametrize("other", [{"severity": "error"}, {"rule": "stale-global"}, {"id": "x"}])
def test_another_severity_rule_or_statement_differs(other: dict[str, str]) -> None:
    changed = ROW._replace(**other)
    assert compared((ROW,), (changed,)) == ((changed,), (ROW,))


def test_equal_findings_are_counted() -> None:
    again = ROW._replace(line=9)
    assert compared((ROW,), (ROW, again)) == ((again,), ())
    assert compared((ROW, again), (ROW,)) == ((), (again,))


def test_what_was_not_linted_is_neither_compared_nor_lost() -> None:
    scope = Scope(frozenset({"planted"}), frozenset())
    old = Record((ROW, ALSO), {Source("also", "brax"): "one"})
    new = Record()
    assert record.compare(old, new, scope) == record.Difference((), (ROW,))
    assert record.merged(old, new, scope) == Record((ALSO,), old.sources)


def test_the_report_counts_by_rule_and_names_places() -> None:
    other = ROW._replace(line=5, id="new")
    text = record.report(record.Difference((other, ALSO), (ROW,)))
    assert text.splitlines() == [
        "jit-in-loop: +1 -0",
        "  + also/brax/run.ipynb:cell 2:7 (warning)",
        "key-reuse: +1 -1",
        "  - planted/host/train.py:3 (warning)",
        "  + planted/host/train.py:5 (warning)",
    ]


def test_equal_records_are_equal_bytes() -> None:
    one = Record((ROW, ALSO), {Source("also", "brax"): "one", Source("also", "a"): "two"})
    two = Record((ALSO, ROW), dict(reversed(list(one.sources.items()))))
    assert record.pack(one) == record.pack(two)
    assert record.unpack(record.pack(one)) == Record((ALSO, ROW), one.sources)


@pytest.mark.parametrize("data", [b"no gzip", record.pack(Record())[:-9]])
def test_what_is_no_record_is_said(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "findings.jsonl.gz"
    file.write_bytes(data)
    with pytest.raises(record.RecordError, match=r"findings\.jsonl\.gz: no record of findings"):
        record.read(file)


def test_other_sources_are_named() -> None:
    source = Source("also", "brax")
    old, new = Record((), {source: "one"}), Record((), {source: "two"})
    assert record.other_sources(old, new) == [source]
    assert record.other_sources(old, old) == []


def test_the_sources_of_a_folder_have_a_digest(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("x = 1\n", "utf-8")
    before = programs.digest(tmp_path)
    (tmp_path / "notes.txt").write_text("not read", "utf-8")
    assert programs.digest(tmp_path) == before
    (tmp_path / "one.py").rename(tmp_path / "two.py")
    assert programs.digest(tmp_path) != before


REUSE = """\
import jax

key = jax.random.key(0)
x = jax.random.normal(key, (8,))
y = jax.random.normal(key, (8,))
"""


def test_a_folder_is_frozen_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, kept = tmp_path / "project", tmp_path / "findings.jsonl.gz"
    folder.mkdir()
    (folder / "draw.py").write_text(REUSE, "utf-8")
    command = ["same", "--set", "also", "--also", f"mine={folder}", "--record", str(kept)]

    def ends(*more: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", [*command, *more, "--jobs", "1"])
        return same.main(), capsys.readouterr().out

    assert ends("--update")[0] == 0
    assert [row.rule for row in record.read(kept).rows] == ["key-reuse"]
    code, text = ends()
    assert code == 0
    assert "0 appeared, 0 disappeared" in text
    (folder / "draw.py").write_text("import jax\n", "utf-8")
    code, text = ends()
    assert code == 1
    assert "  - also/mine/draw.py:5 (" in text
    assert "also/mine: other sources than those of the record" in text


def test_the_committed_record_can_be_read() -> None:
    rows = record.read(same.RECORD).rows
    assert set(programs.OWN) - {"quiet", "ours"} <= {row.set for row in rows}
    assert not [row for row in rows if row.set in ("quiet", "ours")]
