import optax


def fit(tx: optax.GradientTransformation, params, batches):
    state = tx.init(params)
    for batch in batches:
        params, state = turn(tx, params, state, batch)
    return params


def turn(tx: optax.GradientTransformation, params, state, batch):
    updates, state = tx.update(batch, state, params)
    return optax.apply_updates(params, updates), state
