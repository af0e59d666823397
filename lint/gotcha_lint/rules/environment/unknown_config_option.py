from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Store
from gotcha_lint.analysis.syntax import literal, walk
from gotcha_lint.facts.options import FAMILIES, GONE, OPTIONS, UPDATES, VARIABLES
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.guarded import unguarded
from gotcha_lint.queries.variables import variables
from gotcha_lint.rule import Example, Report, Rule, text_of
from gotcha_lint.rule_helpers.spelling import meant


class _Fault(NamedTuple):
    place: Call | Store
    message: str

    @property
    def where(self) -> cst.CSTNode:
        """What must run: a target of an assignment counts as prepared for by itself."""
        return self.place.node if isinstance(self.place, Call) else self.place.at.statement


class UnknownConfigOption(Rule):
    """Sets an option of JAX, or an environment variable, by a name that does not exist.

    ## What happens
    `jax.config.update("jax_enable_x46", True)` raises `AttributeError: Unrecognized config option:
    jax_enable_x46`; so does an option that a release has dropped, like `jax_array` or
    `jax_spmd_mode`. A misspelt environment variable, `JAX_ENABLE_X46` or `XLA_FLAG`, gives no error
    and has no effect. `jax.config.jax_enable_x64 = True` raises `AttributeError: property of
    'Config' object has no setter`, and a misspelt one there is silent.

    ## Instead
    `jax.config.update("jax_enable_x64", True)`; `JAX_ENABLE_X64`.

    ## Not reported
    Names that resemble no known one: they may belong to another program, or to a later release.
    Variables that the same file reads; options that are gone only from a release later than
    `target-jax` on; uses inside `try`, or behind a question for the version or the name; tests.

    ## In a run
    The `AttributeError` is explained under this name. Of the variable a run shows nothing.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax

                jax.config.update("jax_enable_x46", True)  # ! unknown-config-option
            """,
            good="""
                import jax

                jax.config.update("jax_enable_x64", True)
            """,
            raises="Unrecognized config option",
        ),
        Example(
            bad="""
                import os

                os.environ["JAX_ENABLE_X46"] = "1"  # ! unknown-config-option

                import jax.numpy as jnp

                x = jnp.ones(3)
            """,
            good="""
                import os

                os.environ["JAX_ENABLE_X64"] = "1"

                import jax.numpy as jnp

                x = jnp.ones(3)
            """,
            shows="os.environ.get('JAX_ENABLE_X64') is None",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        if is_test(site.model.path):
            return
        faults = [*self._updates(site), *_attributes(site)]
        if faults:
            free = {id(node) for node in unguarded(site.model, [one.where for one in faults])}
            yield from (
                Report(one.place.node, one.message)
                for one in faults
                if id(one.where) in free and not expected_to_fail(site, one.where)
            )
        for variable in variables(site):
            name = variable.name
            right = meant(name, VARIABLES) if name.startswith(FAMILIES) else ""
            if right and _only_set(site, name):
                text = f"nothing reads `{name}`; the variable is called `{right}`"
                yield Report(variable.place.node, text)

    def _updates(self, body: Body) -> Iterator[_Fault]:
        for call in body.of(Call):
            name = call.args[0].literal if call.name in UPDATES and call.args else None
            if not isinstance(name, str) or name in OPTIONS:
                continue
            if any(name in text_of(guard.test) for guard in call.at.guards):
                continue  # `if "jax_array" in jax.config.values`
            gone = GONE.get(name)
            if gone is not None:
                if gone.since <= self.options.target_jax:
                    yield _Fault(call, _told(name, gone.since, gone.instead))
            elif right := _meant(name):
                yield _Fault(call, f"JAX has no option `{name}`; it is called `{right}`")


def _told(name: str, since: tuple[int, int], instead: str) -> str:
    release = ".".join(map(str, since))
    cure = f"; use {instead}" if instead else ""
    return f"the option `{name}` is gone since jax {release}: AttributeError{cure}"


def _meant(name: str) -> str:
    return f"jax_{name}" if f"jax_{name}" in OPTIONS else meant(name, OPTIONS)


def _attributes(body: Body) -> Iterator[_Fault]:
    """`jax.config.jax_enable_x64 = True`."""
    for store in body.of(Store):
        if store.base.of not in ("jax.config", "jax.config.config"):
            continue
        if not isinstance(store.node, cst.Attribute):
            continue
        name = store.node.attr.value
        right = name if name in OPTIONS else _meant(name)
        if right:
            cure = f'call `jax.config.update("{right}", ...)`'
            yield _Fault(store, f"options of JAX cannot be assigned; {cure}")


def _only_set(body: Body, name: str) -> bool:
    """Nothing else in the file has the name: it is not the project's own variable."""
    texts = [n for n in walk(body.model.tree) if isinstance(n, cst.SimpleString)]
    said = sum(literal(text) == name for text in texts)
    return said <= sum(one.name == name for one in variables(body))
