"""An import from within a library."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class PrivateImport(Rule):
    """Imports from a private module, or a private name, of JAX or of a library of its family.

    ## What happens
    Nothing fails, until the next release moves or removes what is imported, without a warning:
    modules with a leading underscore, as `jax._src`, are no part of the interface that JAX promises
    to keep for three months. Then the import fails, and with it the program. The same goes for a
    name with an underscore in a public module, and for all of `jaxlib`, which serves JAX alone.

    ## Instead
    The public name, where there is one: `jax.nn.initializers`, `jax.extend.core`,
    `optax.safe_increment`. Otherwise a copy of the few lines, or a fixed version of the library.

    ## Not reported
    Imports within `try` or under a condition: the program is ready for their end.

    ## References
    https://docs.jax.dev/en/latest/api_compatibility.html
    """

    severity = "info"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                from jax._src.nn import initializers  # ! private-import

                init = initializers.lecun_normal()
            """,
            good="""
                from jax.nn import initializers

                init = initializers.lecun_normal()
            """,
            unseen="both work until a release moves the module",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        seen: set[tuple[str, int]] = set()  # of an import of several names, one
        for fault in programs.faults.of("private"):
            name, library = fault.text
            line = fault.path, fault.span[0]
            if line in seen:
                continue
            seen.add(line)
            yield Foreseen(
                (fault.path, fault.span),
                f"`{name}` is private: any release of {library} may move or remove it",
                fault.places,
                fault.certain,
            )
