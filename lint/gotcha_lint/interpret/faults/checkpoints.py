"""A train state that leaves fields out of its checkpoint."""

from __future__ import annotations

from gotcha_lint.domain.sites import Site
from gotcha_lint.facts.checkpoints import KEY_FIELDS, PLAIN
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.saved_fields import saved_fields

LEFT_OUT = "left out of a checkpoint"


def check_saved(machine: Machine, cls: Site) -> None:
    """`save` gives a dict of some fields, `load` replaces these: the others start again."""
    found = saved_fields(cls.info["function"])
    if found is None:
        return
    own = {name: annotation for name, annotation in found.fields}
    missing = [
        name
        for name, annotation in own.items()
        if name not in found.saved
        and name not in cls.info["statics"]
        and annotation.partition("[")[0].rpartition(".")[2] not in PLAIN
    ]
    if not missing:
        return
    keys = [name for name in missing if name in KEY_FIELDS]
    at = cls.info["function"].path
    remark(
        machine, LEFT_OUT, found.span, *(keys or missing),
        places=((at, found.loaded, "such a dict is put back here"),),
        maybe=not keys,
    )  # fmt: skip
