"""Facts about Optax and Orbax."""

from __future__ import annotations

from gotcha_lint.facts import Fact
from gotcha_lint.facts.jax import ARRAY

LIBRARIES = {"optax", "orbax"}

OPTIMIZER = "object:optax.GradientTransformation"
_OPTIMIZERS = (
    "adabelief adadelta adagrad adafactor adam adamax adamaxw adamw adan amsgrad fromage lamb "
    "lars lbfgs lion nadam nadamw noisy_sgd novograd optimistic_gradient_descent polyak_sgd "
    "radam rmsprop rprop sgd sign_sgd sm3 yogi chain named_chain multi_transform partition masked "
    "MultiSteps apply_if_finite inject_hyperparams lookahead flatten "
    "clip clip_by_global_norm clip_by_block_rms adaptive_grad_clip add_decayed_weights add_noise "
    "scale scale_by_adam scale_by_schedule scale_by_learning_rate scale_by_rms scale_by_lion "
    "scale_by_trust_ratio scale_by_belief trace ema centralize identity set_to_zero zero_nans "
    "apply_every keep_params_nonnegative scale_by_factored_rms scale_by_param_block_rms stateless "
    "contrib.muon contrib.schedule_free contrib.prodigy contrib.dadapt_adamw contrib.sophia "
    "contrib.cocob contrib.adopt contrib.split_real_and_imaginary contrib.momo"
)
# Optimizers whose update raises ValueError without params (tried on optax 0.2.8).
NEED_PARAMS = frozenset(
    f"optax.{name}"
    for name in ["adamw", "lamb", "lion", "adafactor", "lars", "adamaxw", "nadamw", "contrib.muon", "novograd", "add_decayed_weights", "scale_by_trust_ratio", "scale_by_param_block_rms", "keep_params_nonnegative", "contrib.prodigy", "contrib.dadapt_adamw"]
)
_SCHEDULES = (
    "constant_schedule cosine_decay_schedule cosine_onecycle_schedule exponential_decay "
    "join_schedules linear_onecycle_schedule linear_schedule piecewise_constant_schedule "
    "piecewise_interpolate_schedule polynomial_schedule sgdr_schedule warmup_cosine_decay_schedule "
    "warmup_exponential_decay_schedule warmup_constant_schedule"
)

ROWS: dict[str, Fact] = {f"optax.{name}": Fact(OPTIMIZER) for name in _OPTIMIZERS.split()}
ROWS |= {f"optax.{name}": Fact("schedule") for name in _SCHEDULES.split()}
ROWS |= {
    "optax.apply_updates": Fact("tree"),
    "optax.incremental_update": Fact("tree"),
    "optax.global_norm": ARRAY,
    "optax.safe_norm": ARRAY,
    "optax.tree.norm": ARRAY,
    "orbax.checkpoint.StandardCheckpointer": Fact("object:orbax.checkpoint.StandardCheckpointer"),
    "orbax.checkpoint.AsyncCheckpointer": Fact("object:orbax.checkpoint.AsyncCheckpointer"),
    "orbax.checkpoint.PyTreeCheckpointer": Fact("object:orbax.checkpoint.PyTreeCheckpointer"),
    "orbax.checkpoint.Checkpointer": Fact("object:orbax.checkpoint.Checkpointer"),
    "orbax.checkpoint.CheckpointManager": Fact("object:orbax.checkpoint.CheckpointManager"),
}
for _loss in ["l2_loss", "squared_error", "huber_loss", "softmax_cross_entropy", "sigmoid_binary_cross_entropy", "softmax_cross_entropy_with_integer_labels", "cosine_similarity", "cosine_distance", "ctc_loss", "log_cosh", "hinge_loss", "kl_divergence"]:
    ROWS[f"optax.{_loss}"] = ARRAY
    ROWS[f"optax.losses.{_loss}"] = ARRAY

ALIASES = {"optax.tree_utils": "optax.tree"}
MODULES: dict[str, Fact] = {}
