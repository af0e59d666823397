"""Attributes of static objects."""

from functools import partial

import jax
import jax.numpy as jnp


class Trained:
    def __init__(self, weights):
        self.weights = weights
        self.bias = 0.0
        self.discount = 0.9

    @partial(jax.jit, static_argnums=0)
    def predict(self, x):
        return x * self.weights + self.bias + self.discount  # ! stale-self, stale-self

    def fit(self, x):
        self.weights = self.weights - x.mean()
        self.bias += 1.0


class Configured:
    def __init__(self, size):
        self.setup(size)

    def setup(self, size):
        self.size = size

    @partial(jax.jit, static_argnums=0)
    def predict(self, x):
        return x * self.size


class JitsAgain:
    def __init__(self):
        self.scale = 1.0
        self.step = jax.jit(self._step)

    def _step(self, x):
        return x * self.scale

    def rescale(self, scale):
        self.scale = scale
        self.step = jax.jit(lambda x: self._step(x))


class Hashed:
    def __init__(self):
        self.scale = 1.0

    def __hash__(self):
        return hash(self.scale)

    def __eq__(self, other):
        return self.scale == other.scale

    @partial(jax.jit, static_argnums=0)
    def step(self, x):
        return x * self.scale

    def rescale(self, scale):
        self.scale = scale


class Eager:
    def step(self, x):
        return x * self.scale

    def rescale(self, scale):
        self.scale = jnp.asarray(scale)


class Helped:
    def __init__(self):
        self.weight = 0.0
        self.size = 3

    def loss(self, params, x):
        return self.scaled(jnp.sum(params * x)) / self.size

    def scaled(self, loss):
        return self.weight * loss  # ! stale-self

    @partial(jax.jit, static_argnums=0)
    def gradients(self, params, x):
        return jax.value_and_grad(self.loss)(params, x)

    def fit(self, params, xs):
        for x in xs:
            self.weight = self.weight + 0.1
            print(self.gradients(params, x))


class Closes:
    def __init__(self):
        self.scale = 1.0
        self.size = 2
        self.step = jax.jit(lambda x: x * self.scale / self.size)  # ! stale-self
        self.other = jax.jit(self._make())

    def _make(self):
        trainer = self

        def other(x):
            return x + trainer.scale  # ! stale-self

        return other

    def lower(self):
        self.scale = self.scale * 0.5


class ClosesAnew:
    def __init__(self):
        self.scale = 1.0
        self.step = jax.jit(self._make())

    def _make(self):
        def step(x):
            return x * self.scale

        return step

    def lower(self):
        self.scale = self.scale * 0.5
        self.step = jax.jit(self._make())

    def run(self, x):
        step = jax.jit(lambda x: x * self.scale)
        return step(x)


class Takes:
    def __init__(self):
        self.scale = 1.0
        scale = self.scale
        self.step = jax.jit(lambda x: x * scale)
        self.call = jax.jit(lambda x, scale: self.double(x) * scale)

    def double(self, x):
        return x * 2

    def lower(self):
        self.scale = self.scale * 0.5


def compiled(function):
    return jax.jit(function)


class Wrapped:
    def __init__(self):
        self.scale = 1.0
        self.step = compiled(self._step)

    def _step(self, x):
        return x * self.scale  # ! stale-self

    def lower(self):
        self.scale = self.scale * 0.5


def scored(model, x):
    return jnp.sum(x * model.weights) + model.discount  # ! stale-self


def hands_on(model, x):
    return scored(model, x)


def sized(model, x):
    return x * model.size


def scored_too(model, x):
    return jnp.sum(x * model.weights) + model.discount


def scored_on_the_host(model, x):
    return jnp.sum(x * model.weights) + model.discount


class HandsItselfOn:
    def __init__(self, weights, size):
        self.weights = weights
        self.discount = 0.9
        self.size = size

    @partial(jax.jit, static_argnums=0)
    def score(self, x):
        return hands_on(self, x)

    @partial(jax.jit, static_argnums=0)
    def scale(self, x):
        return sized(self, x)

    def fit(self, x):
        self.weights = self.weights - x.mean()


class HandsWhatStays:
    def __init__(self, weights):
        self.weights = weights
        self.discount = 0.9

    @partial(jax.jit, static_argnums=0)
    def score(self, x):
        return scored_too(self, x)


class HandsOnTheHost:
    def __init__(self, weights):
        self.weights = weights
        self.discount = 0.9

    def score(self, x):
        return scored_on_the_host(self, x)

    def fit(self, x):
        self.weights = self.weights - x.mean()


def compiled(function, **options):
    return jax.jit(function, **options)


class Wrapped:
    def __init__(self, weights):
        self.weights = weights
        self.choose = compiled(self._choose)

    @partial(compiled, static_argnums=0)
    def score(self, x):
        return jnp.sum(x * self.weights)  # ! stale-self

    def _choose(self, x):
        return jnp.argmax(x * self.weights)  # ! stale-self

    def fit(self, x):
        self.weights = self.weights - x.mean()


class WrappedData:
    def __init__(self, weights):
        self.weights = weights

    def score(self, x):
        return compiled_score(self.weights, x)

    def fit(self, x):
        self.weights = self.weights - x.mean()


@compiled
def compiled_score(weights, x):
    return jnp.sum(x * weights)


class OtherFlag:
    """What is cleared says nothing of the compiled function."""

    def __init__(self, weights):
        self.weights = weights
        self.fitted = False
        self.choose = jax.jit(self._choose)

    def _choose(self, x):
        return jnp.argmax(x * self.weights)  # ! stale-self

    def change(self, x):
        self.weights = self.weights - x.mean()
        self.fitted = False


class UnrelatedFlag:
    """The flag that is cleared decides nothing about the program."""

    def __init__(self):
        self.rate = 0.1
        self.predict = jax.jit(lambda x: x * 2)
        self.training = True

    @partial(jax.jit, static_argnums=0)
    def step(self, x):
        return x * self.rate  # ! stale-self

    def finish(self):
        self.rate = 0.01
        self.training = False


class OtherProgram:
    """The program that is thrown away is not the one that reads the attribute."""

    def __init__(self):
        self.rate = 0.1
        self.double = jax.jit(self._double)
        self.step = jax.jit(self._step)

    def _double(self, x):
        return x * 2

    def _step(self, x):
        return x * self.rate  # ! stale-self

    def finish(self):
        self.rate = 0.01
        self.double = None


class Built:
    """The flag decides whether the program is made, here by another method."""

    def __init__(self):
        self.rate = 0.1
        self.ready = False

    def _step(self, x):
        return x * self.rate

    def _build(self):
        self.step = jax.jit(self._step)
        self.ready = True

    def run(self, x):
        if not self.ready:
            self._build()
        return self.step(x)

    def finish(self):
        self.rate = 0.01
        self.ready = False


class BuiltUnlessReady:
    def __init__(self):
        self.rate = 0.1
        self.ready = False

    def _step(self, x):
        return x * self.rate

    def build(self):
        if self.ready:
            return
        self.step = jax.jit(self._step)
        self.ready = True

    def finish(self):
        self.rate = 0.01
        self.ready = False


class MadeByAnother:
    """The program that is thrown away is made in another method, of what stands for this one."""

    def __init__(self):
        self.rate = 0.1
        self.program = None

    def _step(self, factor, x):
        return x * self.rate * factor

    def _compiled(self):
        step = partial(self._step, 2)
        return jax.jit(step)

    def run(self, x):
        if self.program is None:
            self.program = self._compiled()
        return self.program(x)

    def finish(self):
        self.rate = 0.01
        self.program = None


class KeepsItsResult:
    """What is cleared is what the program gave, not the program."""

    def __init__(self):
        self.rate = 0.1
        self.last = None

    @partial(jax.jit, static_argnums=0)
    def step(self, x):
        return x * self.rate  # ! stale-self

    def run(self, x):
        if self.last is None:
            self.last = self.step(x)
        return self.last

    def finish(self):
        self.rate = 0.01
        self.last = None


class OfAState:
    def __init__(self, state):
        self.state = state

    @partial(jax.jit, static_argnums=0)
    def predict(self, x):
        return self.state.apply_fn(self.state.params, x)  # ! stale-self

    def step(self, grads):
        self.state = self.state.apply_gradients(grads=grads)


class MadeBefore:
    """The program is made once, by what is called before the attribute changes."""

    def __init__(self):
        self.tau = 0.0

    def loss(self, x):
        return x * self.tau  # ! stale-self

    def made(self):
        return jax.jit(self.loss)

    def run(self, data):
        loss = self.made()
        for x in data:
            self.tau = self.tau + 1.0
            loss(x)


class MadeOnce:
    """The maker keeps the program: the second run finds the first one's."""

    def __init__(self):
        self.tau = 0.0
        self.compiled = None

    def loss(self, x):
        return x * self.tau  # ! stale-self

    def made(self):
        if self.compiled is None:
            self.compiled = jax.jit(self.loss)
        return self.compiled

    def run(self, data):
        self.tau = data[0]
        loss = self.made()
        return [loss(x) for x in data]


class ChangedWhileItRuns:
    """The program is made in each run, and what it has read changes within one."""

    def __init__(self):
        self.tau = 1.0

    def loss(self, x):
        return x * self.tau  # ! stale-self

    def decay(self):
        self.tau = self.tau * 0.9

    def run(self, data):
        loss = jax.jit(self.loss)
        for x in data:
            loss(x)
            self.decay()


class Given:
    """The maker hands its program out: others keep it."""

    def __init__(self):
        self.tau = 0.5

    def loss(self, x):
        return x * self.tau  # ! stale-self

    def change(self, tau):
        self.tau = tau

    def made(self):
        loss = jax.jit(self.loss)
        return loss


class LoadedFirst:
    """What loads or sets up is called before anything is compiled, as a rule."""

    def __init__(self):
        self.weights = 1.0

    @partial(jax.jit, static_argnums=0)
    def predict(self, x):
        return x * self.weights

    def load_weights(self):
        self.weights = 2.0


class AppliedByAState:
    """Another state of it has the same function."""

    def __init__(self, state):
        self.state = state

    @partial(jax.jit, static_argnums=0)
    def predict(self, params, x):
        assert self.state is not None
        return self.state.apply_fn(params, x)

    def step(self, grads):
        self.state = self.state.apply_gradients(grads=grads)


class BranchesOnAState:
    def __init__(self):
        self.scale = None

    @partial(jax.jit, static_argnums=0)
    def predict(self, x):
        return x if self.scale is None else x * 2  # ! stale-self

    def fit(self, x):
        self.predict(x)
        self.scale = x.max()
        return self.predict(x)
