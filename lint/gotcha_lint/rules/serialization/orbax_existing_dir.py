"""Orbax is to write a checkpoint into a folder that exists."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.patterns.existing_folders import existing_folders
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class OrbaxExistingDir(Rule):
    """Saves a checkpoint with Orbax in a folder that exists when it is written.

    ## What happens
    `ValueError: Destination ... already exists`. A checkpointer makes the folder itself: where the
    code makes it before, no checkpoint is ever written. Where the path is the same in each run, the
    first run works, and each later one fails at the end of its training.
    `StandardCheckpointer.save` itself returns: the error comes from `wait_until_finished()`.

    ## Instead
    Make the parent folder alone, and give each save a name of its own, with the step or the time in
    it. `force=True` replaces what is there. `CheckpointManager` does all this.

    ## Not reported
    Code that asks whether the folder exists, or removes it; saves within `try`; paths that depend
    on anything.

    ## In a run
    Nothing.
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import os

                import jax.numpy as jnp
                import orbax.checkpoint as ocp

                runs = os.path.abspath("runs")


                def save(step, weights):
                    folder = os.path.join(runs, str(step))
                    os.makedirs(folder, exist_ok=True)
                    saver = ocp.PyTreeCheckpointer()
                    saver.save(folder, {"weights": weights})  # ! orbax-existing-dir


                save(1, jnp.ones(3))
            """,
            good="""
                import os

                import jax.numpy as jnp
                import orbax.checkpoint as ocp

                runs = os.path.abspath("runs")


                def save(step, weights):
                    folder = os.path.join(runs, str(step))
                    saver = ocp.PyTreeCheckpointer()
                    saver.save(folder, {"weights": weights})


                save(1, jnp.ones(3))
            """,
            raises="already exists",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            path = text.module.path
            if is_test(path):
                continue
            for function in text.origins.links.bodies(text.module):
                for found in existing_folders(text.origins, function):
                    if found.made is not None:
                        yield Foreseen(
                            (path, found.span),
                            f"`{found.text}` is there already, and Orbax makes it: this raises "
                            "a `ValueError`; make the parent folder alone, or pass `force=True`",
                            ((path, found.made, "made here"),),
                            severity="error",
                        )
                    elif not (found.parameter and programs.elsewhere.says([found.parameter], path)):
                        yield Foreseen(
                            (path, found.span),
                            f"each run saves to the same folder (`{found.text}`), and from the "
                            "second run on this raises a `ValueError`, as it exists: put the step "
                            "or the time into the name, or pass `force=True`",
                        )
