"""Four-voice chorales as imitation: in each frame, hear the melody and play the three other voices.

The task has the shape of learning from recorded play. An episode is one piece, a frame is a
sixteenth note, an observation is what has been heard, an action is one pitch for each of alto,
tenor and bass. Three actions of four hold what was held before: see `baselines`.

Wrong: giving the policy the observation of the very frame it acts in, if in use it will get each
one `delay` frames late: it learns to copy, and fails when it is played live.
Right: the delay is in the data. For every delay the targets are the same, and the observations
come later; before the first of them comes, all that is seen is 0.

The scores are those of the user's own `music21`, read in place: the package is found but not
imported, which would take seconds. None of its music is part of this repository; the terms of use
are in its `corpus/license.txt`.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import numpy as np

from reference_trainer.config import Data, DataError
from reference_trainer.data.batch import Corpus, Document
from reference_trainer.extras import musicxml
from reference_trainer.extras.musicxml import Score
from reference_trainer.sources import lot

VOICES = ("Soprano", "Alto", "Tenor", "Bass")
LOWEST = 36  # in MIDI: the low C of a bass
PITCHES = 48  # 0 is a rest, 1 is the lowest pitch
BEATS = 32  # 0 is not seen yet, 1 is the first frame of a bar; the last one stands for all later

# Soprano now, and 1 where it strikes a note; the four voices one frame ago; the place in the bar.
FEATURES = (PITCHES, 2, PITCHES, PITCHES, PITCHES, PITCHES, BEATS)
HEADS = (PITCHES, PITCHES, PITCHES)  # alto, tenor and bass now
PREVIOUS = (3, 4, 5)  # for each head, the feature that shows the same voice one frame ago


def chorales(data: Data) -> Corpus:
    """The chorales of the installed `music21`; DataError."""
    files = sorted(_files(), key=lambda file: lot(file.name))
    few = max(round(data.limit * data.held_out), 1)
    held_out = _rows((f for f in files if lot(f.name) < data.held_out), few, data)
    train = _rows((f for f in files if lot(f.name) >= data.held_out), data.limit - few, data)
    if not (train and held_out):
        raise DataError("too few chorales to train on some and hold out others")
    about = {
        "source": "chorales",
        "features": list(FEATURES),
        "heads": list(HEADS),
        "previous": list(PREVIOUS),
        "delay": data.delay,
        "digest": _digest(files),
    }
    return Corpus(train, held_out, "voice-frame", about)


def _rows(files: Iterable[Path], pieces: int, data: Data) -> list[Document]:
    """Of the first so many chorales among the files; of all if data.limit is 0."""
    episodes = filter(None, (documents(file, data) for file in files))
    return [row for episode in islice(episodes, pieces if data.limit else None) for row in episode]


def documents(file: Path, data: Data) -> list[Document]:
    """The episode of a file, cut into rows; empty if it is no chorale. DataError."""
    try:
        score = musicxml.read(file, VOICES)
    except musicxml.ScoreError as error:
        raise DataError(str(error)) from error
    if score is None:
        return []
    pitch_TV = np.where(score.pitch_TV > 0, score.pitch_TV - LOWEST + 1, 0)
    if pitch_TV.min(initial=0) < 0 or pitch_TV.max(initial=0) >= PITCHES:
        return []
    inputs_TF = _delayed(_observations(score, pitch_TV), data.delay)
    targets_TH = pitch_TV[:, 1:]
    rows = [slice(t, t + data.length) for t in range(0, len(targets_TH), data.length)]
    return [Document(inputs_TF[row], targets_TH[row]) for row in rows]


def _observations(score: Score, pitch_TV: np.ndarray) -> np.ndarray:
    """What can be known as each frame begins."""
    soprano_T, struck_T = pitch_TV[:, 0], score.struck_TV[:, 0]
    beat_T = np.minimum(score.beat_T + 1, BEATS - 1)
    columns = [soprano_T, struck_T, *_delayed(pitch_TV, 1).T, beat_T]
    return np.stack(columns, axis=1).astype(np.int32)


def _delayed(values_TN: np.ndarray, frames: int) -> np.ndarray:
    unseen_TN = np.zeros((frames, values_TN.shape[1]), values_TN.dtype)
    return np.concatenate([unseen_TN, values_TN])[: len(values_TN)]


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _files() -> list[Path]:
    spec = importlib.util.find_spec("music21")
    if spec is None or not spec.submodule_search_locations:
        raise DataError("data.source=chorales reads the scores of music21: pip install music21")
    folder = Path(spec.submodule_search_locations[0], "corpus", "bach")
    files = [file for file in folder.glob("*") if file.suffix in musicxml.SUFFIXES]
    if not files:
        raise DataError(f"no scores in {folder}: pip install --force-reinstall music21")
    return files
