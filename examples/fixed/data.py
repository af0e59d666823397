"""Replays of a made-up strategy game, and batches of them."""

from typing import NamedTuple

import numpy as np

EVENTS = (
    *("(none)", "(unseen)", "worker", "house", "farm", "barracks", "soldier", "scout"),
    *("tower", "market", "expand", "research", "knight", "raid", "siege", "retreat"),
)
NONE, UNSEEN = 0, 1
SECONDS = np.array([0, 0, 12, 18, 15, 25, 10, 4, 16, 20, 28, 22, 14, 6, 26, 3])
STYLES, MAPS, GRID, LONGEST = 3, 80, 64, 36


class Replay(NamedTuple):
    """One player's game: what happened, how many seconds after the event before, and who won."""

    events: np.ndarray
    gaps: np.ndarray
    terrain: int
    won: int


class Batch(NamedTuple):
    """Several replays, one a row, filled up with the event 0."""

    events: np.ndarray
    gaps: np.ndarray
    terrain: np.ndarray
    won: np.ndarray


def make_terrain(seed=0):
    """The height of every field of every map, in rows; some maps are flat and some are hilly."""
    rng = np.random.default_rng(seed)
    flat = rng.random(MAPS) < 0.5
    heights = rng.normal(np.where(flat, -0.5, 0.5)[:, None], 1.0, (MAPS, GRID * GRID))
    return heights.astype(np.float32), flat


def make_replays(count, seed=0):
    """Players have a style each, which says what mostly follows what; a few leave at once."""
    rng = np.random.default_rng(seed)
    habits = np.random.default_rng(7).integers(UNSEEN + 1, len(EVENTS), (STYLES, len(EVENTS)))
    _, flat = make_terrain()
    replays = []
    for _ in range(count):
        style, terrain = rng.integers(STYLES), rng.integers(MAPS)
        length = 1 if rng.random() < 0.04 else int(np.clip(rng.exponential(10) + 8, 8, LONGEST))
        events = play(rng, habits[style], length)
        gaps = np.round(SECONDS[np.roll(events, 1)] * rng.uniform(0.8, 1.2, length))
        gaps[0] = 0
        chance = (0.1, 0.3, 0.7, 0.9)[style + flat[terrain]]
        replays.append(Replay(events, gaps, terrain, int(rng.random() < chance)))
    return replays


def play(rng, habit, length):
    """Each event is mostly followed by what the player is in the habit of doing next."""
    events = [rng.integers(UNSEEN + 1, len(EVENTS))]
    while len(events) < length:
        seldom = rng.integers(UNSEEN + 1, len(EVENTS))
        events.append(habit[events[-1]] if rng.random() < 0.8 else seldom)
    return np.array(events, np.int32)


def collate(replays, size):
    """Puts replays into one array each, in which all rows have the same length."""
    events = np.zeros((size, LONGEST), np.int32)
    gaps = np.zeros((size, LONGEST), np.float32)
    terrain = np.zeros(size, np.int32)
    won = np.zeros(size, np.int32)
    for row, replay in enumerate(replays):
        events[row, : len(replay.events)] = replay.events
        gaps[row, : len(replay.gaps)] = replay.gaps
        terrain[row] = replay.terrain
        won[row] = replay.won
    return Batch(events, gaps, terrain, won)


def batches(replays, size):
    """The replays in batches; the last one may have empty rows."""
    for start in range(0, len(replays), size):
        yield collate(replays[start : start + size], size)
