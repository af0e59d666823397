"""Read a score of single lines from MusicXML into frames, with the standard library alone.

A frame is a sixteenth note, sampled when it begins: a shorter note between two frames is lost.
Repeats are read once, as written; ornaments without a length of their own are left out.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

SUFFIXES = (".mxl", ".musicxml", ".xml")
SEMITONES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
FRAMES_IN_WHOLE = 16
FRAMES_IN_QUARTER = 4


class ScoreError(ValueError):
    """A file that cannot be read as MusicXML."""


class Score(NamedTuple):
    """A piece. T frames, V voices."""

    pitch_TV: np.ndarray  # int32, as in MIDI: 60 is the middle C; 0 for a rest
    struck_TV: np.ndarray  # int32: 1 in the first frame of a note, 0 while it is held on
    beat_T: np.ndarray  # int32: frames since the bar began


class _Note(NamedTuple):
    begin: float  # in frames since the piece began
    end: float
    pitch: int
    struck: bool  # false for a note tied to the one before


class _Measure(NamedTuple):
    begin: float
    end: float
    bar: float  # the length that the time signature asks for


def read(file: Path, voices: Sequence[str]) -> Score | None:
    """The piece, or None if it has other voices, or several notes at a time in one; ScoreError."""
    try:
        root = ElementTree.fromstring(_text(file))
        names = [part.findtext("part-name", "").strip() for part in root.iter("score-part")]
        single = root.find(".//backup") is None and root.find(".//chord") is None
        if names != list(voices) or not single:
            return None
        return _sampled([_line(part) for part in root.iterfind("part")])
    except Exception as error:  # a damaged zip or XML raises one of a dozen kinds
        kind = type(error).__name__
        raise ScoreError(f"{file} cannot be read as MusicXML: {kind}: {error}") from error


def _text(file: Path) -> bytes:
    """The score in the file; of a .mxl, which is a zip, the member that its container names."""
    if file.suffix != ".mxl":
        return file.read_bytes()
    with zipfile.ZipFile(file) as members:
        container = ElementTree.fromstring(members.read("META-INF/container.xml"))
        paths = [entry.attrib["full-path"] for entry in container.iterfind(".//{*}rootfile")]
        return members.read(paths[0])


def _sampled(lines: list[tuple[list[_Note], list[_Measure]]]) -> Score:
    beat_T = _beats(lines[0][1])
    pitch_TV = np.zeros((len(beat_T), len(lines)), np.int32)
    struck_TV = np.zeros_like(pitch_TV)
    for voice, (notes, _) in enumerate(lines):
        for note in notes:
            frames = slice(_frame(note.begin), _frame(note.end))
            pitch_TV[frames, voice] = note.pitch
            struck_TV[frames, voice][:1] = note.struck
    return Score(pitch_TV, struck_TV, beat_T)


def _line(part: Element) -> tuple[list[_Note], list[_Measure]]:
    """One voice: its notes, and the measures they stand in."""
    notes: list[_Note] = []
    measures: list[_Measure] = []
    now, divisions, bar = 0.0, 1.0, float(FRAMES_IN_WHOLE)
    for measure in part.iterfind("measure"):
        begin = now
        for item in measure:
            if item.tag == "attributes":
                divisions = float(item.findtext("divisions", divisions))
                bar = _bar(item.find("time"), bar)
            elif item.tag in ("note", "forward") and item.find("grace") is None:
                start, now = now, now + FRAMES_IN_QUARTER * _duration(item) / divisions
                pitch = item.find("pitch")
                if pitch is not None:
                    notes.append(_Note(start, now, _midi(pitch), _struck(item)))
        measures.append(_Measure(begin, now, bar))
    return notes, measures


def _bar(time: Element | None, before: float) -> float:
    if time is None:
        return before
    return FRAMES_IN_WHOLE * int(time.findtext("beats", "")) / int(time.findtext("beat-type", ""))


def _duration(note: Element) -> float:
    return float(note.findtext("duration", ""))


def _midi(pitch: Element) -> int:
    octave = int(pitch.findtext("octave", ""))
    alter = int(float(pitch.findtext("alter", "0")))
    return 12 * (octave + 1) + SEMITONES[pitch.findtext("step", "")] + alter


def _struck(note: Element) -> bool:
    return all(tie.get("type") != "stop" for tie in note.iterfind("tie"))


def _beats(measures: list[_Measure]) -> np.ndarray:
    """The place of each frame in its bar; a bar may be written as several short measures."""
    beat_T = np.zeros(_frame(measures[-1].end), np.int32)
    place = 0.0
    for begin, end, bar in measures:
        if end - begin >= bar:
            place = 0.0
        elif begin == 0:
            place = bar - end  # an upbeat
        frames = np.arange(_frame(begin), _frame(end))
        beat_T[frames] = place + frames - begin
        place = (place + end - begin) % bar
    return beat_T


def _frame(time: float) -> int:
    """The first frame that begins at this time or later; lengths such as 1/3 add up with errors."""
    return math.ceil(round(time, 6))
