"""Evaluations that run a model as in training."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.faults.remarks import note
from gotcha_lint.interpret.layers.annotated import classes_of
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.patterns.training.evaluations import Evaluations
from gotcha_lint.program.ir import Function, Module
from gotcha_lint.program.origins import Origins

IN_TRAINING = "evaluated in training mode"


def check_evaluations(machine: Machine, origins: Origins, module: Module) -> None:
    """All functions of a file."""

    def models(function: Function, parameter: str) -> Iterator[Function]:
        for cls in classes_of(machine, function, parameter):
            yield cls.info["function"]

    for one in Evaluations(origins, module, models).found():
        note(machine, IN_TRAINING, one.function, one.span, one.flag, one.parameter, *one.called)
