"""A default that is computed from the default of another field."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.patterns.local.class_fields import derived_defaults
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class DefaultFromDefault(Rule):
    """Computes the default of a field from the default of another field.

    ## What happens
    Python computes `floor: float = 0.1 * rate` once, when it makes the class. `Config(rate=1e-4)`
    changes `rate`, and `floor` keeps the value that follows from the old rate: a learning rate that
    ends above its start, a decay that is as long as a run of another length, a head of another
    width. Nothing fails.

    ## Instead
    `None` as the default, and the value in `__post_init__` or in a property:
    `return 0.1 * self.rate if self.floor is None else self.floor`.

    ## Not reported
    Fields that `__post_init__`, `__init__` or `setup` writes; `ClassVar`, `Final`, and names in
    capitals: they are constants.

    It is a warning where a call in the same file gives the one field and not the other, and a note
    elsewhere.

    ## In a run
    Nothing.

    ## References
    https://docs.python.org/3/library/dataclasses.html
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import dataclasses

                import optax


                @dataclasses.dataclass(frozen=True)
                class Config:
                    rate: float = 1e-2
                    floor: float = 0.1 * rate  # ! default-from-default


                config = Config(rate=1e-4)
                schedule = optax.linear_schedule(config.rate, config.floor, 100)
            """,
            good="""
                import dataclasses

                import optax


                @dataclasses.dataclass(frozen=True)
                class Config:
                    rate: float = 1e-2

                    @property
                    def floor(self):
                        return 0.1 * self.rate


                config = Config(rate=1e-4)
                schedule = optax.linear_schedule(config.rate, config.floor, 100)
            """,
            shows="float(schedule(100)) > float(schedule(0))",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            if is_test(text.module.path):
                continue
            links = text.origins.links
            for body in links.bodies(text.module):
                for one in derived_defaults(links, body) if body.is_class else ():
                    given = one.given
                    places = ((*given, f"`{one.name}` is not given here"),) if given else ()
                    yield Foreseen(
                        (body.path, one.span),
                        f"this is computed from the default of `{one.source}`: a caller who gives "
                        f"another `{one.source}` keeps this `{one.name}`; compute it in "
                        "`__post_init__` or a property",
                        places,
                        severity=None if given else "info",
                    )
