"""Dumps of the analysis of real files, reviewed by hand: which functions are traced, why, and what
their names hold. The files are fetched, never kept; `python -m tests.lint.golden` writes the dumps.

Each file is analysed together with the files of its own folder, as a small project.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks import corpus
from gotcha_lint import engine
from gotcha_lint.config.settings import Settings
from gotcha_lint.views import describe
from gotcha_lint.workers.shard import Shard

DUMPS = Path(__file__).with_name("golden")
FILES = (
    ("flax", "examples/mnist/train.py"),
    ("flax", "examples/imagenet/train.py"),
    ("flax", "examples/lm1b/train.py"),
    ("flax", "examples/nlp_seq/train.py"),
    ("flax", "examples/ogbg_molpcba/train.py"),
    ("flax", "examples/ppo/ppo_lib.py"),
    ("flax", "examples/seq2seq/train.py"),
    ("flax", "examples/sst2/train.py"),
    ("flax", "examples/gemma/sampler.py"),
    ("flax", "examples/nnx_toy_examples/05_vae.py"),
    ("sbx-rl", "sbx/dqn/dqn.py"),
    ("sbx-rl", "sbx/ppo/ppo.py"),
    ("brax", "brax/training/agents/ppo/train.py"),
    ("brax", "brax/training/gradients.py"),
    ("fedjax", "fedjax/core/models.py"),
    ("flaxdiff", "flaxdiff/trainer/diffusion_trainer.py"),
    ("kauldron", "kauldron/train/train_step.py"),
    ("numpyro", "numpyro/infer/svi.py"),
    ("jaxopt", "jaxopt/_src/base.py"),
    ("optax", "optax/contrib/_sam.py"),
)


def dump(source: Path, folder: Path) -> str:
    """The dump of one file, copied with its neighbours into an empty folder."""
    for neighbour in source.parent.glob("*.py"):
        shutil.copy(neighbour, folder)
    (folder / "pyproject.toml").touch()
    path = str(folder / source.name)
    report = engine.lint([path], lambda _: Settings(), keep=True)
    assert report.state is not None
    shard = report.state.pool.local()
    lines = [
        line for f in shard.models[path].functions for line in _function(shard, path, f.number)
    ]
    return "\n".join(lines) + "\n"


def _function(shard: Shard, path: str, number: int) -> list[str]:
    body = shard.body((path, number))
    function = shard.models[path].functions[number]
    place = shard.places([(path, -1 - number)])[path, -1 - number]
    head = f"{place[0] if number else 0}: {function.qualname or '<module>'}: "
    if body is None:
        return [head + "not analysed"]
    lines = [head + describe.trace(body.trace)]
    if body.trace is not None:
        lines += [f"    because {Path(site[0]).name} {text}" for site, text in body.trace.chain]
    for name, value in body.names.items():
        words = describe.value(value)
        if words and not words.startswith(("class ", "function")):
            lines.append(f"    {name} = {words}")
    return lines


def name_of(project: str, path: str) -> str:
    return f"{project}-{path.replace('/', '-').removesuffix('.py')}.txt"


def fetched(cache: Path | None = None) -> dict[str, Path]:
    """The unpacked projects that the dumps are of; fetched where they are missing."""
    names = {project for project, _ in FILES}
    found = corpus.fetch(corpus.pinned(names), cache or corpus.DEFAULT_CACHE.expanduser())
    return {project.name: folder for project, folder in found if isinstance(folder, Path)}


def main() -> None:
    projects = fetched(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    DUMPS.mkdir(exist_ok=True)
    for project, path in FILES:
        with tempfile.TemporaryDirectory() as folder:
            text = dump(projects[project] / path, Path(folder))
        (DUMPS / name_of(project, path)).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
