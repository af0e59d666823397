"""The table of what lowered programs look like: as usually written, and here."""

from __future__ import annotations

import json

import jax
import pytest

from benchmarks.trainer import properties
from reference_trainer import parallel
from tests.reference_trainer.support import ROOT


@pytest.fixture(scope="module")
def found() -> dict[str, properties.Property]:
    with jax.set_mesh(parallel.device_mesh()):
        return {one.name: one for one in properties.properties(small=True)}


def test_each_property_is_better_here(found):
    assert len(found) == 9
    assert [one for one in found.values() if not one.here < one.usual] == []


@pytest.mark.parametrize(
    ("name", "usual", "here"),
    [
        ("products of layers that write float32", 8, 0),
        ("forward kernels of cuDNN, 2 layers, remat=dots", 4, 2),
        ("products with the table, loss in chunks", 4, 3),
        ("transfers in the program for 8 devices", None, 1),
        ("of these in loops", None, 0),
    ],
)
def test_what_is_exact(found, name, usual, here):
    assert found[name].here == here
    assert usual in (None, found[name].usual)


def test_the_page_has_the_numbers_of_the_results():
    rows = json.loads((ROOT / "benchmarks/results/trainer_properties.json").read_text())["rows"]
    page = (ROOT / "docs/trainer.md").read_text().partition("| property | usually | here |")[2]
    table = page.partition("\n\n")[0]
    assert len(rows) == 9
    for row in rows:
        assert row["note"].removeprefix("usually ") in table
        assert f"{row['value']:g}" in table
