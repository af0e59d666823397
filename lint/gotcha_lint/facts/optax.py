"""Facts about Optax and Orbax."""

from __future__ import annotations

from gotcha_lint.facts import Fact
from gotcha_lint.facts.jax import ARRAY

LIBRARIES = {"optax", "orbax"}

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
    for name in [
        "adamw",
        "lamb",
        "lion",
        "adafactor",
        "lars",
        "adamaxw",
        "nadamw",
        "contrib.muon",
        "novograd",
        "add_decayed_weights",
        "scale_by_trust_ratio",
        "scale_by_param_block_rms",
        "keep_params_nonnegative",
        "contrib.prodigy",
        "contrib.dadapt_adamw",
        "adan",
        "fromage",
        "adaptive_grad_clip",
        "lbfgs",
        "scale_by_factored_rms",
        "contrib.momo",
        "contrib.sophia",
    ]
)
# Parts of `chain` by what they do: limit gradients; a whole optimizer, with its learning rate;
# rescale gradients keeping their sign.
CLIPS = frozenset(
    f"optax.{name}"
    for name in ("clip", "clip_by_global_norm", "clip_by_block_rms", "adaptive_grad_clip")
)
WHOLE_OPTIMIZERS = frozenset(
    f"optax.{name}"
    for name in [
        "adabelief",
        "adadelta",
        "adagrad",
        "adafactor",
        "adam",
        "adamax",
        "adamaxw",
        "adamw",
        "adan",
        "amsgrad",
        "fromage",
        "lamb",
        "lars",
        "lion",
        "nadam",
        "nadamw",
        "noisy_sgd",
        "novograd",
        "radam",
        "rmsprop",
        "sgd",
        "sm3",
        "yogi",
        "contrib.muon",
    ]
)
# Run their parts from left to right, on what the part before gives.
CHAINS = frozenset(("optax.chain", "optax.named_chain"))
# Optimizers and parts of them that keep nothing from step to step.
STATELESS = CLIPS | {"optax.sgd", "optax.sign_sgd", "optax.scale", "optax.chain", "optax.identity"}
# Words in the names of what is trained apart, each with an optimizer of its own.
RUNS = ("run", "seed", "trial", "task", "client", "fold", "restart", "member", "agent", "phase")
# Ends of names for what is positive: people write a minus in front of it.
RATES = ("lr", "learning_rate")
STARTS = ("rate", "lr_init", "rate_init", "lr_start", "rate_start", "lr_max", "rate_max")
PRECONDITIONERS = frozenset(
    f"optax.scale_by_{name}"
    for name in [
        "adam",
        "adamax",
        "adan",
        "amsgrad",
        "belief",
        "factored_rms",
        "lion",
        "novograd",
        "radam",
        "rms",
        "rss",
        "stddev",
        "yogi",
    ]
)
# They keep moments of all that they are given.
KEEPING = (WHOLE_OPTIMIZERS | PRECONDITIONERS) - {"optax.sgd", "optax.noisy_sgd"}
SIGN_KEEPING = (
    PRECONDITIONERS
    | CLIPS
    | {"optax.trace", "optax.ema", "optax.identity", "optax.centralize", "optax.zero_nans"}
    | {"optax.add_decayed_weights", "optax.scale_by_trust_ratio", "optax.add_noise"}
)
OPTIMIZERS = PRECONDITIONERS | {f"optax.{name}" for name in _OPTIMIZERS.split()}
ROWS: dict[str, Fact] = {
    "optax.global_norm": ARRAY,
    "optax.safe_norm": ARRAY,
    "optax.tree.norm": ARRAY,
}
for _loss in [
    "l2_loss",
    "squared_error",
    "huber_loss",
    "softmax_cross_entropy",
    "sigmoid_binary_cross_entropy",
    "softmax_cross_entropy_with_integer_labels",
    "cosine_similarity",
    "cosine_distance",
    "ctc_loss",
    "log_cosh",
    "hinge_loss",
    "kl_divergence",
]:
    ROWS[f"optax.{_loss}"] = ARRAY
    ROWS[f"optax.losses.{_loss}"] = ARRAY

# Losses whose first argument is logits.
LOGIT_LOSSES = frozenset(
    f"optax.{module}{name}"
    for module in ("", "losses.")
    for name in (
        "softmax_cross_entropy",
        "softmax_cross_entropy_with_integer_labels",
        "sigmoid_binary_cross_entropy",
        "safe_softmax_cross_entropy",
        "sigmoid_focal_loss",
    )
)

ALIASES = {
    "optax.tree_utils": "optax.tree",
    "orbax.checkpoint.checkpoint_manager": "orbax.checkpoint",
    "orbax.checkpoint.checkpointers": "orbax.checkpoint",
    "orbax.checkpoint.standard_checkpointer": "orbax.checkpoint",
    "orbax.checkpoint.async_checkpointer": "orbax.checkpoint",
    "orbax.checkpoint.pytree_checkpointer": "orbax.checkpoint",
}
_SYNCHRONOUS = ("PyTreeCheckpointer", "Checkpointer")
# Classes whose `save` returns before the checkpoint is written.
SCHEDULE_TYPE = "optax.Schedule"
SAVES_LATER = frozenset(
    f"orbax.checkpoint.{name}"
    for name in ("StandardCheckpointer", "AsyncCheckpointer", "CheckpointManager")
)
# What is given a path that Orbax wants to be absolute -> where it stands.
ABSOLUTE_PATHS: dict[str, tuple[int, str]] = {
    f"orbax.checkpoint.{name}.{method}": (0, "directory")
    for name in (*_SYNCHRONOUS, "StandardCheckpointer", "AsyncCheckpointer")
    for method in ("save", "restore")
} | {
    "orbax.checkpoint.CheckpointManager": (0, "directory"),
    "flax.training.checkpoints.save_checkpoint": (0, "ckpt_dir"),
    "flax.training.checkpoints.save_checkpoint_multiprocess": (0, "ckpt_dir"),
    "flax.training.checkpoints.restore_checkpoint": (0, "ckpt_dir"),
}
# What restores dicts and lists, unless it is told what was saved.
RESTORES = frozenset(
    f"orbax.checkpoint.{name}.restore"
    for name in ("StandardCheckpointer", "PyTreeCheckpointer", "CheckpointManager")
)
# What is called, or handed on to, by who waits for the end of a save.
WAITS = frozenset(
    [
        *("wait_until_finished", "check_for_errors", "close", "wait", "__exit__", "closing"),
        *("enter_context", "callback", "register", "push", "enable_async_checkpointing"),
        *("PyTreeCheckpointer", "Checkpointer"),
    ]
)
ROWS |= dict.fromkeys(LOGIT_LOSSES, ARRAY)
# What is given a learning rate, or a function of the step that gives it, as its first argument.
# After one of these a chain has the step itself: scaled by the rate, and turned round.
SCALED = WHOLE_OPTIMIZERS | {"optax.scale_by_learning_rate"}
TAKE_SCHEDULES = SCALED | {"optax.scale_by_schedule"}
# Cross entropies whose labels, the second argument, are indices of classes.
INTEGER_LABELS = frozenset(
    f"optax.{module}softmax_cross_entropy_with_integer_labels" for module in ("", "losses.")
)
# Divide by the size of the gradients, so that what was added to them before loses its own size
# -> what decays the weights as told.
NORMALISING = (
    {f"optax.{name}": "optax.adamw" for name in ("adam", "amsgrad", "adabelief", "radam", "yogi")}
    | {"optax.nadam": "optax.nadamw", "optax.adamax": "optax.adamaxw"}
    | {f"optax.{name}": f"optax.{name}" for name in ("adamw", "nadamw", "adamaxw", "lion")}
    | {
        f"optax.scale_by_{name}": ""
        for name in ("adam", "adamax", "amsgrad", "belief", "radam", "yogi", "lion")
    }
)
# Ends of names for how much the weights decay.
DECAYS = ("decay", "wd", "decay_rate")
# Ends of names for what `update` gives, and for what it is added to.
UPDATES = ("update", "updates")
PARAMETERS = ("params", "parameters", "weights")
