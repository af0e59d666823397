"""Where the hosts of a run publish what they do: a shared folder, or a store of keys and values.

A board holds for each host its state, which is overwritten, and the list of its programs. What
cannot be read is left out: a look comes again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

Json = Mapping[str, Any]
_OLD = 600.0  # seconds: files from before the run began, of another run
_AT_ONCE = 256  # programs that are read in one look


class Board(Protocol):
    """`put` overwrites the state of a host; `add` appends to its programs."""

    def put(self, host: int, state: Json) -> None: ...

    def add(self, host: int, number: int, program: Json) -> None: ...

    def states(self) -> Sequence[Json]: ...

    def programs(self, host: int, begin: int, end: int) -> Sequence[Json]: ...


class Folder:
    """Files in a folder that all hosts see. Raises OSError as it is made, where it cannot be."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self._began = 0.0

    def _file(self, host: int, kind: str) -> Path:
        return self.path / f"host-{host}.{kind}"

    def put(self, host: int, state: Json) -> None:
        file = self._file(host, "state.json")
        part = file.with_name(f"{file.name}.{os.getpid()}.part")
        part.write_text(json.dumps(state), "utf-8")
        part.replace(file)
        self._began = self._began or file.stat().st_mtime  # by the clock of the file server

    def add(self, host: int, number: int, program: Json) -> None:
        mode = "w" if number == 0 else "a"  # the first of a run: the file may be of another one
        with self._file(host, "programs.jsonl").open(mode, encoding="utf-8") as file:
            file.write(json.dumps(program) + "\n")

    def states(self) -> list[Json]:
        found: list[Json] = []
        for file in self.path.glob("host-*.state.json"):
            with suppress(OSError, ValueError):
                if file.stat().st_mtime > (self._began or time.time()) - _OLD:
                    found.append(json.loads(file.read_text("utf-8")))
        return found

    def programs(self, host: int, begin: int, end: int) -> list[Json]:
        try:
            lines = self._file(host, "programs.jsonl").read_text("utf-8").splitlines()
            return [json.loads(line) for line in lines[begin : min(end, begin + _AT_ONCE)]]
        except (OSError, ValueError):
            return []


class Store:
    """The key-value store of `jax.distributed`; `client` is that of JAX."""

    def __init__(self, client: Any, prefix: str = "gotcha") -> None:
        self._client = client
        self._prefix = prefix

    def put(self, host: int, state: Json) -> None:
        key = f"{self._prefix}/state/{host}"
        self._client.key_value_set(key, json.dumps(state), allow_overwrite=True)

    def add(self, host: int, number: int, program: Json) -> None:
        key = f"{self._prefix}/programs/{host}/{number}"
        self._client.key_value_set(key, json.dumps(program), allow_overwrite=True)

    def states(self) -> list[Json]:
        return [
            json.loads(text) for _, text in self._client.key_value_dir_get(f"{self._prefix}/state")
        ]

    def programs(self, host: int, begin: int, end: int) -> list[Json]:
        """Only numbers that the host has published are asked for: no request waits."""
        found: list[Json] = []
        for number in range(begin, min(end, begin + _AT_ONCE)):
            key = f"{self._prefix}/programs/{host}/{number}"
            found.append(json.loads(self._client.key_value_try_get(key)))
        return found
