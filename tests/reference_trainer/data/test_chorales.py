"""Scores are read right, and the task shows nothing that a policy could not know in time.

The scores are made here: no music21 is needed.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reference_trainer.config import Data, DataError
from reference_trainer.extras import musicxml
from reference_trainer.extras.chorales import FEATURES, HEADS, PREVIOUS, VOICES, chorales, documents

STEPS = ["C", None, "D", None, "E", "F", None, "G", None, "A", None, "B"]
CONTAINER = (
    '<container><rootfiles><rootfile full-path="score.xml"/></rootfiles></container>'  # as in .mxl
)


def note(pitch: int | None, quarters: float, *, tie: str = "", divisions: int = 4) -> str:
    """A MIDI pitch, or None for a rest."""
    if pitch is None:
        heard = "<rest/>"
    else:
        octave, semitone = divmod(pitch, 12)
        sharp = STEPS[semitone] is None
        alter = "<alter>1</alter>" if sharp else ""
        step = STEPS[semitone - sharp]
        heard = f"<pitch><step>{step}</step>{alter}<octave>{octave - 1}</octave></pitch>"
    tied = f'<tie type="{tie}"/>' if tie else ""
    return f"<note>{heard}<duration>{int(quarters * divisions)}</duration>{tied}</note>"


def attributes(beats: int = 4, beat_type: int = 4, divisions: int = 4) -> str:
    time = f"<time><beats>{beats}</beats><beat-type>{beat_type}</beat-type></time>"
    return f"<attributes><divisions>{divisions}</divisions>{time}</attributes>"


def score(parts: Iterable[Iterable[str]], names: Iterable[str] = VOICES) -> str:
    """Parts of measures."""
    listed = "".join(f"<score-part><part-name>{n}</part-name></score-part>" for n in names)
    bodies = "".join(
        "<part>" + "".join(f"<measure>{measure}</measure>" for measure in part) + "</part>"
        for part in parts
    )
    return f"<score-partwise><part-list>{listed}</part-list>{bodies}</score-partwise>"


def four(*measures: str) -> list[list[str]]:
    """All voices alike."""
    return [list(measures)] * 4


def save(path: Path, text: str) -> Path:
    if path.suffix == ".mxl":
        with zipfile.ZipFile(path, "w") as members:
            members.writestr("META-INF/container.xml", CONTAINER)
            members.writestr("score.xml", text)
    else:
        path.write_text(text)
    return path


def read(folder: Path, parts: Iterable[Iterable[str]]) -> musicxml.Score:
    found = musicxml.read(save(folder / "score.xml", score(parts)), VOICES)
    assert found is not None
    return found


def walk(rng: np.random.Generator, bars: int) -> str:
    """A small piece: every voice steps up and down in quarters and eighths."""
    parts = []
    for start in (67, 62, 57, 48):
        measures = [attributes()]
        for _ in range(bars):
            pitches = start + rng.integers(-4, 5, 5)
            lengths = (1, 0.5, 0.5, 1, 1)
            measures[-1] += "".join(
                note(int(pitch), length) for pitch, length in zip(pitches, lengths, strict=True)
            )
            measures.append("")
        parts.append(measures[:-1])
    return score(parts)


@pytest.fixture
def bach(tmp_path, monkeypatch) -> Path:
    """A folder of scores in a package that must not be imported."""
    package = tmp_path / "site" / "music21"
    folder = package / "corpus" / "bach"
    folder.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('this takes seconds')")
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.delitem(sys.modules, "music21", raising=False)
    return folder


def fill(folder: Path, pieces: int = 30, bars: int = 3) -> None:
    rng = np.random.default_rng(0)
    for number in range(pieces):
        suffix = (".mxl", ".xml")[number % 2]
        save(folder / f"bwv{number}{suffix}", walk(rng, bars))


def test_notes_become_frames(tmp_path):
    """A quarter is four frames; a rest is 0; a tie goes on; the same pitch again is struck."""
    body = note(60, 1) + note(60, 0.25) + note(None, 0.5) + note(61, 0.25, tie="start")
    found = read(tmp_path, four(attributes(2) + body, note(61, 1, tie="stop") + note(72, 1)))
    expected = [60] * 5 + [0, 0] + [61] * 5 + [72] * 4
    assert found.pitch_TV.tolist() == [[pitch] * 4 for pitch in expected]
    assert np.flatnonzero(found.struck_TV[:, 0]).tolist() == [0, 4, 7, 12]
    assert found.beat_T.tolist() == [*range(8), *range(8)]


def test_voices_are_in_order(tmp_path):
    found = read(tmp_path, [[attributes(1) + note(pitch, 1)] for pitch in (72, 65, 55, 48)])
    assert found.pitch_TV.tolist() == [[72, 65, 55, 48]] * 4


def test_upbeats_split_bars_and_new_times(tmp_path):
    """An upbeat of one quarter; 4/4 written as 3 + 1; then 3/4; then a short last bar."""
    found = read(
        tmp_path,
        four(
            attributes() + note(60, 1),
            note(60, 3),
            note(60, 1),
            note(60, 4),
            attributes(3) + note(60, 3),
            note(60, 2),
        ),
    )
    expected = [*range(12, 16), *range(12), *range(12, 16), *range(16), *range(12), *range(8)]
    assert found.beat_T.tolist() == expected


def test_ornaments_gaps_and_divisions(tmp_path):
    grace = "<note><grace/><pitch><step>A</step><octave>5</octave></pitch></note>"
    gap = "<forward><duration>2</duration></forward>"
    finer = attributes(divisions=10080) + note(64, 0.5, divisions=10080)
    found = read(tmp_path, four(attributes(), grace + note(60, 0.5) + gap + finer))
    assert found.pitch_TV[:, 0].tolist() == [60, 60, 0, 0, 64, 64]


def test_times_between_frames_do_not_add_up(tmp_path):
    """Triplets: three notes in two frames, again and again, end where they should."""
    triplets = attributes(divisions=6) + note(60, 0.5 / 3 * 2, divisions=6) * 3 * 12
    found = read(tmp_path, four(triplets))
    assert len(found.beat_T) == 4 * 12
    thirty_seconds = attributes(divisions=8) + (
        note(60, 1 / 8, divisions=8) + note(62, 1 / 8, divisions=8)
    )
    assert read(tmp_path, four(thirty_seconds)).pitch_TV[:, 0].tolist() == [60]


@pytest.mark.parametrize(
    "other",
    [
        score([[attributes() + note(60, 4)]], ["Piano"]),
        score([[attributes() + note(60, 4)]] * 5, [*VOICES, "Continuo"]),
        score([[attributes() + note(60, 4) + "<backup><duration>4</duration></backup>"]] * 4),
        score([[attributes() + note(60, 4).replace("<note>", "<note><chord/>")]] * 4),
        score([[attributes() + note(24, 4)]] * 4),
        score([[attributes() + note(90, 4)]] * 4),
        "<html/>",
    ],
    ids=["one voice", "five", "two at a time", "chords", "too low", "too high", "no score"],
)
def test_other_scores_are_skipped(tmp_path, other):
    assert documents(save(tmp_path / "a.mxl", other), Data()) == []


@pytest.mark.parametrize("text", [b"", b"<score-partwise>", b"PK\x03\x04 but no zip"])
@pytest.mark.parametrize("suffix", musicxml.SUFFIXES)
def test_broken_files_are_named(tmp_path, text, suffix):
    file = tmp_path / f"broken{suffix}"
    file.write_bytes(text)
    with pytest.raises(DataError, match=f"broken{suffix} cannot be read"):
        documents(file, Data())


@given(st.integers(0, 10_000), st.integers(0, 255))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_damage_is_a_clear_error_or_harmless(tmp_path, place, byte):
    file = save(tmp_path / "a.mxl", walk(np.random.default_rng(0), 2))
    text = bytearray(file.read_bytes())
    text[place % len(text)] = byte
    file.write_bytes(text)
    try:
        documents(file, Data())
    except DataError as error:
        assert "a.mxl" in str(error)


def test_observations_by_hand(tmp_path):
    """Soprano now, struck now; four voices before; place in the bar, of which 31 are told apart."""
    bar = attributes(beats=10)
    parts = [[bar + note(pitch, 1) + note(pitch + 2, 9)] for pitch in (72, 65, 55, 48)]
    (row,) = documents(save(tmp_path / "a.mxl", score(parts)), Data())
    assert row.inputs[[0, 1, 4, 5]].tolist() == [
        [37, 1, 0, 0, 0, 0, 1],
        [37, 0, 37, 30, 20, 13, 2],
        [39, 1, 37, 30, 20, 13, 5],
        [39, 0, 39, 32, 22, 15, 6],
    ]
    assert row.inputs[:, -1].tolist() == [*range(1, 31), *[31] * 10]
    assert row.targets[[3, 4]].tolist() == [[30, 20, 13], [32, 22, 15]]


def test_a_corpus_of_rows_within_the_vocabularies(bach):
    fill(bach)
    save(bach / "organ.xml", score([[attributes() + note(60, 4)]], ["Organ"]))
    (bach / "bwv277.krn").write_text("another format")
    found = chorales(Data(source="chorales", held_out=0.3))
    rows = found.train + found.held_out
    assert len(rows) == 30
    assert found.train
    assert found.held_out
    assert (found.unit, found.about["features"], found.about["heads"]) == (
        "voice-frame",
        list(FEATURES),
        list(HEADS),
    )
    for row in rows:
        assert (row.inputs.dtype, row.targets.dtype) == (np.int32, np.int32)
        assert row.inputs.shape == (48, len(FEATURES))
        assert row.targets.shape == (48, len(HEADS))
        assert (row.inputs >= 0).all()
        assert (row.inputs < FEATURES).all()
        assert (row.targets < HEADS).all()
        assert row.inputs[1:, PREVIOUS].tolist() == row.targets[:-1].tolist()


def test_a_piece_stays_on_its_side_when_others_come(bach):
    """And no piece is on both."""
    fill(bach, pieces=20)
    before = chorales(Data(source="chorales", held_out=0.3))
    fill(bach, pieces=40)
    after = chorales(Data(source="chorales", held_out=0.3))
    old, new = ([row.targets.tobytes() for row in c.held_out] for c in (before, after))
    assert set(old) <= set(new)
    assert not {row.targets.tobytes() for row in after.train} & set(new)
    assert before.about["digest"] != after.about["digest"]


def test_a_limit_counts_pieces_on_both_sides(bach):
    fill(bach)
    found = chorales(Data(source="chorales", limit=10, held_out=0.3, length=16))
    assert (len(found.train), len(found.held_out)) == (7 * 3, 3 * 3)
    with pytest.raises(DataError, match="too few chorales"):
        chorales(Data(source="chorales", limit=1))


@given(st.integers(1, 70), st.integers(0, 9))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_delay_moves_observations_and_cuts_lose_nothing(tmp_path, length, delay):
    file = save(tmp_path / "a.xml", walk(np.random.default_rng(1), 3))
    (whole,) = documents(file, Data(length=1000))
    rows = documents(file, Data(length=length, delay=delay))
    assert all(len(row.inputs) == len(row.targets) <= length for row in rows)
    assert np.concatenate([row.targets for row in rows]).tolist() == whole.targets.tolist()
    late = np.concatenate([row.inputs for row in rows])
    assert not late[:delay].any()
    assert late[delay:].tolist() == whole.inputs[: len(late) - delay].tolist()


@given(st.integers(0, 47), st.integers(0, 5), st.integers(0, 3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_nothing_is_seen_too_early(tmp_path, frame, delay, voice):
    """Another note at some frame changes inputs `delay` later, the three voices' one more."""
    body = [[note(60, 0.25) for _ in range(48)] for _ in VOICES]
    inputs = []
    for pitch in (60, 61):
        body[voice][frame] = note(pitch, 0.25)
        file = save(tmp_path / "a.xml", score([[attributes() + "".join(line)] for line in body]))
        inputs.append(documents(file, Data(length=48, delay=delay))[0].inputs)
    changed = np.flatnonzero((inputs[0] != inputs[1]).any(axis=1))
    first = frame + delay + (voice > 0)
    assert changed.tolist() == [t for t in range(first, first + 1 + (voice == 0)) if t < 48]


def test_without_music21_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "music21", None)
    with pytest.raises(DataError, match="pip install music21"):
        chorales(Data(source="chorales"))


def test_music21_without_its_scores(bach):
    with pytest.raises(DataError, match="no scores in"):
        chorales(Data(source="chorales"))
