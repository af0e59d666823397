"""Looking into traced programs in a real run: what is told, and what a failing look does."""

from __future__ import annotations

from pathlib import Path

from gotcha_sanitizer.checks.facts import Facts
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.values.events import Fact, Tick
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


FACT = Fact(1.0, "key-reuse", "twice", Site("a.py", 3, "f"), "f", "twice", "split it", "error")


def test_facts_are_passed_on_and_counted():
    check = Facts(Options())
    (first,) = check.on(FACT)
    (second,) = check.on(FACT)
    assert (first.name, first.severity, first.advice) == ("key-reuse", "error", "split it")
    assert (first.count, second.count) == (1, 2)
    assert first.id == second.id
    assert list(check.on(Tick(2.0))) == []
