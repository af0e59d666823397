"""What each setting must be, checked when a configuration is made.

Settings are read by their dotted names: `config.py` imports this module, and not the reverse.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

# What each number must be, with the names of the settings; a NaN is none of these.
RANGES: list[tuple[str, Callable[[float], bool], str]] = [
    (
        "1 or more",
        lambda x: x >= 1,
        "model.width model.depth model.head_width model.mlp model.state model.conv compute.chunk "
        "compute.ssm_chunk compute.remat_every data.length data.bins data.buckets "
        "optimizer.accumulate run.steps run.keep run.eval_every run.save_every run.log_every "
        "run.fused",
    ),
    (
        "0 or more, and less than 2**63",
        lambda x: 0 <= x < 2**63,
        "model.window compute.loss_chunk data.batch data.prefetch data.delay data.limit data.seed "
        "run.seed run.eval_batches optimizer.learning_rate optimizer.warmup optimizer.weight_decay",
    ),
    ("more than 0", lambda x: x > 0, "optimizer.clip"),
    ("between 0 and 1", lambda x: 0 < x < 1, "data.held_out"),
    ("from 0 to 1", lambda x: 0 <= x <= 1, "optimizer.final_share"),
    ("0 or more, less than 1", lambda x: 0 <= x < 1, "model.dropout optimizer.b1 optimizer.b2"),
]


def wrong(config: Any, unit: int) -> str:
    """The first setting that is out of its range, or that does not fit the others; "" if none.

    `unit`: layers in one group (`config.group`).
    """
    for words, holds, names in RANGES:
        for name in names.split():
            if not holds(value := operator.attrgetter(name)(config)):
                return f"{name}={value}: must be {words}"
    model, data, run = config.model, config.data, config.run
    sizes = (*model.features, *model.heads)
    if not (model.pattern and model.features and model.heads) or min(sizes) < 1:
        return "model.pattern, features and heads have one entry or more, of 1 or more"
    source, mixed = data.source, data.weights
    cut = run.steps % run.fused or run.eval_every % run.fused or run.save_every % run.fused
    rules = {
        "run.steps, eval_every and save_every must be multiples of run.fused": cut,
        "run.fused needs rows of one length, as of data.batching=pack": run.fused > 1
        and data.batching == "bucket",
        f"model.width must be a multiple of {model.head_width}": model.width % model.head_width,
        f"model.depth must be a multiple of {unit}: of pattern and remat_every": model.depth % unit,
        "model.tied needs one equal vocabulary": model.tied and model.features != model.heads,
        "data.batch must divide by accumulate": data.batch % config.optimizer.accumulate,
        f"data.source={source} needs data.paths": source in ("files", "tokens") and not data.paths,
        "data.weights needs data.source=tokens, and a number above 0 for each of data.paths": mixed
        and (source != "tokens" or len(mixed) != len(data.paths) or not all(x > 0 for x in mixed)),
        "model.head_width must be even: rotary positions turn pairs": model.head_width % 2,
    }
    return next((message for message, broken in rules.items() if broken), "")
