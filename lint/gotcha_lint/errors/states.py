"""Errors of checkpoints, of modules with the wrong parameters, and of optimizer states."""

from __future__ import annotations

from gotcha_lint.errors.known import Known, row

ROWS: tuple[Known, ...] = (
    row(
        r"Requested shape: (?P<wanted>\([^)]*\)) is not compatible with the stored shape: "
        r"(?P<stored>\([^)]*\))",
        "checkpoint-of-another-model",
        "The checkpoint holds an array of the shape {stored}, the model wants {wanted}.",
        "Build the model from the configuration that was stored with the checkpoint.",
    ),
    row(
        r"restore item and on-disk value metadata tree structures do not match|"
        r"target dict keys and state dict keys do not match|"
        r"field names of the state dict and the named tuple do not match|"
        r"size of the list and the state dict do not match",
        "checkpoint-of-another-model",
        "The tree in the checkpoint has other containers or names than the model or optimizer.",
        "Build both from the configuration that was stored with the checkpoint.",
    ),
    row(
        r"Destination (?P<argument>\S+) already exists",
        "orbax-existing-dir",
        "Orbax does not write over a checkpoint: {argument} is there already.",
        "A CheckpointManager with a step in the path, or save(..., force=True).",
    ),
    row(
        r"Checkpoint path should be absolute\. Got (?P<argument>\S+)",
        "orbax-relative-path",
        "Orbax wants a whole path, and {argument} is relative; nothing was saved.",
        "Path(folder).absolute()",
    ),
    row(
        r'For parameter "(?P<argument>\w+)" in "(?P<scope>[^"]*)", the given initializer is '
        r"expected to generate shape (?P<wanted>\([^)]*\)).{1,80}has shape (?P<stored>\([^)]*\))",
        "linen-params-of-another-model",
        "`{argument}` in {scope} has the shape {stored}; with this input the model wants {wanted}.",
        "Initialise with inputs of the width that apply gets; name layers made under an `if`.",
    ),
    row(
        r'Could not find parameter named "(?P<argument>\w+)" in scope "(?P<scope>[^"]*)"',
        "linen-params-of-another-model",
        "The parameters have no `{argument}` in {scope}.",
        "Pass those that this model's init made, as {{'params': params}}.",
    ),
    row(
        r"Submodule (?P<argument>\w+) must be defined in `setup\(\)` or in a method wrapped in",
        "linen-missing-compact",
        "{argument} is made in a method that may not make layers.",
        "Mark the method @nn.compact, or make the layer in setup.",
    ),
    row(
        r"remember these fields are only accessible from inside 'init' or 'apply'|"
        r"Can't call compact methods on unbound modules",
        "linen-setup-read-outside",
        "What setup makes is there only inside of init and apply.",
        "model.apply(variables, x, method=...), or read variables['params'].",
    ),
    row(
        r"'EmptyState' object has no attribute '(?P<argument>\w+)'",
        "opt-state-index",
        "This part of the optimizer's chain has no state; `{argument}` is in another.",
        "optax.tree.get(state, '{argument}')",
    ),
    row(
        r"'tuple' object has no attribute '(?P<argument>mu|nu|count|\w*state)'",
        "namedtuple-rebuilt-by-type general-type-first",
        "An optimizer state was rebuilt as a plain tuple.",
        "Walk it with jax.tree.map, or test for NamedTuple (_fields) before tuple.",
    ),
    row(
        r"'dict' object has no attribute '(?P<argument>mu|nu|count|\w*state)'",
        "orbax-restore-without-target",
        "A checkpoint was restored without a target: states came back as dicts.",
        "Give restore an abstract target made with jax.eval_shape.",
    ),
    row(
        r"\b\w+\.__new__\(\) missing \d+ required positional arguments?: (?P<argument>[^\n]+)",
        "namedtuple-rebuilt-by-type",
        "A named tuple was rebuilt from one iterable; its fields ({argument}) are arguments.",
        "type(x)(*values), or jax.tree.map.",
    ),
)
