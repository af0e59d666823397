"""A training loop saves every so many turns, and its last turns are not saved."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.patterns.training.last_saves import UnsavedEnd, unsaved_ends
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class EndNotSaved(Rule):
    """Saves only where `step % every == 0`, so that what the last turns learn is lost.

    ## What happens
    `for step in range(1000)` with a save at `step % 100 == 0` saves at 900 for the last time, and
    at 0, before anything is learned. The process ends, and the trained weights of the last turns
    with it.

    ## Instead
    Save once more after the loop, or ask `(step + 1) % every == 0 or step + 1 == steps`.

    ## Not reported
    Functions that return something, which a caller may save; files in which something else saves;
    numbers of turns that are written out and multiples of each other. A note of `--all` where the
    numbers are not written in the file.

    ## In a run
    Nothing.

    ## References
    https://docs.python.org/3/library/stdtypes.html#ranges
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax


                @jax.jit
                def step(w):
                    return w + 1


                saved = {}


                def save(w):
                    saved["w"] = w


                def train():
                    w = 0
                    for turn in range(10):
                        w = step(w)
                        if turn % 4 == 0:  # ! end-not-saved
                            save(w)


                train()
            """,
            good="""
                import jax


                @jax.jit
                def step(w):
                    return w + 1


                saved = {}


                def save(w):
                    saved["w"] = w


                def train():
                    w = 0
                    for turn in range(10):
                        w = step(w)
                        if turn % 4 == 0:
                            save(w)
                    save(w)


                train()
            """,
            shows="int(saved['w']) < 10",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            if is_test(text.module.path):
                continue
            for function in text.origins.links.bodies(text.module):
                for found in unsaved_ends(text.origins.links, text.module, function):
                    yield Foreseen(
                        (function.path, found.span),
                        _words(found),
                        ((function.path, found.save, "it is saved here alone"),),
                        certain=found.ends is not None,
                    )


def _words(found: UnsavedEnd) -> str:
    if found.ends is None:
        return (
            f"nothing saves after the loop: what follows the last multiple of `{found.every}` is "
            "lost; save once more at the end"
        )
    return (
        f"`{found.tested}` is {found.ends} in the last turn, and {found.saved} in the last one "
        "that saves: what is learned in between is lost; save once more at the end"
    )
