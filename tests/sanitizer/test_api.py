"""The functions that a program calls, in a program that the sanitizer does not watch otherwise."""

from __future__ import annotations

import functools
import os
import warnings

import pytest

import gotcha_sanitizer as gotcha
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run import session

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

QUIET = Options(quiet=True)


@pytest.fixture(params=["off", "on"])
def watched(request):
    """Whether a session runs already."""
    gotcha.stop()
    if request.param == "on":
        gotcha.start(QUIET)
    yield request.param == "on"
    gotcha.stop()


def make():
    @jax.jit
    def step(x, scale=1.0):
        return x * scale

    jax.clear_caches()
    return step


def zeros(n: int):
    return jnp.asarray([0.0] * n)


def test_names_are_functions_whatever_was_imported_before():
    import gotcha_sanitizer.explain.recompile_causes  # noqa: F401

    assert all(callable(getattr(gotcha, name)) for name in ("history", "budget", "report"))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gotcha.nothing  # noqa: B018


def test_a_warm_loop_passes(watched):
    step, x = make(), zeros(3)
    step(x)
    with gotcha.no_recompile():
        for _ in range(3):
            step(x)


def test_a_recompile_raises_with_the_explanation(watched):
    step, small, large = make(), zeros(3), zeros(4)
    step(small)
    with pytest.raises(gotcha.Recompiled) as raised, gotcha.no_recompile():
        step(large)
    (compiled,) = raised.value.programs
    assert isinstance(raised.value, AssertionError)
    assert compiled.function.endswith("step") and compiled.site and compiled.site.path == __file__
    assert compiled.seconds["compile"] > 0
    if watched:
        assert (compiled.cause, compiled.differences) == ("shape", ("x: float32[3] -> float32[4]",))
        assert "x: float32[3] -> float32[4]" in str(raised.value) and "fix: pad" in str(
            raised.value
        )
    else:
        assert "gotcha_sanitizer.start() earlier" in str(raised.value)
        assert compiled.cause == "" and compiled.shapes == "x: float32[4]"


def test_a_first_compile_in_the_block_is_fine_where_the_past_is_known():
    gotcha.start(QUIET)
    try:
        step = make()
        with gotcha.no_recompile():
            step(zeros(5))
        with pytest.raises(gotcha.Recompiled), gotcha.no_recompile():
            step(zeros(6))
    finally:
        gotcha.stop()


def test_warmup_inside_the_block(watched):
    step, values = make(), [zeros(n) for n in (3, 4, 5)]
    with gotcha.no_recompile(warmup=2):
        for value in [*values[:2], *values[:2]]:
            step(value)
    with pytest.raises(gotcha.Recompiled, match=r"float32\[8\]"), gotcha.no_recompile(warmup=2):
        for value in [*values, zeros(7), zeros(8)]:
            step(value)


def test_allow_counts_everything(watched):
    step, x = make(), zeros(3)
    with gotcha.no_recompile(allow=1):
        step(x)
    with gotcha.no_recompile(allow=0):
        step(x)
    with (
        pytest.raises(gotcha.Recompiled, match="nothing may compile"),
        gotcha.no_recompile(allow=0),
    ):
        jnp.tan(x)


def test_the_bodys_exception_is_the_one_that_comes_out(watched):
    step = make()
    with pytest.raises(KeyError, match="mine"), gotcha.no_recompile(allow=0):
        step(zeros(3))
        raise KeyError("mine")


def test_budget_is_for_one_function_and_can_be_asked(watched):
    step, other = make(), jax.jit(lambda x: x - 1)
    values = [zeros(n) for n in (3, 4)]
    with gotcha.budget(step, compiles=2) as spent:
        for value in values * 2:
            step(value)
            other(value)
        assert spent.spent == 2
        spent.check()
    assert [each.cause for each in spent.programs] == ["", "shape"]
    with (
        pytest.raises(gotcha.Recompiled, match="was compiled 2 times, 1 expected"),
        gotcha.budget(step),
    ):
        for value in (zeros(5), zeros(6)):
            step(value)


class Model:
    def __call__(self, x):
        return x * 2

    def method(self, x):
        return x * 3


def module_level(x, n):
    return x * n


@pytest.mark.parametrize(
    "form",
    [
        lambda f: f,
        lambda f: jax.jit(f),
        lambda f: jax.jit(f, donate_argnums=()),
    ],
)
@pytest.mark.parametrize(
    "source",
    [
        lambda: lambda x: x * 5,
        lambda: functools.partial(module_level, n=3),
        lambda: Model().method,
        lambda: Model(),
        lambda: jax.grad(lambda x: (x * x).sum()),
    ],
)
def test_a_function_is_found_in_every_form(source, form):
    f = source()
    jax.clear_caches()
    with gotcha.budget(form(f), compiles=1) as budget:
        jax.jit(f)(zeros(3))
        jax.jit(source())(zeros(4))
        assert budget.spent == 2
        with pytest.raises(gotcha.Recompiled):
            budget.check()
        budget.compiles = 2
    assert len(gotcha.history(form(f))) == 2


def test_history_has_causes_and_seconds_and_outlives_the_session():
    gotcha.start(QUIET)
    step = make()
    step(zeros(3))
    step(zeros(4))
    step(zeros(4), 2)
    gotcha.stop()
    first, second, third = gotcha.history(step)
    assert (first.cause, second.cause, third.cause) == ("", "shape", "pytree") or third.cause
    assert second.differences == ("x: float32[3] -> float32[4]",)
    assert set(first.seconds) == {"trace", "lower", "compile"}
    assert gotcha.history(Model().method) == ()
    assert "step" in gotcha.report()


def test_without_a_session_nothing_is_claimed(monkeypatch):
    monkeypatch.setattr(session, "_current", None)
    with pytest.raises(gotcha.NotWatching, match=r"gotcha_sanitizer.start\(\)"):
        gotcha.history(make())
    with pytest.raises(gotcha.NotWatching):
        gotcha.report()


def test_a_quiet_session_leaves_nothing_behind():
    from jax._src import monitoring

    gotcha.stop()
    before = [len(monitoring._event_listeners), len(monitoring._scalar_listeners)]
    files = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    for _ in range(50):
        with gotcha.no_recompile():
            pass
    assert before == [len(monitoring._event_listeners), len(monitoring._scalar_listeners)]
    if files:
        assert len(os.listdir("/proc/self/fd")) == files


def test_blocks_nest_and_share_a_session():
    step, values = make(), [zeros(n) for n in (3, 4)]
    with gotcha.budget(step, compiles=2) as outer:
        with gotcha.budget(step, compiles=1) as inner:
            step(values[0])
        step(values[1])
    assert (inner.spent, outer.spent) == (1, 2)


def test_a_block_that_cannot_see_says_so(monkeypatch):
    from gotcha_sanitizer.hooks import compiling

    monkeypatch.setattr(compiling, "install", lambda context: 1 / 0)
    gotcha.stop()
    with (
        pytest.warns(RuntimeWarning, match="could not see all compiles.*ZeroDivisionError"),
        gotcha.no_recompile(allow=0),
    ):
        make()(zeros(9))


def test_start_takes_options_as_text():
    gotcha.stop()
    gotcha.start("quiet=1:max_lines=30")
    current = session.current()
    assert current is not None and current.options.max_lines == 30
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with gotcha.no_recompile():
            pass
    assert session.current() is current and current.watches
    gotcha.stop()
