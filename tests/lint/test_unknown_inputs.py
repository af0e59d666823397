"""What holds although nobody knows the inputs: loaders, weights, sizes, states, users' calls.

Lines with `# ! name` must be found by default, lines with `# ? name` with `--all` alone; there may
be no other finding of the two families, and of those that are asked for.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gotcha_lint import engine
from gotcha_lint.config.settings import Settings
from tests.lint.support import code, lint_files

FAMILIES = {
    "changing-static-argument",
    "eager-optimizer-update",
    "jit-in-loop",
    "jit-of-bound-method",
    "large-constant-captured",
    "partial-last-batch",
    "unrolled-loop",
    "varying-shape",
    "weak-type-argument",
}

LOADERS = {
    "data.py": """
        import jax.numpy as jnp
        import numpy as np
        from torch.utils.data import DataLoader


        def collate(batch):
            return jnp.array(np.stack(batch))


        def get_loader(files, size):
            return DataLoader(files, batch_size=size, collate_fn=collate)


        def get_even_loader(files, size):
            return DataLoader(files, batch_size=size, collate_fn=collate, drop_last=True)
        """,
    "train.py": """
        import jax
        import jax.numpy as jnp
        import tensorflow_datasets as tfds
        from data import get_even_loader, get_loader
        from torch.utils.data import DataLoader


        @jax.jit
        def step(state, batch):
            return state + jnp.mean(batch["x"])


        def shard(batch):
            return jax.tree.map(lambda x: jnp.asarray(x), batch)


        def train(files):
            state = jnp.zeros(())
            for videos in get_loader(files, 32):
                state = step(state, dict(x=videos))  # ! partial-last-batch
            for videos in get_even_loader(files, 32):
                state = step(state, dict(x=videos))
            for x, _ in DataLoader(files, 32):
                if x.shape[0] == 32:
                    state = step(state, {"x": x})
            batches = iter(DataLoader(files, batch_size=32))
            for _ in range(100):
                state = step(state, shard(next(batches)))  # ! partial-last-batch
            first = next(iter(DataLoader(files, batch_size=32)))
            for _ in range(100):
                state = step(state, shard(first))
            for batch in tfds.as_numpy(tfds.load("mnist").shuffle(9).batch(32)):
                batch = {name: jnp.array(part) for name, part in batch.items()}
                state = step(state, batch)  # ! partial-last-batch
            for batch in tfds.as_numpy(tfds.load("mnist").repeat().batch(32)):
                state = step(state, batch)
            return state
        """,
}

WEIGHTS = {
    "train.py": """
        from functools import cache

        import jax
        import jax.numpy as jnp
        from flax import linen as nn
        from somewhere import Encoder, load


        class Head(nn.Module):
            @nn.compact
            def __call__(self, x):
                table = self.param("table", nn.initializers.ones, (512, 512))
                return x @ table


        def train(config, batches):
            encoder = Encoder(config.width)
            frozen = load(config.path)
            head = Head()

            def encode(x):
                return encoder.apply({"params": frozen}, x)

            @jax.jit
            def step(params, x):  # ! large-constant-captured
                return head.apply(params, encode(x))

            @jax.jit
            def right(params, frozen, x):
                return head.apply(params, encoder.apply({"params": frozen}, x))

            params = load(config.head)
            for x in batches:
                params = step(params, x) + right(params, frozen, x)
            return params
        """,
}

USERS = {
    "library.py": """
        import haiku as hk
        import jax
        import jax.numpy as jnp


        def synthesise(params, tokens):
            def forward(x):
                return hk.Linear(8)(x)

            predict = jax.jit(hk.transform(forward).apply)  # ! jit-of-bound-method
            return predict(params, None, jnp.asarray(tokens))


        class Buffer:
            def size(self, state):
                def count(part):
                    return jax.lax.psum(part, "i")

                return jax.pmap(count, axis_name="i")(state)[0]  # ! jit-in-loop


        def init_state(model, key):
            def make(key):
                return model.init(key)

            return jax.jit(make)(key)  # ? jit-in-loop


        def train(step_of, key, batches):
            reset = jax.jit(jax.vmap(step_of.reset))  # ? jit-in-loop
            state = reset(key)
            for batch in batches:
                state = state + batch
            return state


        def with_device(function):
            def wrapped(x):
                return jax.jit(function)(x)

            return wrapped
        """,
}

STATES = {
    "train.py": """
        import jax
        import jax.numpy as jnp
        import numpy as np
        import optax
        import orbax.checkpoint as ocp
        from flax.training.train_state import TrainState


        def new_state(model, key):
            return TrainState.create(apply_fn=model.apply, params=model.init(key), tx=optax.adam(1))


        @jax.jit
        def step(state, batch):
            grads = jax.grad(lambda p: jnp.sum(p * batch))(state.params)
            updates, opt_state = state.tx.update(grads, state.opt_state, state.params)
            return state.replace(
                step=state.opt_state.gradient_step + 1,
                params=optax.apply_updates(state.params, updates),
                opt_state=opt_state,
            )


        def train(model, key, batches, path):
            state = jax.jit(new_state, static_argnums=0)(model, key)
            if path:
                manager = ocp.CheckpointManager(path)
                state = manager.restore(3, items={"state": state})["state"]
            for batch in batches:
                state = step(state, batch)  # ! weak-type-argument
            return state


        def average(mean, params):
            return jax.tree.map(lambda m, p: m + 0.1 * p, mean, params)  # ? eager-optimizer-update


        def follow(params, batches):
            mean = params
            for batch in batches:
                params = step(params, batch)
                mean = average(mean, params)
            return mean
        """,
    "few.py": """
        import jax
        import jax.numpy as jnp
        import optax


        def run(params, turns=5):
            tx = optax.sgd(0.1)
            state = tx.init(params)
            for _ in range(turns):
                grads = jax.grad(jnp.sum)(params)
                updates, state = tx.update(grads, state, params)
                params = optax.apply_updates(params, updates)
            return params


        if __name__ == "__main__":
            print(run(jnp.ones(3)))
        """,
}

SIZES = {
    "shapes.py": """
        from functools import partial

        import jax
        import jax.numpy as jnp
        import numpy as np


        @jax.jit
        def embed(x):
            return x * 2


        @partial(jax.jit, static_argnames="rate")
        def scale(x, rate):
            return x * rate


        def rate_at(step, total):
            return 0.5 * (1.0 + np.cos(np.pi * step / total))


        def main():
            x = jnp.zeros(3)
            for step in range(100):
                embed(jnp.arange(step + 1))  # ! varying-shape
                embed(jnp.zeros(step + 1))  # ! varying-shape
                x = scale(x, rate=float(rate_at(step, 100)))  # ! changing-static-argument
            return x


        def epoch(x, size):
            for start in range(0, len(x) - size + 1, size):
                stop = start + size
                embed(x[start:stop])


        def epochs():
            x = np.zeros((64, 3), np.float32)
            for _ in range(40):
                epoch(x, 16)


        main()
        """,
}

LAYERS = {
    "model.py": """
        import jax.numpy as jnp
        from flax import linen as nn


        class Block(nn.Module):
            @nn.compact
            def __call__(self, x):
                return jnp.tanh(x) * 0.5 + jnp.sin(x)


        class Model(nn.Module):
            depth: int

            def setup(self):
                self.layers = [Block() for _ in range(self.depth)]

            def __call__(self, x):
                for layer in self.layers:  # ? unrolled-loop
                    x = layer(x)
                return x
        """,
}

COLLATED = {
    "data.py": """
        import jax.numpy as jnp
        import numpy as np


        def collate(items):
            longest = max(len(tokens) for tokens, _ in items)  # ? varying-shape
            tokens = np.zeros((len(items), longest), np.int32)
            for row, (text, _) in enumerate(items):
                tokens[row, : len(text)] = text
            return {"tokens": tokens, "labels": jnp.array([label for _, label in items])}


        class Loader:
            def collate(self, items):
                longest = max(map(len, items))  # ? varying-shape
                return np.stack([np.pad(item, (0, longest - len(item))) for item in items])


        def collate_rounded(items):
            longest = -(-max(map(len, items)) // 128) * 128
            return np.stack([np.pad(item, (0, longest - len(item))) for item in items])


        def collate_to(items, length):
            return np.stack([np.pad(item, (0, length - len(item))) for item in items])


        def whole_data(texts):
            longest = max(map(len, texts))
            return np.stack([np.pad(text, (0, longest - len(text))) for text in texts])
        """,
}


@pytest.mark.parametrize(
    "files", (LOADERS, WEIGHTS, USERS, STATES, SIZES, LAYERS, COLLATED),
    ids=("loaders", "weights", "users", "states", "sizes", "layers", "collated"),
)  # fmt: skip
def test_what_holds_for_all_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]
) -> None:
    expected: set[tuple[str, int, str, bool]] = set()
    for name, text in files.items():
        (tmp_path / name).write_text(code(text))
        for number, line in enumerate(code(text).splitlines(), 1):
            for sign in "!?":
                _, found, rule = line.partition(f"# {sign} ")
                if found:
                    expected.add((name, number, rule, sign == "!"))
    monkeypatch.chdir(tmp_path)
    seen = set[tuple[str, int, str, bool]]()
    for everything in (True, False):
        own = Settings(root=str(tmp_path), all=everything)
        report = engine.lint(sorted(files), lambda path, own=own: own)
        assert report.failures == []
        for f in report.findings:
            if f.name in FAMILIES:
                seen.discard((f.path, f.line, f.name, False))
                seen.add((f.path, f.line, f.name, not everything))
    assert seen == expected


DTYPES = """
    import jax
    import jax.numpy as jnp


    @jax.jit
    def double(x):
        return x * 2


    def main(read, fresh: bool):
        x = jnp.ones(3) if fresh else {}
        double(x)
        return double(jnp.ones(3, dtype=jnp.int32))
"""


@pytest.mark.parametrize(("other", "severity"), [("read()", "info"), ("jnp.zeros(3)", "warning")])
def test_an_array_that_may_be_something_unknown_has_no_certain_dtype(tmp_path, other, severity):
    text = code(DTYPES.format(other))
    (found,) = lint_files(tmp_path, {"a.py": text}, select=("changing-dtype",), all=True)
    assert found.severity == severity
