"""Divisors that are zero on the path, and `None` that is used as an object."""

from __future__ import annotations

from pathlib import Path

from tests.lint.support import code, found, lint_files, marks

TEXT = code(
    """
    import jax
    import jax.numpy as jnp


    @jax.jit
    def noise_scale(small, big, steps=1):
        return (steps * big - small) / (steps - 1)  # ! unguarded-division


    @jax.jit
    def warmed(step, warmup=0):
        return jnp.minimum(step / warmup, 1.0)  # ! unguarded-division


    @jax.jit
    def guarded(step, warmup=0):
        if warmup:
            return jnp.minimum(step / warmup, 1.0)
        return step / max(warmup, 1)


    def running(batches):
        total, count = 0.0, 0
        for batch in batches:
            total += float(jax.jit(jnp.sum)(batch))
            print(total / count)  # ! unguarded-division
            count += 1
        return total / count


    def meant(x):
        try:
            return jax.jit(jnp.sum)(x) % 0, jnp.float32(1) / 0.0
        except ZeroDivisionError:
            return x


    @jax.jit
    def sampled(key, logits, temperature=0.0):
        drawn = jax.random.categorical(key, logits / temperature)
        return jnp.where(temperature == 0, jnp.argmax(logits), drawn)


    class Meter:
        def __init__(self):
            self.total, self.count = 0.0, 0

        def mean(self):
            return self.total / self.count

        def add(self, x):
            self.total += float(jax.jit(jnp.sum)(x))
            self.count += 1


    def described(x):
        hidden = None
        y = jax.jit(jnp.sum)(x)
        print(hidden.shape)  # ! cannot-run
        return y


    def with_default(x, mask=None):
        y = jax.jit(jnp.sum)(x)
        return y + mask.sum()


    def filled(xs):
        last = None
        for x in xs:
            if last is not None:
                print(last.shape)
            last = jax.jit(jnp.sum)(x)
        return last
    """
)


def test_zero_and_none(tmp_path: Path) -> None:
    select = ("unguarded-division", "cannot-run")
    assert found(lint_files(tmp_path, {"a.py": TEXT}, select)) == marks(TEXT)


def test_the_remainder_of_a_quotient(tmp_path: Path) -> None:
    text = code(
        """
        import jax


        def train(step, batches, size, every_samples):
            every = every_samples // size
            for i, batch in enumerate(batches):
                jax.jit(step)(batch)
                if i % every == 0:
                    print(i)
                if i % max(1, every_samples // size) == 0:
                    print(i)
        """
    )
    files = {"a.py": text}
    assert lint_files(tmp_path, files, ("unguarded-division",)) == []
    also = lint_files(tmp_path, files, ("unguarded-division",), all=True)
    assert [finding.line for finding in also] == [8]


def test_the_default_of_an_option(tmp_path: Path) -> None:
    """Others may set the option, so it is no certain fault."""
    text = code(
        """
        import json

        import jax
        import jax.numpy as jnp


        def configured(config, x):
            steps = config.get("steps", 1)
            return jax.jit(jnp.sum)(x) / (steps - 1)


        def from_a_file(path, x):
            steps = json.loads(path.read_text()).get("steps", 1)
            return jax.jit(jnp.sum)(x) / (1 - 1 / steps)


        def of_more_steps(config, x):
            steps = config.get("steps", 2)
            return jax.jit(jnp.sum)(x) / (steps - 1)
        """
    )
    findings = lint_files(tmp_path, {"a.py": text}, ("unguarded-division",), all=True)
    assert [(f.line, f.severity) for f in findings] == [(9, "info"), (14, "info")]
