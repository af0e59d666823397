"""What `--all` adds where the numbers and sizes of a training loop are not written out."""

from __future__ import annotations

from tests.lint.support import code, found, lint_files

MEANS = """
    import jax
    import jax.numpy as jnp
    import numpy as np


    @jax.jit
    def step(params, batch):
        return jnp.mean((batch @ params) ** 2), {"mae": jnp.mean(batch @ params)}


    def evaluate(loader, params):
        total = 0.0
        for batch in loader:
            loss, _ = step(params, batch)
            total += float(loss)
        return total / len(loader)


    def of_parts(batches, params):
        found = []
        for batch in batches:
            _, metrics = step(params, batch)
            found.append(metrics)
        return {k: np.mean([each[k] for each in found]) for k in found[0]}


    def weighted(loader, params):
        total, count = 0.0, 0
        for batch in loader:
            loss, _ = step(params, batch)
            total += loss * len(batch)
            count += len(batch)
        return total / count


    def cut(data, params):
        total = 0.0
        loader = data.batch(8, drop_remainder=True)
        for batch in loader:
            total += step(params, batch)[0]
        return total / len(loader)
"""

SAVES = """
    import jax


    @jax.jit
    def step(state):
        return state + 1


    def train(state, steps, every, save):
        for number in range(steps):
            state = step(state)
            if (number + 1) % every == 0:
                save(state)


    def counted(state, every, save):
        number = 0
        while number < 2000:
            state = step(state)
            if not number % every:
                save(state)
            number += 1


    def given_back(state, steps, every, save):
        for number in range(steps):
            state = step(state)
            if number % every == 0:
                save(state)
        return state


    def asked_for(state, steps, every, save):
        for number in range(1, steps + 1):
            state = step(state)
            if number % every == 0:
                save(state)


    def best_alone(state, steps, every, loss_of, save, best=1e9):
        for number in range(steps):
            state = step(state)
            if number % every == 0:
                loss = loss_of(state)
                if loss < best:
                    best = loss
                    save(state)
"""


def test_means_of_batches_whose_sizes_are_not_known(tmp_path):
    files = {"a.py": code(MEANS)}
    name = "mean-of-batch-means"
    assert lint_files(tmp_path, files, (name,)) == []
    assert found(lint_files(tmp_path, files, (name,), all=True)) == [(16, name), (24, name)]


def test_saves_at_turns_that_are_not_known(tmp_path):
    files = {"a.py": code(SAVES)}
    name = "end-not-saved"
    assert lint_files(tmp_path, files, (name,)) == []
    assert found(lint_files(tmp_path, files, (name,), all=True)) == [(12, name), (20, name)]


DRAWS = """
    import jax
    import numpy as np


    def batch(data):
        return data[np.random.randint(len(data), size=8)]


    def run(seed):
        return jax.random.key(seed)
"""


def test_a_seed_in_any_file_is_enough(tmp_path):
    other = "import random_helpers\n\n\ndef main():\n    random_helpers.set_seed(1)\n"
    files = {"a.py": code(DRAWS)}
    name = "unseeded-draw"
    assert found(lint_files(tmp_path / "alone", files, (name,))) == [(6, name)]
    files["main.py"] = "import a\n" + other
    assert lint_files(tmp_path / "seeded", files, (name,)) == []


def test_without_a_key_nothing_is_asked_for(tmp_path):
    text = code(DRAWS).replace("jax.random.key(seed)", "jax.numpy.ones(seed)")
    assert lint_files(tmp_path, {"a.py": text}, ("unseeded-draw",)) == []


PARAMETER = """
    from typing import Any

    import flax.linen as nn
    import jax.numpy as jnp
    import optax


    class Shared(nn.Module):
        dtype: Any = jnp.float32

        @nn.compact
        def __call__(self, x):
            x = nn.Dense(4, dtype=self.dtype)(x)
            return x * self.param("scale", nn.initializers.ones, (4,), self.dtype)


    def updated(tx, params, grads, state):
        updates, state = tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state
"""


def test_a_parameter_is_stored_in_the_type_that_layers_compute_in(tmp_path):
    findings = lint_files(tmp_path, {"model.py": code(PARAMETER)}, all=True)
    name = "computed-in-half-precision"
    assert [line for line, rule in found(findings) if rule == name] == [14]
    kept = code(PARAMETER).replace("(4,), self.dtype)", "(4,))")
    findings = lint_files(tmp_path / "kept", {"model.py": kept}, all=True)
    assert name not in [rule for _, rule in found(findings)]
