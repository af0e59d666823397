"""Loops that change the settings of another file."""

import jax
import model
from model import HISTORY, OPTIONS, given, named, remembered, returns, smoothed, weighted


def anneal(rewards, steps):
    for number in range(steps):
        print(returns(rewards))
        model.DISCOUNT = 0.9**number


def reweigh(losses):
    for loss in losses:
        print(weighted(loss), model.on_the_host(loss))
        OPTIONS["weight"] *= 0.5


def configure(smoothing):
    for name in ("SMOOTHING",):
        print(name)
        model.SMOOTHING = smoothing


def once(smoothing, rewards):
    model.SMOOTHING = smoothing
    print(smoothed(rewards))


def compiles_again(smoothing, rewards):
    for part in range(10):
        model.SMOOTHING = smoothing * part
        jax.clear_caches()
        print(smoothed(rewards))


def notes(losses):
    for loss in losses:
        HISTORY["loss"] = float(loss)
        print(remembered(), named(loss))


def passes(losses):
    weight = 1.0
    for loss in losses:
        print(given(loss, weight))
        weight = 0.5 * weight


def own_names(rows):
    settings = {"weight": 1.0}
    for row in rows:
        settings["weight"] = row
    return settings
