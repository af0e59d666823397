"""Attributes of `self` that no method of the class, or of those that it extends, writes."""

import abc

import jax
import jax.numpy as jnp


class Learner(abc.ABC):
    def __init__(self, seed):
        self.key = jax.random.key(seed)

    @abc.abstractmethod
    def loss(self, params, batch):
        """Of one batch."""

    def step(self, params, batch):
        return jax.grad(self.loss)(params, batch)


class Other(Learner):
    def __init__(self, model):
        super().__init__(0)
        self.model = model

    def loss(self, params, batch):
        return jnp.mean(self.model(params, batch))


class Ridge(Learner):
    def __init__(self, encoder, weight=0.1):
        super().__init__(0)
        self.encoder = encoder
        self.weight = weight

    def loss(self, params, batch):
        outputs = self.model(params, batch)  # ! cannot-run
        return jnp.mean(outputs) + self.weight


class RidgeOfPairs(Ridge):
    def loss(self, params, batch):
        return super().loss(params, batch) + jax.random.normal(self.key)


class Sized(Learner):
    def __init__(self, width, depth=2):
        super().__init__(0)
        self.width = width if self.depth is None else depth  # ! cannot-run


class Template(abc.ABC):
    """What extends it has the attribute."""

    def __init__(self, batch):
        self.sizes = batch, self.template_width

    @abc.abstractmethod
    def loss(self, params):
        """Of the parameters."""

    def rows(self):
        return self.template_rows


class Filled(Template):
    template_width = 3

    def __init__(self, batch):
        super().__init__(batch)
        self.template_rows = 2

    def loss(self, params):
        return jnp.sum(params["w"]) * self.template_rows * self.template_width


class Outside(Learner):
    def __init__(self):
        super().__init__(0)

    def loss(self, params, batch):
        return jnp.mean(self.given_later(batch))


class Partly(Learner):
    def __init__(self):
        super().__init__(0)

    def loss(self, params, batch):
        return jnp.mean(self.made_below)


class PartlyBelow(Partly):
    made_below = 2.0


class Declared(Learner):
    declared: float

    def __init__(self):
        super().__init__(0)

    def loss(self, params, batch):
        return jnp.mean(batch) * self.declared


def give(learner, function):
    learner.given_later = function
    return learner
