"""Optimizers that a caller gives, as the annotation says; nothing here holds the model."""

import flax
from flax import nnx


def given(optimizer: nnx.Optimizer, grads):
    optimizer.update(grads)  # ! nnx-optimizer-args


def given_in_quotes(optimizer: "nnx.Optimizer", grads):
    optimizer.update(grads=grads)  # ! nnx-optimizer-args


def with_the_model(model, optimizer: nnx.Optimizer, grads):
    optimizer.update(model, grads)


def not_annotated(optimizer, grads):
    optimizer.update(grads)


def asked(model, optimizer: nnx.Optimizer, grads):
    if flax.__version__ >= "0.11":
        optimizer.update(model, grads)
    else:
        optimizer.update(grads)


def tried(model, optimizer: nnx.Optimizer, grads):
    try:
        optimizer.update(model, grads)
    except TypeError:
        optimizer.update(grads)


def bound_anew(optimizer: nnx.Optimizer, grads):
    optimizer = dict(optimizer=optimizer)
    optimizer.update(grads)


def metrics(metrics: nnx.MultiMetric, values):
    metrics.update(**values)
