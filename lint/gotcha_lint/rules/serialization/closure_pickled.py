from collections.abc import Iterator

from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.host import PICKLES_CLOSURES
from gotcha_lint.queries.pickled import Pickled, kept_by, parts, pickled, pickles_itself
from gotcha_lint.rule import Example, Foreseen, Report, Rule
from gotcha_lint.solve.programs import Programs

_TRAIN_STATE = "flax.training.train_state.TrainState"
_OPTIMIZERS = frozenset({"optax.GradientTransformation", "flax.nnx.Optimizer"})


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

    def check(self, site: Body) -> Iterator[Report]:
        for one in pickled(site):
            if one.sink.partition(".")[0] in PICKLES_CLOSURES or one.sink == "numpy.save":
                continue
            what = _closure(site, one.value) or _fetched_state(site, one)
            if what:
                yield Report(
                    one.node,
                    f"pickle cannot write {what}: it holds a local function",
                )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for place, effect in programs.effects["closure"].items():
            yield Foreseen(
                place,
                f"pickle cannot write {effect.what}: it holds a local function",
                certain=not effect.maybe,
            )


def _closure(body: Body, value: Value) -> str:
    """What cannot be pickled in this value, in words."""
    project = body.project
    if value.maybe or project is None:
        return ""
    match value.kind:
        case Kind.OBJECT if value.cls is None:
            if value.of == _TRAIN_STATE:
                return "a `TrainState`"
            return f"a `{value.of}`" if value.of in _OPTIMIZERS else ""
        case Kind.OBJECT if value.cls is not None and project.is_a(value.cls, _TRAIN_STATE):
            return f"`{value.of}`, a `TrainState`"
        case Kind.NAMED if value.of == "gotcha.schedule":
            return "a schedule of optax"
        case Kind.FUNCTION:
            return _function(body, value)
        case Kind.OBJECT if value.cls is not None and not pickles_itself(body, value):
            return _inside(body, value)
        case Kind.TUPLE | Kind.LIST:
            return next((what for item in value.items if (what := _closure(body, item))), "")
    return ""


def _inside(body: Body, value: Value) -> str:
    """What an attribute holds, of an object that is pickled as it is."""
    for name, held in kept_by(body, value):
        what = "" if held.kind is Kind.OBJECT and held.cls is not None else _closure(body, held)
        if what:
            return f"`{value.of}`, whose `{name}` is {what}"
    return ""


def _fetched_state(body: Body, one: Pickled) -> str:
    """`jax.device_get(state)` of a `TrainState` is one still, with the optimizer in it."""
    for node in parts(one.node):
        call = body.call_of(node)
        if call is not None and call.name == "jax.device_get" and call.args:
            state, project = call.args[0], body.project
            if project is None or state.kind is not Kind.OBJECT:
                continue
            derived = state.cls is not None and project.is_a(state.cls, _TRAIN_STATE)
            if state.of == _TRAIN_STATE or derived:
                return _closure(body, state)
    return ""


def _function(body: Body, value: Value) -> str:
    assert body.project is not None
    if any(via.name in ("jit", "pmap") for via in value.via):
        return "a jitted function"
    if value.made == "lambda":
        return "a lambda"
    nested = value.targets and all(
        "<locals>" in body.project.function(t).qualname for t in value.targets
    )
    return "a nested function" if nested and value.made == "def" else ""
