"""Flax models of Hugging Face that a loss runs without dropout (floor `patterns`; may).

`model(**batch, params=params, dropout_rng=key, train=False)` is how they are called (transformers
4): `train` is false by default. Models of linen and Haiku are called otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.patterns.training.differentiated import differentiated
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.spelled import dotted

LIBRARY = "transformers"
_INPUTS = frozenset(
    ("input_ids", "attention_mask", "pixel_values", "input_features", "input_values",
     "decoder_input_ids", "token_type_ids")
)  # fmt: skip
_OF_LINEN = frozenset(("apply", "init"))


def imports_library(links: Links, module: Module) -> bool:
    return any(
        i[0] == "import" and i[2].partition(".")[0] == LIBRARY
        for body in links.bodies(module)
        for i in steps_of(body)
    )


def unswitched_models(links: Links, module: Module) -> Iterator[tuple[Function, Span]]:
    """Calls with `params=` and without `train=`, in what the file differentiates."""
    bodies = links.bodies(module)
    calls = [(body, i) for body in bodies for i in steps_of(body) if _is_of_model(links, body, i)]
    trained = differentiated(links, bodies) if calls else set[Function]()
    for body, call in calls:
        if body in trained:
            yield body, call[-1]


def _is_of_model(links: Links, body: Function, call: Instruction) -> bool:
    if call[0] != "call":
        return False
    words = {word for word, _ in call[4]}
    if "params" not in words or "train" in words or (None not in words and not words & _INPUTS):
        return False
    makers = links.makers(body)
    spread = (dotted(makers, register) for word, register in call[4] if word is None)
    named = all(name and "kwargs" not in name for name in spread)  # what is spread may say it
    return named and dotted(makers, call[2]).rpartition(".")[2] not in _OF_LINEN
