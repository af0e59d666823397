"""Settings: from JSON and the command line, with errors that name what is wrong."""

from __future__ import annotations

import dataclasses
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_trainer.config import Config, ConfigError, Model, Run
from reference_trainer.run.presets import PRESETS
from reference_trainer.run.ranges import RANGES
from reference_trainer.run.settings import differences, from_json, listing, overridden


@pytest.mark.parametrize("name", PRESETS)
def test_presets_survive_json(name):
    config = PRESETS[name]
    assert from_json(config.to_json()) == config
    assert hash(from_json(config.to_json())) == hash(config)


@given(
    width=st.integers(1, 64).map(lambda n: 32 * n),
    rate=st.floats(1e-6, 1.0),
    pattern=st.lists(st.sampled_from(["ssm", "attention"]), min_size=1, max_size=4),
)
def test_overrides_are_read_as_they_are_written(width, rate, pattern):
    settings = [
        f"model.width={width}",
        f"optimizer.learning_rate={rate!r}",
        f"model.pattern={','.join(pattern)}",
        f"model.depth={2 * len(pattern)}",
    ]
    config = overridden(Config(), settings)
    assert config.model.width == width
    assert config.optimizer.learning_rate == rate
    assert config.model.pattern == tuple(pattern)


@pytest.mark.parametrize(
    ("setting", "output"),
    [
        ("model.widht=64", "no setting model.widht; did you mean 'model.width'?"),
        ("run.batch=8", "no setting run.batch; did you mean 'data.batch'?"),
        ("train.steps=3", "no section 'train'; did you mean 'run.steps'?"),
        ("batch=8", "'batch=8': a setting is section.name=value; did you mean 'data.batch=8'?"),
        ("run.steps=1000.5", "must be a whole number"),
        ("optimizer.clip=x", "must be a number"),
        ("modle.width=64", "did you mean 'model'?"),
        ("model.width=wide", "must be a whole number"),
        ("model.width=true", "must be a whole number"),
        ("model.tied=maybe", "must be true or false"),
        ("compute.dtype=float8", "one of float32, bfloat16"),
        ("model.features=64,x", "must be a whole number"),
        ("width=64", "section.name=value"),
        ("model.width", "section.name=value"),
        ("model.width=33", "multiple of 32"),
        ("model.depth=0", "1 or more"),
        ("run.save_every=0", "run.save_every=0: must be 1 or more"),
        ("optimizer.accumulate=0", "1 or more"),
        ("model.head_width=0", "1 or more"),
        ("model.head_width=1", "must be even"),
        ("model.pattern=", "one entry or more"),
        ("compute.remat_every=0", "1 or more"),
        ("data.held_out=1", "between 0 and 1"),
        ("data.prefetch=-1", "data.prefetch=-1: must be 0 or more"),
        ("run.eval_batches=-1", "0 or more"),
        ("run.seed=9223372036854775808", "0 or more, and less than 2**63"),
        ("compute.loss_chunk=-1", "0 or more"),
        ("optimizer.learning_rate=-1", "optimizer.learning_rate=-1.0: must be 0 or more"),
        ("optimizer.learning_rate=1e999", "0 or more"),
        ("optimizer.warmup=-5", "0 or more"),
        ("optimizer.weight_decay=-3", "0 or more"),
        ("optimizer.clip=0", "more than 0"),
        ("optimizer.b1=2", "optimizer.b1=2.0: must be 0 or more, less than 1"),
        ("optimizer.b2=1", "0 or more, less than 1"),
        ("optimizer.final_share=-1", "from 0 to 1"),
        ("model.dropout=1", "0 or more, less than 1"),
        ("data.source=files", "needs data.paths"),
        ("optimizer.accumulate=3", "divide by accumulate"),
    ],
)
def test_mistakes_are_named(setting, output):
    with pytest.raises(ConfigError) as error:
        overridden(Config(), [setting])
    assert output in str(error.value)


@pytest.mark.parametrize("values", [[], 3, {"model": 3}, {"model": {"width": None}}])
def test_json_of_another_form_is_refused(values):
    with pytest.raises(ConfigError):
        from_json(values)


def test_every_number_has_a_range():
    """What is added later needs one too; features and heads are lists."""
    named = [name for _, _, names in RANGES for name in names.split()]
    numbers = [
        f"{section}.{name}"
        for section, values in Config().to_json().items()
        for name, value in values.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    assert sorted(named) == sorted(numbers)


@pytest.mark.parametrize("name", [name for _, _, names in RANGES for name in names.split()])
def test_nan_is_in_no_range(name):
    section, _, setting = name.partition(".")
    with pytest.raises(ConfigError, match="must be"):
        Config().replace(**{section: {setting: math.nan}})


def test_differences_are_readable():
    new = Config().replace(model={"width": 64}, run={"steps": 5})
    assert differences(Config().to_json(), new.to_json()) == [
        "model.width: 128 (saved), 64 (asked for)",
        "run.steps: 300 (saved), 5 (asked for)",
    ]


def test_help_lists_every_setting_with_its_default():
    """As it is written on a command line: all of them together give the defaults."""
    lines = re.findall(r"^  (\w+\.\w+=\S*)", listing(), flags=re.MULTILINE)
    names = {line.partition("=")[0] for line in lines}
    sections = dataclasses.asdict(Config())
    assert names == {f"{section}.{name}" for section in sections for name in sections[section]}
    assert overridden(Config(model=Model(width=64), run=Run(steps=7)), lines) == Config()


def test_help_says_what_a_setting_means_and_may_be():
    text = listing()
    assert re.search(r"model\.window=0 +attention looks back this many steps", text)
    assert re.search(r"compute\.remat=none .*none, full, attention or dots", text)
    assert "optimizer: AdamW or Muon, with warm-up and a cosine decay." in text
