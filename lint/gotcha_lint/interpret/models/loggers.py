"""Loggers of metrics that wait for what they are given, in the thread that calls them.

Seen to fetch arrays of JAX 0.10.2: wandb 0.31 (`log` and `Run.log`, with or without `commit`) and
`set_postfix` of tqdm 4.70 (`facts/host.py`), shown or not. tensorboardX 2.6.5 makes NumPy arrays of
its scalars, by its source. `logging` formats only what its level lets through; writers of clu may
do so in a thread of their own.
"""

from __future__ import annotations

from gotcha_lint.domain.value import NONE, Library, Value, only
from gotcha_lint.interpret.call import Call, model
from gotcha_lint.interpret.host import read


@model("wandb.log", "wandb.Run.log")
@model("tensorboardX.SummaryWriter.add_scalar", "tensorboardX.SummaryWriter.add_scalars")
def log(call: Call) -> Value:
    values = (*call.args, *call.keywords.values())
    read(call.engine, values, call.span, call.short, symbols=False)
    return NONE


@model("wandb.init")
def run(call: Call) -> Value:
    return only(Library("wandb.Run", call.origin))


@model("tensorboardX.SummaryWriter")
def writer(call: Call) -> Value:
    return only(Library("tensorboardX.SummaryWriter", call.origin))
