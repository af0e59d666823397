from collections.abc import Iterator

from gotcha_lint.program.array_updates import array_update
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import each_turn, loop_places
from gotcha_lint.solve.programs import Programs


class EagerAtLoop(Rule):
    """Fills an array element by element with `.at[...].set(...)`, outside of `jit`.

    ## What happens
    No error. Under `jit` the compiler updates in place. Outside, each `x = x.at[i].set(v)` makes a
    new array and copies all of the old one, so that n elements cost n copies.

    ## Instead
    Fill a numpy array and convert it after the loop, or collect what is on the device in a list and
    `jnp.stack` it. If each iteration needs the array, update it in the jitted function, with
    `donate_argnums`.

    ## Not reported
    Loops of a few iterations. With `--all` only: loops that use the array for something else in
    each iteration, such as tokens that a model continues; functions of a library that call nothing
    compiled in the loop, as they may be jitted elsewhere.

    ## In a run
    The sanitizer says nothing: each operation compiles once, and each by itself is right.
    """

    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def predict(x):
                    return jnp.tanh(x).sum()


                losses = jnp.zeros(20)
                for i in range(20):
                    losses = losses.at[i].set(predict(jnp.full(3, i)))  # ! eager-at-loop
                print(losses)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def predict(x):
                    return jnp.tanh(x).sum()


                losses = []
                for i in range(20):
                    losses.append(predict(jnp.full(3, i)))
                print(jnp.stack(losses))
            """,
            unseen="the copies cost time, and how much depends on the size of the array",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        seen: set[tuple[object, str]] = set()
        for (what, place), work in sorted(programs.updates.items(), key=lambda item: item[0]):
            update = array_update(work.within, place[1]) if what == "array" else None
            if update is None or (work.within, update.name) in seen:
                continue
            seen.add((work.within, update.name))
            yield Foreseen(
                place,
                f"this copies all of `{update.name}` at each {each_turn(work.loops, place[0])}, "
                "outside of `jit`: fill a numpy array, or collect in a list, and convert it once",
                (*work.places, *loop_places(work.loops)),
                certain=work.certain and not update.is_read,
            )
