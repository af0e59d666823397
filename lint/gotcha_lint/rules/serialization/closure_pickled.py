from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class ClosurePickled(Rule):
    """Pickles what holds a local function: a TrainState, an optimizer, a jitted function, a lambda.

    ## What happens
    `AttributeError: Can't pickle local object 'chain.<locals>.init_fn'`, or a `PicklingError`.
    Optax transformations and schedules are closures, a `TrainState` keeps one in `tx`, and a jitted
    function wraps one.

    ## Instead
    Save the arrays (`jax.device_get(state.params)`, `jax.device_get(state.opt_state)`) and the
    settings, and build the optimizer again when you load. `cloudpickle` can write closures, but
    what it writes is tied to the installed releases.

    ## Not reported
    Attributes that only a method sets which neither the set-up nor the pickling function calls.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import pickle

                import optax

                optimizer = optax.adam(1e-3)
                saved = pickle.dumps({"optimizer": optimizer, "rate": 1e-3})  # ! closure-pickled
            """,
            good="""
                import pickle

                import optax

                optimizer = optax.adam(1e-3)
                saved = pickle.dumps({"optimizer": "adam", "rate": 1e-3})
            """,
            raises="local object",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for place, effect in programs.effects["closure"].items():
            yield Foreseen(
                place,
                f"pickle cannot write {effect.what}: it holds a local function",
                certain=not effect.maybe,
            )
