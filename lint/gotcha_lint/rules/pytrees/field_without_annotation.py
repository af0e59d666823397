"""A class attribute that looks like a field and is none."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.patterns.local.class_fields import NoField, attributes_without_field
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class FieldWithoutAnnotation(Rule):
    """Leaves out the annotation that makes a field of a class attribute.

    ## What happens
    Dataclasses, `flax.struct`, modules of Linen and of Equinox make a field of each name with an
    annotation, and of no other name. `width = 64` is an attribute of the class: the constructor
    does not take it, `replace` does not change it, and it is no leaf of the pytree.

    In a class that extends another one, `width = 64` for a field `width: int = 32` has no effect:
    the constructor writes the default of the base, 32, to each object.

    ## Instead
    `width: int = 64`; `width: ClassVar[int] = 64` for a constant.

    ## Not reported
    Names in capitals or with an underscore, functions and properties; classes with a base that is
    not known. An attribute that does not stand between two fields may be a constant: it is shown
    with `--all`.

    ## In a run
    Nothing, but for a `TypeError` where a call gives it.

    ## References
    https://docs.python.org/3/library/dataclasses.html
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Mlp(nn.Module):
                    width: int = 4

                    @nn.compact
                    def __call__(self, x):
                        return nn.Dense(self.width)(x)


                class WideMlp(Mlp):
                    width = 64  # ! field-without-annotation


                x = jnp.ones((2, 3))
                y, _ = WideMlp().init_with_output(jax.random.key(0), x)
            """,
            good="""
                import flax.linen as nn
                import jax
                import jax.numpy as jnp


                class Mlp(nn.Module):
                    width: int = 4

                    @nn.compact
                    def __call__(self, x):
                        return nn.Dense(self.width)(x)


                class WideMlp(Mlp):
                    width: int = 64


                x = jnp.ones((2, 3))
                y, _ = WideMlp().init_with_output(jax.random.key(0), x)
            """,
            shows="y.shape == (2, 4)",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            if is_test(text.module.path):
                continue
            links = text.origins.links
            for body in links.bodies(text.module):
                for one in attributes_without_field(links, body) if body.is_class else ():
                    yield _told(body.path, one)


def _told(path: str, one: NoField) -> Foreseen:
    cure = f"write `{one.name}: <type> = ...`"
    if one.field is not None:
        base, span = one.field
        return Foreseen(
            (path, one.span),
            f"this has no annotation, so it does not change the default of the field `{one.name}`: "
            f"`{one.of_class}()` gets that of `{base.name}`; {cure}",
            ((base.path, span, "this default counts"),),
        )
    return Foreseen(
        (path, one.span),
        f"`{one.name}` has no annotation, so it is no field of `{one.of_class}`: its constructor "
        f"does not take it; {cure}, or `ClassVar` for a constant",
        certain=one.between,
        severity="info",
    )
