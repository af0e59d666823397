from collections.abc import Iterator

from gotcha_lint.domain.sites import Origin, Site
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import variations
from gotcha_lint.solve.compiled_functions import Variation
from gotcha_lint.solve.programs import Programs


class JitMethodNoStaticSelf(Rule):
    """Decorates a method with `jax.jit`, so that `self` is an argument.

    ## What happens
    `TypeError: Error interpreting argument to <function Model.predict at 0x...> as an abstract
    array. The problematic value is of type <class 'Model'> and was passed to the function at path
    self.` The arguments of a jitted function are arrays, or trees of them, and an ordinary object
    is neither.

    ## Instead
    Jit a function of the arrays that it needs, or register the class as a pytree
    (`jax.tree_util.register_dataclass`). `static_argnums=0` removes the error and brings a worse
    fault: attributes are read once, see `stale-self`.

    ## Not reported
    Classes that are pytrees (Equinox, Flax NNX, `flax.struct`, registered ones) or may be: those
    with a base, a metaclass or a decorator that is not known. Static methods.

    ## References
    https://docs.jax.dev/en/latest/faq.html
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                class Model:
                    def __init__(self):
                        self.w = jnp.ones(3)

                    @jax.jit  # ! jit-method-no-static-self
                    def predict(self, batch):
                        return batch @ self.w


                Model().predict(jnp.ones((4, 3)))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def predict(w, batch):
                    return batch @ w


                class Model:
                    def __init__(self):
                        self.w = jnp.ones(3)

                    def predict(self, batch):
                        return predict(self.w, batch)


                Model().predict(jnp.ones((4, 3)))
            """,
            raises="as an abstract array",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row, variation in variations(programs, "no tree"):
            method = row.function
            if method is None or not _is_receiver(method, variation):
                continue
            own = variation.label
            cls = method.parent.name if method.parent is not None else ""
            calls = () if variation.call.span[1] == variation.call.span[3] else variation.places
            yield Foreseen(
                _decorator(row.site, method),
                f"`{method.name}` is jitted with `{own}` as an argument, and an object of "
                f"`{cls}` is neither an array nor a pytree: each call raises TypeError",
                calls,
                variation.certain,
            )


def _is_receiver(method: Function, variation: Variation) -> bool:
    """It is the object of the method: called `self`, or asked for what the class defines."""
    names, cls = [p.name for p in method.parameters], method.parent
    own = variation.label
    if cls is None or not cls.is_class or names[:1] != [own]:
        return False
    read = {step[1] for step in steps_of(method) if step[0] == "load" and step[2] == own}
    asked = {step[3] for step in steps_of(method) if step[0] == "attr" and step[2] in read}
    return own == "self" or not asked.isdisjoint(_defined(variation.cls))


def _defined(cls: Site | None) -> set[str]:
    """What the bodies of a class and of those above it define."""
    own = set[str]() if cls is None else cls.info["function"].locals
    return own.union(*map(_defined, cls.info["bases"] if cls is not None else ()))


def _decorator(site: Site, method: Function) -> Origin:
    """Where the method is jitted, in its class; a function of the project may do it there."""
    cls = method.parent
    if cls is not None and site.path == cls.path and cls.first <= site.span[0] <= cls.end_line:
        return site.path, site.span
    return method.path, (method.first, 1, method.first, 1)
