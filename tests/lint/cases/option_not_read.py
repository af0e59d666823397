import argparse
import dataclasses

import flax.linen as nn
import jax
import jax.numpy as jnp
import ml_collections
from absl import flags
from flax import nnx

FLAGS = flags.FLAGS
flags.DEFINE_float("grad_clip", 1.0, "nothing reads it")  # ! option-not-read
flags.DEFINE_integer("total_steps", 10, "is read")
_held = flags.DEFINE_integer("held_steps", 10, "is read through the holder")


def get_config():
    return ml_collections.ConfigDict(
        {
            "warmup_part": 0.1,  # ! option-not-read
            "peak_rate": 0.1,
        }
    )


class Block(nn.Module):
    width: int
    keep_rate: float = 0.1  # ! option-not-read

    @nn.compact
    def __call__(self, x):
        return nn.Dense(self.width)(x)


@dataclasses.dataclass
class Settings:
    smoothing_part: float = 0.1  # ! option-not-read
    batch_rows: int = 8


@dataclasses.dataclass
class Elsewhere:  # nothing here names it: files that are not known make one, and read it
    rows_of_others: int = 8


class Trainer:
    def __init__(self, step, rows, accumulated=1, seed=0):
        self.step = jax.jit(step)
        self.rows = rows
        self.accumulated = accumulated  # ! option-not-read
        self.first_key = jax.random.key(seed)

    def train(self, state):
        return self.step(state, self.first_key, self.rows)


def sample(logits, key, top_rows=3):  # ! option-not-read
    return jax.random.categorical(key, logits / FLAGS.total_steps)


def sample_first(logits, key, rows=3):
    return jax.random.categorical(key, logits[:rows])


def sample_last(logits, key, rows=3):
    return jax.random.categorical(key, logits[-rows:])


class Evaluator:
    def __init__(self, step, every=10):
        self.step = jax.jit(step)
        self.every = every

    def is_due(self, number):
        return number % self.every == 0


class Head(nn.Module):
    classes: int
    scale: float = 1.0

    @nn.compact
    def __call__(self, x):
        return nn.Dense(self.classes)(x) * self.scale


def sample_all(logits, key, temperature=1.0):
    return jax.random.categorical(key, logits / temperature)


class Table(nnx.Module):
    """What a variable of nnx gets by name is metadata."""

    def __init__(self, rows, dtype, rngs: nnx.Rngs):
        key = rngs.params()
        self.table = nnx.Param(jax.random.normal(key, (rows, 8)), dtype=dtype)  # ! option-not-read
        ones = nnx.initializers.ones_init()
        self.scale = nnx.Param(jnp.empty(8), init_fn=ones)  # ! option-not-read

    def __call__(self, x):
        return x * self.table + self.scale


class TableOfOneType(nnx.Module):
    def __init__(self, rows, dtype, rngs: nnx.Rngs):
        self.same = nnx.Param(jnp.ones(8), dtype=jnp.float32, sharding=("rows",))
        self.cast = nnx.Param(jnp.ones(8, dtype), dtype=dtype)
        self.unknown = nnx.Param(rows, dtype=dtype)
        self.key = rngs.params()

    def __call__(self, x):
        return x + self.same + self.cast + self.unknown + jax.random.normal(self.key, x.shape)


class Bias(nnx.Module):
    """Whose library reads what its variables keep."""

    def __init__(self, width, rngs: nnx.Rngs):
        ones = nnx.initializers.ones_init()
        self.bias = nnx.Param(jnp.zeros(width), initializer=ones)
        self.bias.value = self.bias.initializer(rngs.params(), (width,))

    def __call__(self, x):
        return x + self.bias + jax.random.normal(jax.random.key(0), x.shape)


def main(config, settings):
    parser = argparse.ArgumentParser()
    parser.add_argument("--ema-part", type=float)  # ! option-not-read
    parser.add_argument("--seed-number", type=int)
    args = parser.parse_args()
    key = jax.random.key(args.seed_number)
    trainer = Trainer(lambda state, key, rows: state, settings.batch_rows, accumulated=4)
    Block(4, keep_rate=0.5)
    Settings(smoothing_part=0.2)
    logits = trainer.train(config["peak_rate"])
    return sample(logits, key, top_rows=2), sample_all(logits, key, temperature=2.0)


def edges_of(positions, radius, messages=None, weights=None):  # ! option-not-read
    distances = jnp.linalg.norm(positions[:, None] - positions, axis=-1)
    if radius > 0:
        messages = jnp.where(distances < radius, distances, 0.0)
    else:
        messages = distances
    if weights is None:
        weights = jnp.ones_like(distances)
    return messages * weights


def charges(positions, charge):
    return edges_of(positions, 0.5, messages=charge, weights=charge)


def required(rows, seen):  # ! option-not-read
    seen = jnp.zeros(rows)
    return seen + 1


def in_some_paths(rows, seen=None):
    if rows > 3:
        seen = jnp.zeros(rows)
    return seen


def in_a_loop(rows, seen=0):
    for seen in range(rows):
        pass
    return seen


def read_by_another(rows, seen=0):
    def later():
        return seen

    seen = rows
    return later


def never_given(carry, row=None):  # ! option-not-read
    row = carry + 1
    return row, row


def use(rows):
    found = required(rows, rows), in_some_paths(rows, rows), in_a_loop(rows, rows)
    return found, read_by_another(rows, seen=rows), never_given(rows)


class Wide(nn.Module):
    spread: float = 1.0

    @nn.compact
    def __call__(self, x):
        return nn.Dense(8)(x) * self.spread


class Narrow(nn.Module):
    """Another class reads its own."""

    spread: float = 1.0  # ! option-not-read

    @nn.compact
    def __call__(self, x):
        return Wide(spread=2.0)(x)


class ReadOutside(nn.Module):
    slope: float = 1.0

    @nn.compact
    def __call__(self, x):
        return nn.Dense(8)(x)


class Sloped(nn.Module):
    inner: nn.Module
    slope: float = 1.0

    @nn.compact
    def __call__(self, x):
        return self.inner(x) * self.slope


def slope_of(module, x):
    return Sloped(ReadOutside(slope=2.0), slope=2 * module.slope)(x)


class Root(nn.Module):
    bend: float = 1.0

    def bent(self, x):
        return nn.Dense(8)(x)


class Bent(Root):
    @nn.compact
    def __call__(self, x):
        return self.bent(x) * self.bend


def bent(x):
    return Bent(bend=2.0)(x)


def flags_of_one_value():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ema", action="store_true", default=True)  # ! option-not-read
    parser.add_argument("--no-clip", action="store_false", default=False)  # ! option-not-read
    parser.add_argument("--resume", type=bool, default=False)  # ! option-not-read
    args = parser.parse_args()
    return args.ema, args.no_clip, args.resume


def flags_of_two_values(config):
    parser = argparse.ArgumentParser()
    parser.add_argument("--compile", action="store_true", default=True)
    parser.add_argument("--eager", dest="compile", action="store_false")
    parser.add_argument("--quick", action="store_true", default=False)
    parser.add_argument("--slow", action="store_false")
    parser.add_argument("--shuffle", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--plot", action="store_true", default=config.plot)
    parser.add_argument("--cache", action="store_true", default=True)
    parser.set_defaults(cache=False)
    args = parser.parse_args()
    return (
        args.compile, args.quick, args.slow, args.shuffle, args.plot, args.cache,
    )  # fmt: skip


class Commented(nn.Module):
    """The one read is switched off."""

    cells: int = 4
    stretch: int = 1  # ! option-not-read

    def __post_init__(self):
        super().__post_init__()

    @nn.compact
    def __call__(self, x):
        # x = jnp.repeat(x, self.stretch, axis=-1)
        return nn.Dense(self.cells)(x)


class Uncommented(nn.Module):
    cells: int = 4
    lengthen: int = 1

    def __post_init__(self):
        super().__post_init__()

    @nn.compact
    def __call__(self, x):
        x = jnp.repeat(x, self.lengthen, axis=-1)  # and not self.cells
        return nn.Dense(self.cells)(x)


commented = Commented(stretch=2), Uncommented(lengthen=2)
