"""Runs in other tools' formats, read back by the tools' own libraries where they are here."""

from __future__ import annotations

import gzip
import json
import struct
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gotcha_sanitizer.exporters import load, names
from gotcha_sanitizer.run.record import fold
from tests.sanitizer import records

RUN = fold(records.storm())


def test_every_exporter_has_an_extra():
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    extras = text.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    assert [name for name in names() if not load(name).EXTRA] == ["metrics", "trace"]
    for name in set(names()) - {"metrics", "trace"}:  # these need Python alone
        assert f"\n{load(name).EXTRA} = [" in extras


def test_prometheus(tmp_path: Path):
    parser = pytest.importorskip("prometheus_client.parser")
    load("prometheus").write(RUN, tmp_path / "run.prom")
    text = (tmp_path / "run.prom").read_text("utf-8")
    samples = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in parser.text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert samples["gotcha_compiles", "", "src/train.py", "step"] == 3
    assert samples["gotcha_compile_seconds", "", "compile", "src/train.py", "step"] == 24.0
    assert samples["gotcha_findings", "recompile", "warning"] == 1
    assert samples["gotcha_lost_seconds", "recompile"] == 20.0
    assert samples["gotcha_host_wait_seconds", "43", "__float__", "src/train.py"] == 2.6
    assert samples["gotcha_live_bytes",] == 19 * 2**20
    assert samples["gotcha_run_complete",] == 1


def test_metrics(tmp_path: Path):
    """What a tracker logs: names and numbers, and nothing else."""
    load("metrics").write(RUN, tmp_path / "run.json")
    numbers = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert all(type(value) in (int, float) for value in numbers.values())
    assert numbers["gotcha/compiles"] == RUN.count("compiles")
    assert numbers["gotcha/compiles/step"] == 3
    assert numbers["gotcha/compile_seconds"] >= 24.0
    assert numbers["gotcha/findings/recompile"] == 1
    assert numbers["gotcha/lost_seconds"] >= 20.0
    assert numbers["gotcha/live_bytes"] == 19 * 2**20


def test_trace(tmp_path: Path):
    """Complete events lie inside of each other or apart, as the format wants it in one row."""
    load("trace").write(RUN, tmp_path / "run.trace.json.gz")
    data = json.loads(gzip.decompress((tmp_path / "run.trace.json.gz").read_bytes()))
    events = data["traceEvents"]
    whole = [each for each in events if each["ph"] == "X" and "args" in each]
    stages = [each for each in events if each["ph"] == "X" and "args" not in each]
    assert [each["name"] for each in whole].count("step") == 3
    assert sum(each["dur"] for each in whole) == pytest.approx(sum(e["dur"] for e in stages))
    assert {each["name"] for each in stages} == {"trace", "lower", "compile"}
    for row in {each["tid"] for each in whole}:
        spans = sorted((e["ts"], e["ts"] + e["dur"]) for e in whole if e["tid"] == row)
        assert all(end <= start + 1 for (_, end), (start, _) in pairwise(spans))
    assert {each["name"] for each in events if each["ph"] == "i"} == {
        found.name for found in RUN.problems
    }
    assert max(e["args"]["live arrays"] for e in events if e["ph"] == "C") == 19 * 2**20
    load("trace").write(RUN, tmp_path / "run.json")
    assert json.loads((tmp_path / "run.json").read_text("utf-8")) == data


def test_compiles_of_two_threads_have_two_rows(tmp_path: Path):
    run = fold(records.ended([records.start(), *(records.program(n, 20.0) for n in (1, 2))]))
    load("trace").write(run, tmp_path / "run.json")
    events = json.loads((tmp_path / "run.json").read_text("utf-8"))["traceEvents"]
    rows = [each["tid"] for each in events if each["ph"] == "X" and "args" in each]
    assert sorted(rows) == [1, 2]


def test_tensorboard(tmp_path: Path):
    pytest.importorskip("tensorboardX")
    from tensorboardX.proto.event_pb2 import Event  # pyright: ignore

    load("tensorboard").write(RUN, tmp_path / "logs")
    (file,) = (tmp_path / "logs").glob("events*")
    data, events = file.read_bytes(), []
    while data:  # length, its checksum, an event, its checksum
        (length,) = struct.unpack("<Q", data[:8])
        events.append(Event.FromString(data[12 : 12 + length]))
        data = data[16 + length :]
    values = [(v.tag, v.simple_value, e) for e in events for v in e.summary.value]
    compiles = [(value, e.step) for tag, value, e in values if tag == "gotcha/compiles"]
    assert compiles == [(1, 10), (2, 20), (3, 30), (4, 31)]
    assert all(e.wall_time >= RUN.start["time"] for _, _, e in values)
    assert any("findings" in tag for tag, _, _ in values)


def test_opentelemetry(tmp_path: Path):
    pytest.importorskip("opentelemetry.sdk")
    load("opentelemetry").write(RUN, tmp_path / "spans.jsonl")
    lines = (tmp_path / "spans.jsonl").read_text("utf-8").splitlines()
    spans: list[dict[str, Any]] = [json.loads(line) for line in lines]
    whole = next(span for span in spans if span["name"] == "run")
    steps = [span for span in spans if span["name"] == "compile step"]
    assert len(steps) == 3 and all(s["parent_id"] == whole["context"]["span_id"] for s in steps)
    assert steps[0]["attributes"]["code.line.number"] == 41
    stages = [s for s in spans if s["parent_id"] == steps[0]["context"]["span_id"]]
    assert [span["name"] for span in stages] == ["trace", "lower", "compile"]
    assert {event["name"] for event in whole["events"]} >= {"recompile"}


def test_the_command(cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    records.write(tmp_path / "run.jsonl", records.storm())
    monkeypatch.setitem(sys.modules, "prometheus_client", None)  # it cannot be imported
    code, _, err = cli("export", "run.jsonl", "--to", "prometheus", "-o", "run.prom")
    assert code == 2 and "pip install '.[prometheus]' in a checkout" in err
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("prometheus_client")
    assert cli("export", "run.jsonl", "--to", "prometheus", "-o", "run.prom")[0] == 0
    assert (tmp_path / "run.prom").exists()
