from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Store
from gotcha_lint.analysis.syntax import literal, walk
from gotcha_lint.facts.environment import READ_AT_IMPORT, READ_AT_START
from gotcha_lint.queries.started import backend_starts, jax_imports
from gotcha_lint.rule import Example, Report, Rule, text_of


class EnvironmentSetTooLate(Rule):
    """Sets an environment variable after it was read, so that it does nothing.

    ## What happens
    Nothing, and that is the fault: `JAX_*` variables are read while `jax` is imported, and are
    ignored afterwards: `JAX_ENABLE_X64=1` leaves float32. `XLA_FLAGS` is read when the backend
    starts, at the first array or question for devices: set after that, one device instead of four.
    Between the import and the first array `XLA_FLAGS` still works.

    ## Instead
    Set `JAX_*` above the first import of jax, flax or optax, or call `jax.config.update`; set
    `XLA_FLAGS` before anything makes an array.

    ## Not reported
    Variables set inside functions, for they may be meant for processes started later.
    """

    severity = "error"
    roots = frozenset({"environ", "putenv"})
    confirmed_by = (("environment-set-too-late", ""),)
    examples = (
        Example(
            bad="""
                import os

                import jax
                import jax.numpy as jnp

                os.environ["JAX_ENABLE_X64"] = "1"  # ! environment-set-too-late

                x = jnp.ones(3)
            """,
            good="""
                import os

                os.environ["JAX_ENABLE_X64"] = "1"

                import jax
                import jax.numpy as jnp

                x = jnp.ones(3)
            """,
            unseen="the examples share one process, in which jax is imported already",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if site.function.number != 0:
            return
        for order, statement, node, name in _settings(site):
            if name in READ_AT_IMPORT:
                yield from self._after_import(site, statement, node, name)
            elif name.startswith(READ_AT_START):
                start = next((call for call in backend_starts(site) if call.at.order < order), None)
                if start is not None:
                    what = text_of(start.node.func)
                    yield Report(
                        node,
                        f"`{name}` is read when the backend starts, which `{what}` above has "
                        "done; set it before",
                        places=((start.node, "starts the backend"),),
                    )

    def _after_import(
        self, body: Body, statement: cst.CSTNode, node: cst.CSTNode, name: str
    ) -> Iterator[Report]:
        tops = enumerate(body.model.tree.body)
        number = next((n for n, top in tops if any(part is statement for part in walk(top))), -1)
        early = next((i for i in jax_imports(body.model) if i[0] < number), None)
        if early is not None:
            yield Report(
                node,
                f"`{name}` is read when jax is imported, which `import {early[2]}` above has "
                "done; set it before, "
                f'or call `jax.config.update("{name.lower()}", ...)`',
                places=((early[1], "imports jax"),),
            )


def _settings(body: Body) -> Iterator[tuple[int, cst.CSTNode, cst.CSTNode, str]]:
    """Assignments to environment variables, in order, with their names."""
    for store in body.of(Store):
        if (
            store.base.of == "os.environ"
            and isinstance(store.node, cst.Subscript)
            and not store.augmented
        ):
            part = store.node.slice[0].slice
            name = literal(part.value) if isinstance(part, cst.Index) else None
            yield store.at.order, store.at.statement, store.node, str(name)
    for call in body.of(Call):
        value = call.arg(1, "value")
        if call.name == "os.environ.setdefault" and value is not None and value.literal == "":
            continue  # so that the name is there, no more
        if call.name in ("os.environ.setdefault", "os.putenv") and call.args:
            yield call.at.order, call.at.statement, call.node, str(call.args[0].literal)
