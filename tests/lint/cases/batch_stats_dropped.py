import flax.linen as nn

model = nn.BatchNorm()


def dropped(model, variables, x):
    y, _ = model.apply(variables, x, train=True, mutable=["batch_stats"])  # ! batch-stats-dropped
    return y


def named_but_never_read(state, params, x):
    y, updates = state.apply_fn({"params": params}, x, mutable=("batch_stats", "losses"))  # ! batch-stats-dropped
    return y


def as_a_string(model, variables, x):
    logits, _ = model.apply(variables, x, mutable="batch_stats")  # ! batch-stats-dropped
    return logits


def carried(model, variables, x):
    y, updates = model.apply(variables, x, mutable=["batch_stats"])
    return y, updates["batch_stats"]


def other_collections(model, variables, x):
    y, _ = model.apply(variables, x, mutable=["intermediates"])
    return y


def not_mutable(model, variables, x):
    y, _ = model.apply(variables, x, mutable=False)
    return y


def unknown(model, variables, x, collections):
    y, _ = model.apply(variables, x, mutable=collections)
    return y


def whole(model, variables, x):
    return model.apply(variables, x, mutable=["batch_stats"])
