"""Muon for the matrices of the layers, Adam for tables, norms and vectors (Jordan et al., 2024).

Wrong: Muon for embeddings, or for stacked layers as if they were one matrix.
Right: the axes of each matrix are named; updates have the size of AdamW's (arXiv:2502.16982), so
that the learning rate and the decay can stay.
"""

from __future__ import annotations

from typing import Any

import jax
import optax
from optax.contrib import MuonDimensionNumbers

from reference_trainer.config import Optimizer
from reference_trainer.model.backbone import is_kernel


def muon(settings: Optimizer, rate: optax.Schedule) -> optax.GradientTransformation:
    return optax.contrib.muon(
        rate,
        weight_decay=settings.weight_decay,
        adam_b1=settings.b1,
        adam_b2=settings.b2,
        muon_weight_dimension_numbers=matrix_axes,
        consistent_rms=0.2,
    )


def matrix_axes(params: Any) -> Any:
    """The axes of the layers' matrices, stacked or not; None for all else."""

    def axes(path: tuple[Any, ...], leaf: Any) -> MuonDimensionNumbers | None:
        return MuonDimensionNumbers(leaf.ndim - 2, leaf.ndim - 1) if is_kernel(path) else None

    return jax.tree.map_with_path(axes, params)
