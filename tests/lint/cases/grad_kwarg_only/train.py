from losses import slope
from of_modules import model_slope


def step(params, batch):
    return params - 0.1 * slope(params=params, batch=batch)  # ! grad-kwarg-only


def step_by_position(params, batch):
    return params - 0.1 * slope(params, batch=batch)


def step_of_a_module(model, batch):
    return model_slope(model=model, batch=batch)
