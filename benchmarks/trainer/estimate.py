"""What a step should take on a GPU, term by term, by its operations and its bytes.

Estimated, not measured: written down before the first run on a card, so that a measurement that is
off names the term. The rates are what large products and copies reach on such cards, as published;
each term is the time of its own bottleneck, and terms add up, as they run one after another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import jax

from benchmarks.trainer.row import Row
from reference_trainer import metrics
from reference_trainer.config import Config
from reference_trainer.run.presets import PRESETS
from reference_trainer.train import state as states

NOTE = "estimated, not measured"


class Card(NamedTuple):
    """Dense bfloat16 FLOP/s, bytes/s and bytes, by the maker's data sheet."""

    flops: float
    bandwidth: float
    memory: float


CARDS = {
    "RTX 4090": Card(165e12, 1.01e12, 24e9),
    "L40S": Card(362e12, 0.86e12, 48e9),
    "A100": Card(312e12, 2.04e12, 80e9),
    "H100": Card(989e12, 3.35e12, 80e9),
    "H200": Card(989e12, 4.80e12, 141e9),
}
PRODUCTS = 0.70  # of the peak, in large products: 0.78 is the best that was reported on an H200
FLASH = 0.40  # of the peak, in flash attention with heads of 64, forward and backward
BYTES = 0.80  # of the bandwidth, in passes over arrays
TF32 = 0.5  # of the peak in bfloat16
SSD_BYTES = 150e3  # of a state space layer, for each token: decays and states of the chunked form
# Kept of a layer for the backward pass, as multiples of its input in bfloat16. Those with remat are
# what `tests/reference_trainer/test_remat.py` holds the trainer to.
KEPT = {"none": 18, "dots": 10, "attention": 2, "full": 1}


class Estimate(NamedTuple):
    """Of one training step on one card."""

    seconds: dict[str, float]  # by term
    tokens_per_second: float
    share: float  # model FLOPs utilisation, of the peak in bfloat16
    memory: float  # bytes

    def __str__(self) -> str:
        terms = ", ".join(f"{name} {1e3 * value:.1f} ms" for name, value in self.seconds.items())
        return f"{NOTE}; {terms}; {self.memory / 1e9:.0f} GB"


def estimate(config: Config, card: Card) -> Estimate:
    model, compute, data = config.model, config.compute, config.data
    tokens, width, wide = data.batch * data.length, model.width, compute.dtype == "float32"
    size = 4 if wide else 2
    peak, bandwidth = card.flops * (TF32 if wide else 1.0), BYTES * card.bandwidth
    shapes = jax.eval_shape(lambda: states.init(jax.random.key(0), config)).params
    count, vocabulary = metrics.parameters(shapes), sum(model.heads)
    weights = metrics.parameters(shapes["layers"])
    kinds = [model.pattern[i % len(model.pattern)] for i in range(model.depth)]
    attending, ssm = kinds.count("attention"), kinds.count("ssm")
    again = {"none": 3, "dots": 3, "attention": 4, "full": 4}[compute.remat] / 3
    pairs = data.batch * data.length**2 * width  # a multiply and an add each, in one product
    passes = 14 + 2 * model.mlp  # norms, rotations, residuals and GELU: reads and writes, forward
    flash = compute.attention in ("cudnn", "packed")
    scores = data.batch * (width // model.head_width) * data.length**2
    mixing = 7 * pairs / (FLASH * peak)  # 2 products forward, 5 backward, halved for causality
    if not flash:
        mixing = 12 * pairs / (PRODUCTS * peak) + 10 * scores * 4 / bandwidth
    seconds = {
        "products of layers": again * 6 * weights * tokens / (PRODUCTS * peak),
        "head": 6 * vocabulary * width * tokens / (PRODUCTS * peak)
        + 5 * 4 * vocabulary * tokens / bandwidth,
        "attention": attending * mixing,
        "state spaces": ssm * SSD_BYTES * tokens / bandwidth,
        "norms and residuals": (attending + ssm) * 3 * passes * width * size * tokens / bandwidth,
        "optimizer and casts": count * (40 + 12) / bandwidth,
    }
    kept = KEPT[compute.remat] * size * width * tokens * model.depth
    if not flash and compute.remat == "none":
        kept += attending * scores * (4 + size)
    parts = config.optimizer.accumulate
    chunk = data.batch * (compute.loss_chunk or data.length) * vocabulary * 10 / parts
    rate = tokens / sum(seconds.values())
    share = rate * metrics.flops_per_token(config) / card.flops
    kept_seconds = {name: value for name, value in seconds.items() if value}
    return Estimate(kept_seconds, rate, share, 16 * count + kept / parts + chunk)


def largest(config: Config, card: Card) -> Config | None:
    """With as many rows, in powers of two, as 90 % of the memory holds; None: not even one."""
    batch = 1
    while estimate(sized(config, 2 * batch), card).memory < 0.9 * card.memory and batch < 4096:
        batch *= 2
    fitting = sized(config, batch)
    return fitting if estimate(fitting, card).memory < 0.9 * card.memory else None


def sized(config: Config, batch: int) -> Config:
    return config.replace(data={"batch": batch})


def models() -> dict[str, Config]:
    """As the families for a GPU measure them."""
    small, large = PRESETS["h200_124m"], PRESETS["h200_1b"]
    xla = {"attention": "xla"}
    mamba = small.replace(
        model={"depth": 24, "pattern": ("ssm",), "state": 128},
        compute=xla | {"ssm_chunk": 128},
        data={"batch": 32},
    )
    parts = small.replace(compute=xla, optimizer={"accumulate": 4})
    return {
        "gpt2, cudnn unrolled": small,
        "gpt2, xla unrolled": parts,
        "gpt2, xla unrolled fp32": parts.replace(compute={"dtype": "float32"}),
        "one_billion, cudnn unrolled": large,
        "one_billion, remat attention": large.replace(compute={"remat": "attention"}),
        "mamba, ssd unrolled": mamba,
    }


def rows(names: tuple[str, ...] = ("H100", "H200")) -> Iterator[Row]:
    """One for each model and card, and the batch that each card holds."""
    for model, config in models().items():
        for name in names:
            found = estimate(config, CARDS[name])
            yield Row(f"MFU, {model}, {name}", 100 * found.share, "%", note=str(found))
            yield Row(f"tokens/s, {model}, {name}", found.tokens_per_second, note=NOTE)
    for preset in ("h200_124m", "h200_1b"):
        for name, card in CARDS.items():
            for remat in ("none", "dots", "attention", "full"):
                fitting = largest(PRESETS[preset].replace(compute={"remat": remat}), card)
                batch = fitting.data.batch if fitting else 0
                yield Row(f"rows that fit, {preset}, remat {remat}, {name}", batch, note=NOTE)
