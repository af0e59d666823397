"""Looking into traced programs in a real run: what is told, and what a failing look does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.checks import checks
from gotcha_sanitizer.checks.facts import Facts
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run.checking import Checking
from gotcha_sanitizer.run.notices import Notices
from gotcha_sanitizer.run.recording import Recording
from gotcha_sanitizer.values.events import Event, Fact, Forked, Tick
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site
from tests.sanitizer.support import run

PROGRAM = """
import jax, jax.numpy as jnp

def loss(params, x, key):
    x = x * jax.random.bernoulli(key, 0.5, x.shape)
    x = x + jax.random.normal(key, x.shape)
    return (x @ params["w"]).sum() + jnp.round(params["r"]).sum()

@jax.jit
def step(params, x, key):
    return jax.tree.map(lambda p, g: p - g, params, jax.grad(loss)(params, x, key))

params = {"w": jnp.ones(3), "r": jnp.ones(4)}
for i in range(3):
    params = step(params, jnp.ones((2, 3)), jax.random.key(i))
print(float(params["w"].sum()))
"""

BROKEN = """
import gotcha_sanitizer.hooks.{module} as broken

def fail(*args):
    raise ValueError("planted")

broken.inner_jaxprs = fail
"""


def _run(text: str, tmp_path: Path, on: bool = True):
    program = tmp_path / "train.py"
    program.write_text(text, "utf-8")
    return run(program, tmp_path / "run.jsonl", on=on)


def test_a_run_tells_both(tmp_path: Path):
    result = _run(PROGRAM, tmp_path)
    assert result.code == 0, result.err
    found = {(f.name, f.site.line if f.site else 0, f.count) for f in result.problems}
    assert {("key-reuse", 6, 1), ("zero-gradient", 7, 1)} <= found, result.err
    assert result.out == _run(PROGRAM, tmp_path, on=False).out


def test_a_look_that_fails_is_told_and_changes_nothing(tmp_path: Path):
    plain = _run(PROGRAM, tmp_path, on=False)
    for module in ("jaxpr.keys", "jaxpr.zero_gradients"):
        result = _run(BROKEN.format(module=module) + PROGRAM, tmp_path)
        assert (result.code, result.out) == (0, plain.out), result.err
        assert any("planted" in why for why in result.run.degraded.values())


NOTICES = Notices(Options(quiet=True))
FACT = Fact(1.0, "key-reuse", "twice", Site("a.py", 3, "f"), "f", "twice", "split it", "error")


def test_facts_are_passed_on_and_counted():
    check = Facts(Options())
    (first,) = check.on(FACT)
    (second,) = check.on(FACT)
    assert (first.name, first.severity, first.advice) == ("key-reuse", "error", "split it")
    assert (first.count, second.count) == (1, 2)
    assert first.id == second.id


def test_a_line_that_several_programs_contain_is_one_finding():
    """A sampler's step is a part of each function that the user compiles."""
    check = Facts(Options())
    unsure = replace(FACT, function="g", severity="info", confidence="medium")
    (first,), (second,), (third,) = (list(check.on(each)) for each in (unsure, FACT, unsure))
    assert first.id == second.id == third.id
    assert [f.severity for f in (first, second, third)] == ["info", "error", "error"]
    assert (third.function, third.count) == ("f", 3)
    cut = replace(FACT, gotcha="zero-gradient")
    other = replace(cut, function="g")  # another model that the same line trains
    assert len({f.id for each in (cut, other) for f in check.on(each)}) == 2


def test_a_check_is_given_events_of_the_types_that_its_parameter_is_annotated_with():
    given: list[Event] = []

    class Sees(Check):
        def on(self, event: Fact | Tick) -> Iterator[Finding]:
            given.append(event)
            yield from ()

    assert Sees.wants() == (Fact, Tick)
    checking = Checking(Options(), Recording("", dict, float, print), NOTICES, float)
    checking.use([Sees(Options())])
    for event in (FACT, Forked(1.0, None), Tick(2.0)):
        checking.on(event)
    assert given == [FACT, Tick(2.0)]


def test_each_check_wants_events_and_is_called_with_no_others():
    for check in checks().values():
        assert set(check.wants()) <= set(get_args(Event)), check.name()
