"""Losses of Optax: results by the generated table where it has an answer."""

from __future__ import annotations

from gotcha_lint.domain.value import Value
from gotcha_lint.interpret.call import Call, model
from gotcha_lint.interpret.faults.operand_shapes import check_operands
from gotcha_lint.interpret.models.optax import optimizer_or_loss
from gotcha_lint.interpret.result_types import from_table

_NAMES = """
    binary_dice_loss convex_kl_divergence cosine_distance cosine_similarity dice_loss
    generalized_kl_divergence hinge_loss huber_loss kl_divergence
    kl_divergence_with_log_targets l2_loss log_cosh multiclass_generalized_dice_loss
    multiclass_hinge_loss multiclass_perceptron_loss multiclass_sparsemax_loss perceptron_loss
    poly_loss_cross_entropy ranking_softmax_loss safe_softmax_cross_entropy
    sigmoid_binary_cross_entropy sigmoid_focal_loss smooth_labels softmax_cross_entropy
    softmax_cross_entropy_with_integer_labels sparsemax_loss squared_error
"""
_LOSSES = _NAMES.split()
_OF_PAIRS = frozenset(  # which broadcast their operands; `l2_loss` and `squared_error` raise
    ("huber_loss", "log_cosh", "sigmoid_binary_cross_entropy", "hinge_loss", "sigmoid_focal_loss")
)


@model(*(f"optax.{name}" for name in _LOSSES), *(f"optax.losses.{name}" for name in _LOSSES))
def loss(call: Call) -> Value:
    if call.short in _OF_PAIRS and len(call.args) > 1:
        check_operands(call.engine, "Sub", call.args[0], call.args[1], call.span)
    found = from_table(call, f"optax.losses.{call.short}", call.args)
    return optimizer_or_loss(call) if found is None else found
