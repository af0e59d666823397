"""Attributes of what a function of the program returns."""

import dataclasses
import json
from dataclasses import dataclass, replace

import jax


@dataclass
class Config:
    rate: float = 0.1
    width: int = 4


@dataclass
class Other:
    rates: float = 0.1


def load(path):
    config = Config()
    try:
        with open(path) as file:
            given = json.load(file)
    except FileNotFoundError:
        return config
    return replace(config, **given)


def either(path):
    if path:
        return Other()
    return Config()


def perhaps(path):
    return path or Config()


class Loader:
    def make(self):
        return Config()

    def use(self):
        return self.make().depth_of_more


def rate(path):
    config = load(path)
    return jax.numpy.float32(config.rate_at_the_end)  # ! cannot-run


def copied():
    config = dataclasses.replace(load("config.json"), width=8)
    return config.height  # ! cannot-run


def one_of_two(path):
    return either(path).height_of_one, perhaps(path).height_of_one


def there(path):
    config = load(path)
    return config.rate, config.width, dataclasses.replace(config, rate=1.0).rate
