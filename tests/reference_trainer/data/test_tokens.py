"""Token ids from files: mapped, not read; each is predicted once; a table that fits the data."""

from __future__ import annotations

import argparse
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_trainer.commands.train import configured, options
from reference_trainer.config import Config, ConfigError, Data, DataError
from reference_trainer.data.batching import Batches
from reference_trainer.extras.baselines import baselines
from reference_trainer.run.presets import GPT2_VOCABULARY, PRESETS
from reference_trainer.run.settings import overridden
from reference_trainer.sources import load
from reference_trainer.sources.mixture import CYCLE, shares, training

LENGTH = 16


def data(*paths: object, **more: object) -> Data:
    values = {"length": LENGTH, "batch": 4, "held_out": 0.25, "loader": "simple"} | more
    return Data(source="tokens", paths=tuple(map(str, paths)), **values)  # type: ignore[arg-type]


@pytest.fixture
def ids() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 50257, 1001).astype(np.uint16)


@pytest.mark.parametrize("kind", ["bin", "npy"])
def test_each_token_but_the_first_is_predicted_once(tmp_path, ids, kind):
    if kind == "bin":
        ids.tofile(tmp_path / "x.bin")  # as nanoGPT writes them
    else:
        np.save(tmp_path / "x.npy", ids.astype(np.int64))
    corpus = load(data(tmp_path / f"x.{kind}"))
    rows = [*corpus.train, *corpus.held_out]
    np.testing.assert_array_equal(np.concatenate([row.targets[:, 0] for row in rows]), ids[1:])
    np.testing.assert_array_equal(np.concatenate([row.inputs[:, 0] for row in rows]), ids[:-1])
    assert max(len(row.inputs) for row in rows) == LENGTH
    assert len(corpus.held_out) / len(rows) == pytest.approx(0.25, abs=0.02)
    assert corpus.about["vocabulary"] == ids.max() + 1
    assert corpus.unit == "token"


def test_rows_are_views_of_the_file(tmp_path, ids):
    ids.tofile(tmp_path / "x.bin")
    corpus = load(data(tmp_path / "x.bin"))
    array: object = corpus.train[3].inputs
    while isinstance(array, np.ndarray) and not isinstance(array, np.memmap):
        array = array.base
    assert isinstance(array, np.memmap)
    assert corpus.train[3].inputs.dtype == np.uint16
    assert Batches(corpus.train, data(tmp_path / "x.bin"), shuffle=True)[0].inputs.dtype == np.int32


def test_a_mixture_is_a_function_of_the_batch_number(tmp_path):
    """Each batch is of one path; every hundred have the shares, resumed anywhere."""
    for name, token in (("a", 1), ("b", 2), ("c", 3)):
        np.full(2000, token, np.uint16).tofile(tmp_path / f"{name}.bin")
    paths = [tmp_path / f"{name}.bin" for name in "abc"]
    settings = data(*paths, weights=(1.0, 2.0, 1.0), batch=2)
    corpus = load(settings)
    assert len(corpus.groups) == 3 and sum(corpus.groups) == len(corpus.train)
    assert {int(row.inputs[0, 0]) for row in corpus.held_out} == {1, 2, 3}
    batches = training(corpus, settings, slice(None))
    found = [batches[i].inputs for i in range(200)]
    tokens = [set(np.unique(inputs[inputs > 0])) for inputs in found]
    assert all(len(kinds) == 1 for kinds in tokens)
    for cycle in (tokens[:100], tokens[100:]):
        assert [sum(kinds == {token} for kinds in cycle) for token in (1, 2, 3)] == [25, 50, 25]
    again = training(load(settings), settings, slice(None))
    np.testing.assert_array_equal(again[137].inputs, found[137])


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=8))
def test_shares_add_up(weights):
    counts = shares(weights)
    assert counts.sum() == CYCLE and counts.min() >= 1
    exact = np.array(weights) / sum(weights) * CYCLE
    assert np.all(np.abs(counts - exact)[exact >= len(weights)] <= len(weights))


def test_every_row_of_a_mixture_is_met(tmp_path, ids):
    ids[:400].tofile(tmp_path / "a.bin")
    ids[400:].tofile(tmp_path / "b.bin")
    settings = data(tmp_path / "a.bin", tmp_path / "b.bin", weights=(1.0, 1.0))
    corpus = load(settings)
    batches = training(corpus, settings, slice(None))
    met = {row.tobytes() for i in range(2 * len(batches)) for row in batches[i].targets[..., 0]}
    for document in corpus.train:
        row = np.zeros(LENGTH, np.int32)
        row[: len(document.targets)] = document.targets[:, 0]
        assert row.tobytes() in met


def test_shares_that_make_no_sense_are_refused(tmp_path):
    for weights in ((1.0,), (1.0, -1.0), (1.0, float("nan"))):
        with pytest.raises(ConfigError, match=r"data.weights needs"):
            Config(data=data("a.bin", "b.bin", weights=weights))
    with pytest.raises(ConfigError, match=r"data.weights needs data.source=tokens"):
        Config().replace(data={"weights": (1.0,)})
    assert overridden(Config(data=data("a", "b")), ["data.weights=1,2.5"]).data.weights == (1, 2.5)


def test_files_of_a_folder_are_taken_in_the_order_of_their_names(tmp_path, ids):
    ids[600:].tofile(tmp_path / "b.bin")
    ids[:600].tofile(tmp_path / "a.bin")
    corpus = load(data(tmp_path))
    first = np.concatenate([row.inputs[:, 0] for row in corpus.train])[:599]
    np.testing.assert_array_equal(first, ids[:599])


def test_other_tokens_have_another_digest(tmp_path, ids):
    ids.tofile(tmp_path / "x.bin")
    before = load(data(tmp_path / "x.bin")).about["digest"]
    ids[500] += 1
    ids.tofile(tmp_path / "x.bin")
    assert load(data(tmp_path / "x.bin")).about["digest"] != before


@pytest.mark.parametrize(
    ("name", "content", "output"),
    [
        ("x.bin", b"abc", "an odd number of bytes"),
        ("x.npy", b"abc", "not an array"),
        ("x.txt", b"abc", r"x.txt: token ids are in files .bin \(uint16\) or .npy"),
        ("x.bin", b"ab", "too few tokens"),
    ],
)
def test_files_that_hold_no_tokens_are_named(tmp_path, name, content, output):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=output):
        load(data(tmp_path / name))


def test_fractions_and_tables_are_no_tokens(tmp_path):
    for array in (np.zeros(9), np.zeros((3, 3), np.int32)):
        np.save(tmp_path / "x.npy", array)
        with pytest.raises(DataError, match="one row of whole numbers"):
            load(data(tmp_path / "x.npy"))


def test_baselines_of_tokens_count_and_do_not_compress(tmp_path):
    np.resize(np.arange(7), 2000).astype(np.uint16).tofile(tmp_path / "x.bin")
    found = baselines(load(data(tmp_path / "x.bin")))
    assert set(found) == {f"order-{n}" for n in range(7)}
    assert found["order-1"] < 0.5 < 2 < found["order-0"]


def command(*line: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    options(parser)
    return parser.parse_args(line)


@pytest.mark.parametrize(
    ("line", "vocabulary"),
    [
        (["--preset", "h200_124m"], 256),  # the standard library
        (["--preset", "h200_1b", "--data", "x.txt"], 256),
        (["--preset", "h200_124m", "--data", "x.bin"], GPT2_VOCABULARY),
        (["--preset", "h200_124m", "--data", "x.npy", "y.npy"], GPT2_VOCABULARY),
        (["model.features=300", "model.heads=300", "--preset", "h200_124m"], 300),
        (["--preset", "cpu"], 256),
    ],
)
def test_the_table_of_a_preset_fits_the_data(line, vocabulary):
    """50,048 rows of GPT-2's table never occur in bytes."""
    config = configured(command(*line))
    assert config.model.features == config.model.heads == (vocabulary,)
    assert config.data.source == {".bin": "tokens", ".npy": "tokens", ".txt": "files"}.get(
        line[-1][-4:], "stdlib"
    )


def test_text_and_tokens_together_are_refused():
    with pytest.raises(Exception, match=re.escape("--data: text, or token ids (.bin, .npy)")):
        configured(command("--data", "x.txt", "y.bin"))


@pytest.mark.parametrize("name", PRESETS)
def test_evaluation_is_a_small_part_of_a_run(name):
    """Of text as large as you like: batches that are evaluated before those that are trained on."""
    run = PRESETS[name].run
    assert name == "chorales" or 0 < run.eval_batches <= run.eval_every / 5


def test_text_is_held_in_bytes():
    corpus = load(PRESETS["cpu_smoke"].data)
    assert {document.inputs.dtype for document in corpus.train} == {np.dtype(np.uint8)}
    assert Batches(corpus.train, PRESETS["cpu_smoke"].data, True)[0].inputs.dtype == np.int32
