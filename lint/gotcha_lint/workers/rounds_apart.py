"""What a round of the analysis sends to workers, and they send back: no value that both have."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Mapping
from typing import Any

from gotcha_lint.analysis.rounds import Results
from gotcha_lint.analysis.tables import Effects, Key
from gotcha_lint.analysis.values import FunctionId

# What a function tells others; the keys that it read in the table; what it read beside it.
Packed = dict[FunctionId, tuple[Effects, list[Key], Effects]]


def packed_news(table: Mapping[Key, Any], changed: Iterable[Key]) -> bytes:
    """What changed in the table, once for all workers."""
    return pickle.dumps({key: table.get(key) for key in changed}, pickle.HIGHEST_PROTOCOL)


def take_news(table: dict[Key, Any], news: bytes) -> None:
    for key, value in pickle.loads(news).items():
        if value is None:
            table.pop(key, None)
        else:
            table[key] = value


def packed(results: Results, table: Mapping[Key, Any]) -> Packed:
    return {
        fid: (
            effects,
            [key for key, value in reads.items() if value is table.get(key)],
            {key: value for key, value in reads.items() if value is not table.get(key)},
        )
        for fid, (effects, reads) in results.items()
    }


def unpacked(results: Packed, table: Mapping[Key, Any]) -> Results:
    """With the table of the round that is asked about."""
    return {
        fid: (effects, {key: table.get(key) for key in keys} | beside)
        for fid, (effects, keys, beside) in results.items()
    }
