from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call, Store
from gotcha_lint.analysis.syntax import literal, walk
from gotcha_lint.facts.environment import READ_AT_IMPORT, READ_AT_START
from gotcha_lint.facts.options import UPDATES
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.started import backend_starts, jax_imports, starts_processes
from gotcha_lint.rule import Example, Report, Rule, text_of


class Setting(NamedTuple):
    name: str  # of the variable
    place: Store | Call


class EnvironmentSetTooLate(Rule):
    """Sets an environment variable after it was read, so that it does nothing.

    ## What happens
    No error and no effect: `JAX_*` variables are read while `jax` is imported, and are ignored
    afterwards: `JAX_ENABLE_X64=1` leaves float32. `XLA_FLAGS` is read when the backend starts, at
    the first array or question for devices: set after that, one device instead of four. Between the
    import and the first array `XLA_FLAGS` still works.

    ## Instead
    Set `JAX_*` above the first import of jax, flax or optax, or call `jax.config.update`; set
    `XLA_FLAGS` before anything makes an array.

    ## Not reported
    Variables set inside functions where nothing above needs jax to be ready, or in files that start
    processes: they may be meant for those; a line that is above the import as well.

    ## The price
    A setting without effect.
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
        inside = site.function.number != 0
        if inside and (not site.eager or is_test(site.model.path) or starts_processes(site)):
            return
        options = _options(site)
        for setting in _settings(site):
            if setting.name.lower() in options:
                continue
            started = setting.name.startswith(READ_AT_START)
            if inside and (started or setting.name in READ_AT_IMPORT):
                yield from self._after_start(site, setting)
            elif setting.name in READ_AT_IMPORT:
                yield from self._after_import(site, setting)
            elif started:
                yield from self._after_start(site, setting)

    def _after_start(self, body: Body, setting: Setting) -> Iterator[Report]:
        starts = backend_starts(body)
        start = next((s for s in starts if s.at.surely_before(setting.place.at)), None)
        if start is None:
            return
        what, name = text_of(start.node.func), setting.name
        read = "while jax is imported" if name in READ_AT_IMPORT else "when the backend starts"
        yield Report(
            setting.place.node,
            f"`{name}` is read {read}, and `{what}` above has caused that; set it before",
            places=((start.node, "starts the backend"),),
        )

    def _after_import(self, body: Body, setting: Setting) -> Iterator[Report]:
        name, number = setting.name, _number(body, setting)
        early = next((i for i in jax_imports(body.model) if i[0] < number), None)
        if early is not None and not _set_in_time(body, setting, early[0]):
            yield Report(
                setting.place.node,
                f"`{name}` is read when jax is imported, which `import {early[2]}` above has "
                "done; set it before, "
                f'or call `jax.config.update("{name.lower()}", ...)`',
                places=((early[1], "imports jax"),),
            )


def _number(body: Body, setting: Setting) -> int:
    """The number of the module's statement that it stands in."""
    tops = enumerate(body.model.tree.body)
    statement = setting.place.at.statement
    return next((n for n, top in tops if any(part is statement for part in walk(top))), -1)


def _set_in_time(body: Body, setting: Setting, imported: int) -> bool:
    """To the same value, before the import: this one changes nothing."""
    line = text_of(setting.place.at.statement).strip()
    return any(
        _number(body, each) < imported and text_of(each.place.at.statement).strip() == line
        for each in _settings(body)
    )


def _settings(body: Body) -> Iterator[Setting]:
    """Assignments to environment variables, in order, with their names."""
    for store in body.of(Store):
        if (
            store.base.of == "os.environ"
            and isinstance(store.node, cst.Subscript)
            and not store.augmented
        ):
            part = store.node.slice[0].slice
            name = literal(part.value) if isinstance(part, cst.Index) else None
            yield Setting(str(name), store)
    for call in body.of(Call):
        for name in _set_by(call):
            yield Setting(name, call)


def _options(body: Body) -> frozenset[str]:
    """What `jax.config.update` sets too: the variable is for the processes that this one starts."""
    calls = (call for call in body.of(Call) if call.name in UPDATES and call.args)
    return frozenset(str(call.args[0].literal) for call in calls)


def _set_by(call: Call) -> Iterator[str]:
    """The variables that a call sets."""
    if call.name == "os.environ.update":
        yield from call.kwargs
        keys = call.args[0].literal if call.args else None
        yield from map(str, keys if isinstance(keys, tuple) else ())
    if call.name in ("os.environ.setdefault", "os.putenv") and call.args:
        value = call.arg(1, "value")
        if value is None or value.literal != "":  # only so that the name is there
            yield str(call.args[0].literal)
