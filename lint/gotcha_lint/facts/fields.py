"""The fields of classes outside of the project, in their order (optax 0.2.8, flax 0.12.8)."""

from __future__ import annotations

LIBRARIES: set[str] = set()

FIELDS = {
    f"optax.{name}": tuple(fields.split())
    for name, fields in {
        "ApplyIfFiniteState": "notfinite_count last_finite total_notfinite inner_state",
        "EmaState": "count ema",
        "FactoredState": "count v_row v_col v",
        "GradientTransformation": "init update",
        "GradientTransformationExtraArgs": "init update",
        "InjectHyperparamsState": "count hyperparams inner_state",
        "LookaheadParams": "fast slow",
        "LookaheadState": "fast_state steps_since_sync",
        "MultiStepsState": "mini_step gradient_step inner_opt_state acc_grads skip_state",
        "ScaleByAdaDeltaState": "e_g e_x",
        "ScaleByAdamState": "count mu nu",
        "ScaleByAmsgradState": "count mu nu nu_max",
        "ScaleByBeliefState": "count mu nu",
        "ScaleByLionState": "count mu",
        "ScaleByNovogradState": "count mu nu",
        "ScaleByRStdDevState": "mu nu",
        "ScaleByRpropState": "step_sizes prev_updates",
    }.items()
}
TRAIN_STATE_FIELDS = frozenset({"step", "apply_fn", "params", "tx", "opt_state"})
