from losses import misfit, misfit_of_pair


def wrong(model, variables, x, labels):
    out = model.apply(variables, x, mutable=["batch_stats"])  # ! mutable-result-not-unpacked
    return misfit(out, labels)


def right(model, variables, x, labels):
    out = model.apply(variables, x, mutable=["batch_stats"])
    return misfit_of_pair(out, labels)


def unpacked(model, variables, x, labels):
    out, updates = model.apply(variables, x, mutable=["batch_stats"])
    return misfit(out, labels), updates
