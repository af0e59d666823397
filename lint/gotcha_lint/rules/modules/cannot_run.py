"""A line that raises whenever it is reached."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.array_attributes import MISSING
from gotcha_lint.interpret.faults.defined import MUTABLE_DEFAULT, TRACED_OBJECT
from gotcha_lint.interpret.faults.remarks import NO_ATTRIBUTE
from gotcha_lint.interpret.faults.written import MISFIT_DEFAULT, RAISED_TEXT, UNBOUND_AFTER_ERROR
from gotcha_lint.patterns.local.unbound_supers import unbound_supers
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.remarks import Fault

_KINDS = (
    "misfit", "lacking", "undefined", "unbound", "perhaps unbound", "unpacked", "not loaded",
    "none", MUTABLE_DEFAULT, MISFIT_DEFAULT, TRACED_OBJECT, "attribute of array",
    NO_ATTRIBUTE, RAISED_TEXT, UNBOUND_AFTER_ERROR,
)  # fmt: skip
_WARNINGS = frozenset((RAISED_TEXT, UNBOUND_AFTER_ERROR))  # another error came before


class CannotRun(Rule):
    """A line that raises: a call that does not fit, a name or an attribute that is not there.

    ## What happens
    A `TypeError`, `ImportError`, `AttributeError`, `NameError`, `UnboundLocalError` or
    `ValueError`, as soon as the line is reached. In a training script that may be after hours: the
    evaluation, the last checkpoint, the sampling. `apply`, `jit` and `vmap` pass their arguments
    on, so most tools do not see that the model below takes other arguments now. `import jax` does
    not load all of JAX: `jax.experimental.multihost_utils` works only where another import has
    loaded it. A state that has a field more now is made without it, `jnp.split(x, 2)` is bound to
    three names, or a method reads an attribute that the class calls otherwise. A script reads an
    option that its parser does not have. A dict that `**` spreads has an argument that the call
    gives by name, too. `nn.Conv(8, (3, 3), stride=2)` is a word of PyTorch: what the public
    functions and classes of JAX, Flax, Optax and Equinox take is known. So are `x.numpy()` and
    `x.detach()`, which arrays of JAX do not have.

    `nnx.RNGs` and `jtu.tree_get` are names that no release has. `TrainState.create` makes the state
    of the optimizer, and takes all else by name.

    A handler that prints the error and goes on leaves unbound what the `try` should have bound:
    after a checkpoint that cannot be restored, `UnboundLocalError` is the last line of the output.

    `super(Model).setup()` looks for `setup` in a `super` object that is bound to nothing.

    `raise "no such data set"` raises a `TypeError` as well, and its message hides the text: only
    exceptions can be raised.

    Some definitions raise as the module is imported: an annotation reads a name that nothing has
    imported (Python evaluates it, before 3.14), or the default of a dataclass field is a list, an
    array, or an object of a dataclass that is not frozen (from Python 3.11 on). A compiled function
    raises at each call if a traced argument is annotated with a linen module, or with a class that
    is no pytree.

    ## Instead
    What the function takes now; the message says what differs. Import what is used, and bind a
    name on both ways of a condition.

    ## Not reported
    Calls with star arguments, within `try`, or of what may be one of several functions; calls of
    libraries under a condition that asks for a release; names of
    modules that bind them in ways that are not written down (`import *`, `globals()`,
    `__getattr__`); methods that only raise; attributes of a class that leaves methods to others.
    A variable that one branch alone binds is reported where the condition is a flag, or the other
    branch binds other names; where options are asked one by one, it is shown with `--all`.

    ## References
    https://docs.python.org/3/tutorial/controlflow.html#more-on-defining-functions
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Classifier(nn.Module):
                    classes: int

                    @nn.compact
                    def __call__(self, x, train):
                        x = nn.Dropout(0.1, deterministic=not train)(x)
                        return nn.Dense(self.classes)(x)


                model = Classifier(classes=10)
                x = jnp.ones((2, 4))
                variables = model.init(jax.random.key(0), x, train=False)
                logits = model.apply(variables, x)  # ! cannot-run
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Classifier(nn.Module):
                    classes: int

                    @nn.compact
                    def __call__(self, x, train):
                        x = nn.Dropout(0.1, deterministic=not train)(x)
                        return nn.Dense(self.classes)(x)


                model = Classifier(classes=10)
                x = jnp.ones((2, 4))
                variables = model.init(jax.random.key(0), x, train=False)
                logits = model.apply(variables, x, train=False)
            """,
            raises="missing 1 required positional argument: 'train'",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss_and_logits(w, x):
                    logits = x @ w
                    return jnp.mean(logits**2), logits


                @jax.jit
                def evaluate(w, x):
                    loss, logits, accuracy = loss_and_logits(w, x)  # ! cannot-run
                    return loss, accuracy


                evaluate(jnp.ones((4, 2)), jnp.ones((3, 4)))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss_and_logits(w, x):
                    logits = x @ w
                    return jnp.mean(logits**2), logits


                @jax.jit
                def evaluate(w, x):
                    loss, logits = loss_and_logits(w, x)
                    return loss, jnp.argmax(logits, axis=-1)


                evaluate(jnp.ones((4, 2)), jnp.ones((3, 4)))
            """,
            raises="not enough values to unpack",
        ),
        Example(
            bad="""
                from collections import namedtuple

                import jax
                import jax.numpy as jnp

                State = namedtuple("State", ["params", "key", "step"])


                def update(state, grads):
                    params = state.params - 0.1 * grads
                    return State(params=params, step=state.step + 1)  # ! cannot-run


                state = State(jnp.ones(3), jax.random.key(0), 0)
                state = update(state, jnp.ones(3))
            """,
            good="""
                from collections import namedtuple

                import jax
                import jax.numpy as jnp

                State = namedtuple("State", ["params", "key", "step"])


                def update(state, grads):
                    params = state.params - 0.1 * grads
                    return state._replace(params=params, step=state.step + 1)


                state = State(jnp.ones(3), jax.random.key(0), 0)
                state = update(state, jnp.ones(3))
            """,
            raises="missing 1 required positional argument: 'key'",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import struct


                @struct.dataclass
                class State:
                    weights: jax.Array = jnp.zeros(3)  # ! cannot-run
                    step: int = 0


                state = State()
            """,
            good="""
                from dataclasses import field

                import jax
                import jax.numpy as jnp
                from flax import struct


                @struct.dataclass
                class State:
                    weights: jax.Array = field(default_factory=lambda: jnp.zeros(3))
                    step: int = 0


                state = State()
            """,
            raises="mutable default",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            links = text.origins.links
            for function in links.bodies(text.module):
                for span, name, method, is_own in unbound_supers(links, function):
                    if not is_own:
                        message = (
                            f"`super({name})` is bound to no object and has no `{method}`: write "
                            f"`super().{method}(...)`"
                        )
                        yield Foreseen((function.path, span), message)
        seen: set[tuple[str, int]] = set()  # the first fault of a line is the one that raises
        faults = programs.faults.of(*_KINDS)
        ended: dict[str, int] = {}  # where an import ends a file: what follows is not reached
        order = sorted(faults, key=lambda f: (not f.certain, _KINDS.index(f.kind), f.path, f.span))
        for fault in order:
            line = fault.path, fault.span[0]
            at_import = fault.kind == "lacking" and fault.text[0] == "import"
            first = fault.span[0]
            if at_import and fault.within.is_module:
                first = ended.setdefault(fault.path, first)
            if first < fault.span[0]:
                continue
            if line not in seen:
                seen.add(line)
                place = fault.path, fault.span
                severity = "warning" if fault.kind in _WARNINGS else None
                message = _message(fault)
                yield Foreseen(place, message, fault.places, fault.certain, severity=severity)


def _of_annotation(fault: Fault) -> str:
    name = fault.text[0]
    if fault.kind == "undefined":
        found, cure = "is bound nowhere in this file", "import it"
    else:
        found, cure = "is bound only further down", "put it in quotes"
    return (
        f"`{name}` {found}, and an annotation reads it: before Python 3.14 this raises a "
        f"`NameError`; {cure}, or begin with `from __future__ import annotations`"
    )


def _message(fault: Fault) -> str:
    if fault.kind == "misfit":
        return f"{fault.text[0]}: this raises a `TypeError`"
    if fault.kind == MISFIT_DEFAULT:
        name, problem = fault.text
        return (
            f"the default of `{name}` cannot be called as it is further down: {problem}; without "
            "another one this raises a `TypeError`"
        )
    if fault.kind == TRACED_OBJECT:
        function, name, kind = fault.text
        return (
            f"`{function}` traces `{name}`, and {kind} is neither an array nor a pytree: each call "
            "raises a `TypeError`; make the argument static, or close over it"
        )
    if fault.kind == MUTABLE_DEFAULT:
        name, what = fault.text
        return (
            f"the default of the field `{name}` is {what}, which is not hashable: the class raises "
            "a `ValueError` (from Python 3.11 on); use `dataclasses.field(default_factory=...)`"
        )
    if fault.kind == RAISED_TEXT:
        what = "`NotImplemented` is" if fault.text[0] == "NotImplemented" else "a text is"
        error = "NotImplementedError" if fault.text[0] == "NotImplemented" else "ValueError"
        return (
            f"{what} no exception: this raises a `TypeError` that hides what was meant; write "
            f"`raise {error}(...)`"
        )
    if fault.kind == "unpacked":
        return f"{fault.text[0]}: this raises a `ValueError`"
    if fault.kind == "none":
        return f"`None` has no `{fault.text[0]}`: this raises an `AttributeError`"
    if fault.kind == "attribute of array":
        return (
            f"a JAX array has no `{fault.text[0]}` that could be set: this raises an "
            "`AttributeError`; bind the name itself to the new array"
        )
    if fault.kind == NO_ATTRIBUTE:
        name = fault.text[0]
        return f"a JAX array has no `{name}`: this raises an `AttributeError`; {MISSING[name]}"
    if fault.kind in ("undefined", "unbound") and fault.text[-1] == "annotation":
        return _of_annotation(fault)
    if fault.kind == "undefined":
        return f"`{fault.text[0]}` is bound nowhere in this file: this raises a `NameError`"
    if fault.kind == "unbound":
        error = "a `NameError`" if fault.within.is_module else "an `UnboundLocalError`"
        return f"nothing has bound `{fault.text[0]}` here: this raises {error}"
    if fault.kind == "perhaps unbound":
        name = fault.text[0]
        return f"where the condition does not hold, nothing binds `{name}`: an `UnboundLocalError`"
    if fault.kind == UNBOUND_AFTER_ERROR:
        (name,) = fault.text
        error = "a `NameError`" if fault.within.is_module else "an `UnboundLocalError`"
        return (
            f"where the handler above goes on after an error, nothing binds `{name}`: {error} "
            "follows the error that it has caught; end the handler with `raise`"
        )
    if fault.kind == "lacking" and fault.text[0] == "option":
        return (
            f"the parser of the command line has no option `{fault.text[1]}`: this raises an "
            "`AttributeError`"
        )
    if fault.kind == "not loaded":
        (module,) = fault.text
        return (
            f"`import jax` does not load `{module}`, and nothing else here does: this raises an "
            "`AttributeError`; import the module"
        )
    how, name, module, *releases = fault.text
    error = "an `ImportError`" if how == "import" else "an `AttributeError`"
    of = f" of {releases[0]}" if releases else ""
    then = "the handler of the error always runs" if how == "tried" else f"this raises {error}"
    return f"`{module}`{of} has no `{name}`: {then}"
