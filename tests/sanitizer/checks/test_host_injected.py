"""A hook of the host side that fails: the program does not notice, and the report says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sanitizer.support import run

PROGRAM = """
import os, pickle, sys, time
import {module} as broken

def fail(*args, **kwargs):
    raise ZeroDivisionError("planted")

broken.{name} = fail
import jax, jax.numpy as jnp, numpy as np

x = jnp.arange(3.0)
gone = jnp.ones(2)
print(float(x[1]), x.tolist(), np.asarray(x).sum(), str(x), pickle.loads(pickle.dumps(x))[2])
gone.delete()
try:
    gone.tolist()
except RuntimeError as error:
    print(error)
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
kept = []
for _ in range(30):
    kept.append(x + 1)
    time.sleep(0.01)
print(len(kept))
"""
FAULTS = [
    ("gotcha_sanitizer.hooks.read_sites", "Reads._note", "host reads"),
    ("gotcha_sanitizer.hooks.read_sites", "Reads._failed", "host reads"),
    ("gotcha_sanitizer.hooks.read_sites", "where", "host reads"),
    ("gotcha_sanitizer.hooks.read_sites", "Reads.changed", "end"),
    ("gotcha_sanitizer.hooks.host_reads", "_number", "host reads"),
    ("gotcha_sanitizer.hooks.finite", "of_text", "non-finite values"),
    ("gotcha_sanitizer.hooks.pickling", "way", "pickling"),
    ("gotcha_sanitizer.hooks.forking", "_executes", "forks"),
    ("gotcha_sanitizer.hooks.memory", "resident", "ticker"),
    ("gotcha_sanitizer.hooks.memory", "holder", "ticker"),
    ("gotcha_sanitizer.hooks.environment", "Environment._start", "environment"),
    ("gotcha_sanitizer.hooks.environment", "Environment.look", "end"),
]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the program prints without the sanitizer."""
    program = tmp_path_factory.mktemp("off") / "program.py"
    program.write_text(PROGRAM.format(module="gotcha_sanitizer.hooks.finite", name="nothing"))
    return run(program, program.with_suffix(".jsonl"), on=False).out


@pytest.mark.parametrize(("module", "name", "feature"), FAULTS)
def test_planted(module: str, name: str, feature: str, undisturbed: str, tmp_path: Path):
    text = PROGRAM.format(module=module, name=name)
    if name == "of_text":
        text = text.replace("broken.of_text = fail", 'broken.LOOK["__str__"] = fail')
    if name == "holder":
        text = text.replace("range(30)", "range(120)").replace("len(kept)", "30")
    program = tmp_path / "program.py"
    program.write_text(text)
    on = run(program, tmp_path / "run.jsonl")
    assert (on.code, on.out) == (0, undisturbed)
    assert "ZeroDivisionError: planted" in on.run.degraded.get(feature, ""), on.run.degraded
    assert "Traceback" not in on.err


def test_a_jax_without_the_names_we_know(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text(
        "import jax\n"
        "import jax._src.array, jax._src.xla_bridge\n"
        "del jax._src.xla_bridge.backends_are_initialized\n"
        "kept = jax._src.array.ArrayImpl\n"
        "from gotcha_sanitizer.hooks import internals, self_tests\n"
        "assert internals.backend_started(jax) is None\n"
        "assert internals.array_class(jax) is kept\n"
        "del jax._src.array.ArrayImpl\n"
        "assert internals.array_class(jax) is kept\n"
        "missing = self_tests.self_test(jax)\n"
        "lost = {'class of arrays', 'xla_bridge.backends_are_initialized'}\n"
        "assert lost <= set(missing), missing\n"
    )
    result = run(program, tmp_path / "run.jsonl", on=False)
    assert result.code == 0, result.err


def test_everything_is_put_back(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text(
        "import jax\n"
        "kind = jax._src.array.ArrayImpl\n"
        "before = dict(vars(kind))\n"
        "from gotcha_sanitizer.run.session import start\n"
        "from gotcha_sanitizer.options import Options\n"
        "session = start(Options(quiet=True))\n"
        "changed = [k for k in before if vars(kind)[k] is not before[k]]\n"
        "assert {'__float__', 'item', '__reduce__', 'block_until_ready'} <= set(changed), changed\n"
        "import jax.numpy as jnp\n"
        "float(jnp.float32(1))\n"
        "session.finish()\n"
        "assert all(vars(kind)[k] is before[k] for k in before)\n"
        "assert set(vars(kind)) == set(before)\n"
    )
    result = run(program, tmp_path / "run.jsonl", on=False)
    assert result.code == 0, result.err
