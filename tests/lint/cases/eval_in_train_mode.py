from flax import linen as nn

model = nn.Dropout(0.5)


def evaluate(state, x):
    return state.apply_fn(state.params, x, train=True)  # ! eval-in-train-mode


def eval_step(variables, x):
    return model.apply(variables, x, train=False)


def train_step(variables, x):
    return model.apply(variables, x, train=True)


def predict_mc_dropout(variables, x, key):
    return model.apply(variables, x, train=True, rngs={"dropout": key})


def predict(variables, x, train):
    return model.apply(variables, x, train=train)
