"""Faults planted into the benchmark's hosts: they are there, they parse, and they are judged."""

from __future__ import annotations

import ast

import pytest

from benchmarks import planted_faults
from benchmarks.planted import catalogue, clean, patches, report, symptoms, variants
from benchmarks.planted.linting import judge, lint_all
from benchmarks.planted.plant import MARK, Edit, PlantError, edited
from benchmarks.planted.program import (
    AS_WRITTEN,
    TRAINER,
    Program,
    Span,
    finished,
    hosts,
    planted,
    sources,
)
from benchmarks.planted.running import running
from benchmarks.planted.symptoms import Outcome
from gotcha_lint import registry

RULES = catalogue.rules()


each_rule = pytest.mark.parametrize("rule", RULES)


def test_every_rule_of_high_confidence_has_a_mutator():
    """Another may wait for its own: it has not earned its confidence by planted faults yet."""
    known = registry.rules()
    assert set(RULES) <= known.keys()
    proven = {name for name, rule in known.items() if rule.module and rule.confidence == "high"}
    assert proven <= set(RULES)


@each_rule
def test_faults_have_names_of_their_own_and_known_hosts(rule):
    plants = catalogue.plants(rule)
    titles = [plant.title for plant in plants]
    assert len(titles) == len(set(titles)) >= 3
    assert {plant.host for plant in plants} <= set(hosts())


@each_rule
def test_a_fault_changes_its_host_and_still_parses(rule):
    for plant in catalogue.plants(rule):
        files, spans = finished(planted(plant).files)
        assert files != sources(plant.host)
        assert spans
        for text in files.values():
            ast.parse(text)


@each_rule
def test_variants_change_the_text_and_keep_a_mark(rule):
    plant = catalogue.plants(rule)[0]
    program = planted(plant)
    for name in variants.names():
        other = variants.one(name, program)
        if other is None or plant.host == TRAINER:
            continue
        files, spans = finished(other.files)
        assert other.files != program.files
        assert spans
        for text in files.values():
            ast.parse(text)


def test_no_mark_is_left_for_the_linter_to_see():
    program = planted(catalogue.plants("traced-if")[0])
    files, _ = finished(program.files)
    assert not any(MARK in text for text in files.values())


def test_an_edit_needs_lines_that_are_there_once():
    assert edited("a\nb\nc", Edit("x", ("b",), ("d", "e"))) == "a\nd\ne\nc"
    with pytest.raises(PlantError, match="2 times"):
        edited("a\na", Edit("x", ("a",), ("b",)))
    with pytest.raises(PlantError, match="0 times"):
        edited("aa", Edit("x", ("a",), ("b",)))


def test_a_patch_is_read():
    text = "Why.\n\n=== host: name\nshows: compiles 3\n--- a.py\n@@\n one\n-two\n+three\n\n+\n"
    (plant,) = patches.plants(text)
    assert (plant.host, plant.name, plant.symptom.text) == ("host", "name", "compiles 3 more times")
    assert plant.edits == (Edit("a.py", ("one", "two", ""), ("one", "three", "", "")),)
    with pytest.raises(PlantError, match="no such symptom"):
        patches.plants(text.replace("compiles", "sings"))
    with pytest.raises(PlantError, match="neither"):
        patches.plants(text.replace("-two", "two"))


def test_the_helper_holds_the_faulty_line_and_its_call_too():
    lines = "import numpy as np\n\n\ndef f(x):\n    y = np.sum(x)" + MARK + "\n    return y\n"
    program = Program({"a.py": lines})
    helper = variants.one("helper", program)
    assert helper
    assert "    y = part(x)" + MARK in helper.files["a.py"]
    assert "def part(x):\n    return np.sum(x)" + MARK in helper.files["a.py"]
    elsewhere = variants.one("elsewhere", program)
    assert elsewhere is None  # nothing to import into


def test_found_means_the_name_and_the_function():
    span = Span("host/a.py", 5, 3, 8)
    finding = {"name": "x", "path": "host/a.py", "line": 4, "end_line": 4}
    assert judge("x", [span], [finding])[:2] == (True, False)
    assert judge("x", [span], [finding | {"line": 5, "end_line": 5}])[:2] == (True, True)
    assert judge("x", [span], [finding | {"line": 9, "end_line": 9}]).found is False
    assert judge("y", [span], [finding]) == (False, False, ("x",))


def test_symptoms_are_told_apart():
    good = Outcome({"loss": 1.0}, compiles=4)
    crashed = Outcome(error="TypeError: no")
    cases = [
        (symptoms.raises("TypeError"), crashed, good),
        (symptoms.compiles(2), good._replace(compiles=6), good._replace(compiles=5)),
        (symptoms.differs("loss"), Outcome({"loss": 2.0}), good),
        (symptoms.differs(), Outcome({"loss": float("nan")}), crashed),
        (symptoms.same(), good, Outcome({"loss": 2.0})),
        (symptoms.prints("Tracer"), Outcome(output="a Tracer"), good),
        (symptoms.warns("large"), Outcome(warned=("a large one",)), good),
        (symptoms.pickles(), Outcome(pickled=1), good),
        (symptoms.leaves("*tmp*"), Outcome(left=("a.tmp",)), good),
    ]
    for symptom, shows, quiet in cases:
        assert symptom.seen
        assert symptom.seen(shows, good), symptom.text
        assert not symptom.seen(quiet, good), symptom.text


def test_what_ran_before_is_kept():
    row = report.Row("host", "name", AS_WRITTEN, True, True, (), None, "differs")
    before = {"faults": {"host: name": {"symptom": "differs", "shown": True}}}
    assert report.as_data([row], before)["faults"] == before["faults"]
    assert report.as_data([row], {})["faults"]["host: name"]["shown"] is None
    changed = row._replace(symptom="raises")
    assert report.as_data([changed], before)["faults"]["host: name"]["shown"] is None


def test_a_fault_is_found_and_a_missed_one_is_said(tmp_path):
    programs = [planted(plant) for plant in catalogue.plants("split-discarded")[:2]]
    assert programs[0].plant
    clean_files = {**sources(programs[0].plant.host), "x.py": f"1{MARK}"}
    unplanted = programs[0]._replace(files=clean_files)
    found = [
        verdict.found
        for _, verdict, _ in lint_all("split-discarded", [*programs, unplanted], tmp_path)
    ]
    assert found == [True, True, False]


@pytest.mark.slow
def test_nothing_is_found_in_clean_hosts(tmp_path):
    alarms, _ = clean.check_clean(tmp_path / "clean", None)
    assert sorted(alarms) == report.kept(planted_faults.RESULTS)["clean_hosts"]["findings"]


@pytest.mark.slow
@each_rule
def test_the_committed_table_holds(rule, tmp_path):
    rows = planted_faults.measure(rule, tmp_path, planted_faults.Play(None, False, {}))
    kept = report.kept(planted_faults.RESULTS)["rules"][rule]
    assert report.as_data(rows, kept) == kept


@pytest.mark.slow
def test_a_fault_shows_when_it_is_run(tmp_path):
    plant = next(each for each in catalogue.plants("traced-if") if each.host == "policy")
    with running(tmp_path / "cache") as runner:
        _, good = clean.check_clean(tmp_path / "clean", runner, only=("policy",))
        ((program, _, place),) = lint_all("traced-if", [planted(plant)], tmp_path / "one")
        play = planted_faults.Play(runner, False, good)
        assert play(program, place)[0] is True
