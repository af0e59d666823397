"""Dumps of what `--why` says of real files: which functions are traced, why, and what their names
hold. The files are fetched, never kept; `python -m tests.lint.golden` writes the dumps.

Each file is analysed together with the files of its own folder, as a small project.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks import corpus
from gotcha_lint.config.settings import Settings
from gotcha_lint.views.why import Explained, Looked

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
    found = Looked(str(folder / source.name), lambda _: Settings())
    lines = [line for each in found.explained() for line in _function(found, each)]
    return "\n".join(lines).replace(f"{folder}/", "") + "\n"


def _function(found: Looked, each: Explained) -> list[str]:
    """How it is run, and what its names hold, where its lines are not another function's."""
    head = f"{each.lines[0] if each.name else 0}: {each.text}"
    said = found.why(each.lines[0]).splitlines() if each.name else []
    own = said and said[0].startswith(f"{each.name}: ")
    names = [line for line in said if line.startswith("    ") and "because: " not in line]
    return [*head.splitlines(), *(names if own else [])]


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
