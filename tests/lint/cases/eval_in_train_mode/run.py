from flax.training import train_state
from models import Classifier, Regressor


class State(train_state.TrainState):
    pass


def create(params, tx):
    model = Classifier()
    return State.create(apply_fn=model.apply, params=params, tx=tx)


def validate(state: State, x, key):
    return state.apply_fn(state.params, x, rngs={"dropout": key})  # ! eval-in-train-mode


def validate_rightly(state: State, x, key):
    return state.apply_fn(state.params, x, training=False, rngs={"dropout": key})


def fit(model: Regressor, x):
    model.train()
    return model(x)


def evaluate(model: Regressor, x):
    model.eval()
    return model(x)


def evaluate_again(model: Regressor, x):
    return model(x)


def make(rngs):
    return Regressor(rngs)
