from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import COPIED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import (
    at_call,
    called,
    each_turn,
    listed,
    loop_places,
    variations,
)
from gotcha_lint.solve.programs import Programs


class GrowingArray(Rule):
    """Grows a `jax.Array` in a loop: each iteration has a new shape, and compiles for it.

    ## What happens
    `jnp.concatenate([buffer, new])` outside of `jit` compiles for every new length (22 compilations
    for 20 iterations), and so does every jitted function that is given the result: 15 tokens, 15
    traces. It also copies the whole buffer each time.

    ## Instead
    Allocate the full buffer and write with `buffer.at[i].set(new)`, or collect in a Python list
    (or numpy) and concatenate once after the loop.

    A NumPy array that grows like this compiles nothing, and is copied whole each time (a note):
    20,000 appended rows of 3 numbers took 0.4 s, 93 times as long as with a list (NumPy 2).

    ## Not reported
    Loops over a few things that are written out. Of a function that acts on nothing but arrays, and
    of an attribute that each call of a method makes longer, it is shown with `--all`: others may
    compile the one, and seldom call the other.
    """

    confirmed_by = (("recompile", "shape"), ("eager-op-storm", ""))
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def following(tokens):
                    return jnp.sum(tokens) % 7


                tokens = jnp.ones(1)
                for _ in range(12):
                    tokens = jnp.append(tokens, following(tokens))  # ! growing-array
                print(tokens)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def following(tokens):
                    return jnp.sum(tokens) % 7


                tokens = jnp.zeros(13).at[0].set(1)
                for i in range(12):
                    tokens = tokens.at[i + 1].set(following(tokens))
                print(tokens)
            """,
            compiles=4,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(COPIED):
            word, *names = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`np.{word}` copies the whole of {listed(names)} at each iteration, so the loop "
                "takes time that grows with the square of its length: collect the parts in a list, "
                "and concatenate once at the end",
                fault.places,
                severity="info",
            )
        for (what, place), work in programs.updates.items():
            if what == "growing":
                yield Foreseen(
                    place,
                    f"`{work.name}` is longer at each {each_turn(work.loops, place[0])}, and "
                    "operations on it compile again: fill a buffer of the full length, or "
                    "concatenate once at the end",
                    (*work.places, *loop_places(work.loops)),
                    certain=work.certain,
                )
        for row, variation in variations(programs, "length"):
            call = variation.call
            each = each_turn(variation.loops, call.path)
            yield at_call(
                variation,
                f"`{variation.label}` is a container that is longer at each {each}: "
                f"{called(row.function)} compiles one program for each length; fill an array of "
                "the full length, and pass how much of it counts",
                loops=True,
            )
