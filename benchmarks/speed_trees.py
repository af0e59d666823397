"""The files that lint_speed.py measures on, copied so that every tool is given one folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import corpus
import peers

MID = ("brax", "equinox", "gemma", "optax", "penzai")
NOT_ON_THE_INDEX = ("nanodo", "vision_transformer")
# Brings mid to the 171,000 lines that the memory target speaks of.
LARGER = ("dm-haiku", "mctx")
QUICK = ("equinox", "gemma")


@dataclass(frozen=True)
class Tree:
    folder: Path
    files: int
    lines: int


def key(peer: peers.Peer) -> str:
    return peer.tree if peer.share == 1 else f"{peer.tree} 1/{peer.share}"


def make(
    scratch: Path, cache: Path, quick: bool, added: Sequence[Path]
) -> tuple[dict[str, Tree], list[str]]:
    """Every tree by name, and the projects of mid."""
    unpacked = _projects(QUICK if quick else (*MID, *LARGER), cache)
    core = {name: folder for name, folder in unpacked.items() if name not in LARGER}
    core |= {folder.resolve().name: folder for folder in added}
    mid = _copied(scratch / "mid", core)
    # jaxlint and torchfix see files that suit them; which ones is said beside their numbers.
    trees = {
        "mid": mid,
        "large": mid if quick else _copied(scratch / "large", unpacked | core),
        "edited": _copied(scratch / "edited", core if quick else unpacked | core),
        "alone": _alone(scratch / "alone", mid),
        "jaxlint": _chosen(scratch / "jaxlint", mid, skip_fatal=True),
    }
    for peer in peers.PEERS:
        if peer.share > 1:
            part = scratch / f"{peer.tree}-{peer.share}"
            ending = b"\n# torch\n" if peer.tree == "torchfix" else b""
            trees[key(peer)] = _chosen(part, mid, every=peer.share, ending=ending)
    return trees, list(core)


def edit(tree: Tree) -> Path:
    """Adds a line to the largest file, another one each time; the file, from the tree's folder."""
    largest = max(corpus.sources(tree.folder), key=lambda file: file.stat().st_size)
    with largest.open("ab") as file:
        file.write(b"\n_edited = %d\n" % largest.stat().st_size)
    return largest.relative_to(tree.folder)


def _projects(names: Sequence[str], cache: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for project, place in corpus.fetch(corpus.pinned(names), cache):
        if isinstance(place, str):
            raise SystemExit(f"{project.name}: {place}")
        found[project.name] = place
    return found


def _tree(folder: Path) -> Tree:
    files = corpus.sources(folder)
    return Tree(folder, len(files), corpus.line_count(files))


def _copied(folder: Path, projects: dict[str, Path]) -> Tree:
    for name, source in projects.items():
        for file in corpus.sources(source):
            _write(folder / name / file.relative_to(source), file.read_bytes())
        # Empty, not the project's own: no tool shall be configured by what it is measured on.
        corpus.mark_root(folder / name)
    return _tree(folder)


def _alone(folder: Path, mid: Tree) -> Tree:
    """Every file in a folder of its own: the same text, nothing to follow into other files."""
    for number, file in enumerate(corpus.sources(mid.folder)):
        target = folder / f"f{number:04}" / "only.py"
        target.parent.mkdir(parents=True)
        shutil.copyfile(file, target)
    corpus.mark_root(folder)
    return _tree(folder)


def _chosen(
    folder: Path, mid: Tree, *, every: int = 1, ending: bytes = b"", skip_fatal: bool = False
) -> Tree:
    for file in _every(corpus.sources(mid.folder), every):
        raw = file.read_bytes()
        if not (skip_fatal and peers.ends_jaxlint(raw)):
            _write(folder / file.relative_to(mid.folder), raw + ending)
    corpus.mark_root(folder)
    return _tree(folder)


def _every(files: Iterable[Path], step: int) -> list[Path]:
    return list(files)[::step]


def _write(target: Path, raw: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(raw)
