import flax.linen as nn
import jax
from flax.training import train_state

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


def first_only(model, variables, x):
    y = model.apply(variables, x, train=True, mutable=["batch_stats"])[0]  # ! batch-stats-dropped
    return y


def second_only(model, variables, x):
    return model.apply(variables, x, mutable=["batch_stats"])[1]


def evaluated(model, variables, x):
    y, _ = model.apply(variables, x, train=False, mutable=["batch_stats"])
    return y, model.apply(variables, x, train=False, mutable=["batch_stats"])[0]


class State(train_state.TrainState):
    batch_stats: dict


def of_a_state(state: State, x):
    y, _ = state.apply_fn({"params": state.params}, x, mutable=["batch_stats"])  # ! batch-stats-dropped
    return y


def auxiliary(state, x):
    def loss_fn(params):
        y, updates = state.apply_fn({"params": params}, x, mutable=["batch_stats"])  # ! batch-stats-dropped
        return y.mean(), (y, updates)

    (loss, (y, _)), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return state.apply_gradients(grads=grads), loss


def auxiliary_by_name(state, x):
    def loss_fn(params):
        y, updates = state.apply_fn({"params": params}, x, mutable=["batch_stats"])  # ! batch-stats-dropped
        return y.mean(), updates

    grad_fn = jax.value_and_grad(loss_fn, has_aux=True)
    (loss, updates), grads = grad_fn(state.params)
    return state.apply_gradients(grads=grads), loss


def auxiliary_carried(state, x):
    def loss_fn(params):
        y, updates = state.apply_fn({"params": params}, x, mutable=["batch_stats"])
        return y.mean(), (y, updates)

    grad_fn = jax.value_and_grad(loss_fn, has_aux=True)
    (loss, (y, updates)), grads = grad_fn(state.params)
    return state.apply_gradients(grads=grads, batch_stats=updates["batch_stats"])


def auxiliary_as_a_whole(state, x):
    def loss_fn(params):
        y, updates = state.apply_fn({"params": params}, x, mutable=["batch_stats"])
        return y.mean(), (y, updates)

    (loss, aux), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return grads, aux


def auxiliary_in_a_dict(state, x):
    def loss_fn(params):
        y, updates = state.apply_fn({"params": params}, x, mutable=["batch_stats"])
        return y.mean(), {"y": y, "updates": updates}

    (loss, aux), grads = jax.value_and_grad(loss_fn, has_aux=True)(state.params)
    return grads, aux["updates"]
