"""Loops outside of jit that start their operations one by one."""

import random
from typing import Any

import equinox as eqx
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from flax.training.train_state import TrainState


class Model(nn.Module):
    def setup(self):
        self.dense = nn.Dense(8)

    def __call__(self, x):
        return self.dense(x)

    def encode(self, x):
        return jnp.tanh(self.dense(x))


model = Model()
variables = model.init(jax.random.key(0), jnp.ones((4, 8)))
x = jnp.ones((4, 8))

for t in range(1000):  # ! host-bound-loop
    x = x - 0.1 * model.apply(variables, x)

for t in range(1000):  # ! host-bound-loop
    x = x - 0.1 * model.apply(variables, x, method=Model.encode)


def denoise(x):
    for _ in range(500):  # ! host-bound-loop
        x = x - 0.1 * jnp.tanh(x) * jnp.sin(x) + jnp.cos(x)
    return x


y = denoise(x)
z = jax.jit(lambda x: x.sum())(y)


def settle(x, limit):
    """Whoever calls it: what the host reads in each iteration cannot be traced."""
    while float(jnp.max(jnp.abs(x))) > limit:  # ! host-bound-loop
        x = x - 0.1 * model.apply(variables, jnp.tanh(x))
    return x


# A compiled step does the work; a few operations beside it cost little.
@jax.jit
def step(x, key):
    return x + jax.random.normal(key, x.shape), x.sum()


key = jax.random.key(1)
total = jnp.zeros(())
for i in range(100_000):
    key, sub = jax.random.split(key)
    x, loss = step(x, sub)
    total = total + loss

# Few in all.
for i in range(10):
    x = jnp.sin(x) * jnp.cos(x) + jnp.tanh(x)

# The work is done in one iteration of a hundred.
for i in range(1000):
    x, _ = step(x, key)
    if i % 100 == 0:
        for _ in range(8):
            x = jnp.sin(x) + jnp.cos(x) + jnp.tanh(x) + jnp.exp(-x) + jnp.sqrt(jnp.abs(x))


# Layers of a network: JAX traces them where somebody compiles the model.
class Stack(nn.Module):
    layers: int

    @nn.compact
    def __call__(self, x):
        for _ in range(self.layers):
            x = nn.Dense(8)(nn.relu(x)) + jnp.tanh(nn.Dense(8)(x)) * jnp.sin(nn.Dense(8)(x))
        return x


# The host computes: no device waits.

table = np.zeros(8)
for i in range(100_000):
    table = np.tanh(table) * np.sin(table) + np.cos(table) + table[i % 8]


def a_loop_that_asks_somebody(w):
    while True:
        line = input("> ")
        if not line:
            break
        x = jnp.ones((4, 4))
        for _ in range(7):
            x = jnp.tanh(x @ w) + jnp.sin(x) * 2.0 - 1.0
            x = jnp.tanh(x @ w) + jnp.sin(x) * 2.0 - 1.0
        print(float(x.sum()))


a_loop_that_asks_somebody(jnp.ones((4, 4)))


# Layers of nnx, Equinox and Haiku are some operations each.
class Cell(eqx.Module):
    lstm: eqx.nn.LSTMCell
    out: eqx.nn.Linear

    def __init__(self, key):
        first, second = jax.random.split(key)
        self.lstm = eqx.nn.LSTMCell(8, 8, key=first)
        self.out = eqx.nn.Linear(8, 8, key=second)

    def __call__(self, x, state):
        state = self.lstm(x, state)
        return self.out(state[0]), state


cell, state = Cell(jax.random.key(2)), (jnp.zeros(8), jnp.zeros(8))
row = jnp.ones(8)
for t in range(1000):  # ! host-bound-loop
    row, state = cell(row, state)


class Mixer(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(8, 8, rngs=rngs)
        self.second = nnx.Linear(8, 8, rngs=rngs)
        self.norm = nnx.LayerNorm(8, rngs=rngs)

    def __call__(self, x):
        return self.second(nnx.relu(self.first(self.norm(x))))


def generate(model: Mixer, tokens, count: int = 500):
    """Of a parameter, the annotation says what a call of it starts."""
    for _ in range(count):  # ! host-bound-loop
        scores = model(tokens)
        tokens = jnp.roll(tokens, 1).at[-1].set(jnp.argmax(scores))
    return tokens.tolist()


generate(Mixer(nnx.Rngs(0)), jnp.ones(8))


@nnx.jit
def compiled(model, x):
    return model(x)


mixer = Mixer(nnx.Rngs(1))
for t in range(1000):
    x = compiled(mixer, x)


@hk.transform
def network(x):
    return hk.Linear(8)(jnp.tanh(hk.Linear(8)(x)))


def predict(params, batches):
    for batch in batches:  # ! host-bound-loop
        print(float(jnp.sum(network.apply(params, None, batch))))


def prefill(model: Mixer, prompt, count):
    """The host reads what the second loop gives, so nobody traces the first one."""
    x = jnp.zeros(8)
    for token in prompt:  # ! host-bound-loop
        x = x + jnp.sin(model(x) * token) + model(jnp.cos(x))
    tokens = []
    for _ in range(count):
        tokens.append(int(jnp.argmax(x)))
    return tokens


def many(model, prompts):
    """What is slow here is told of above."""
    for prompt in prompts:
        print(prefill(model, prompt, 8))


def of_a_caller(x, count):
    for _ in range(count):
        x = jnp.tanh(x) * jnp.sin(x) + jnp.cos(x) * jnp.exp(-x) + jnp.sqrt(x) * jnp.log(x)
        x = jnp.tanh(x) * jnp.sin(x) + jnp.cos(x) * jnp.exp(-x) + jnp.sqrt(x) * jnp.log(x)
        x = jnp.tanh(x) * jnp.sin(x) + jnp.cos(x) * jnp.exp(-x) + jnp.sqrt(x) * jnp.log(x)
    return x


of_a_caller(x, 4)


class Policy(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Conv(4, 8, (3, 3), rngs=rngs)
        self.norm = nnx.GroupNorm(8, num_groups=4, rngs=rngs)
        self.second = nnx.Conv(8, 8, (3, 3), rngs=rngs)
        self.other = nnx.GroupNorm(8, num_groups=4, rngs=rngs)
        self.hidden = nnx.Linear(128, 64, rngs=rngs)
        self.head = nnx.Linear(64, 4, rngs=rngs)

    def __call__(self, x):
        x = nnx.relu(self.norm(self.first(x)))
        x = nnx.relu(self.other(self.second(x)))
        return self.head(nnx.relu(self.hidden(x.reshape(x.shape[0], -1))))


@nnx.jit
def improve(policy, frame):
    return jnp.sum(policy(frame))


def play(env: Any, epsilon: float):
    """A random number decides: in most iterations the model runs, op by op."""
    policy = Policy(nnx.Rngs(2))
    frame = env.reset()
    while True:  # ! host-bound-loop
        if random.random() < epsilon:
            action = env.action_space.sample()
        else:
            action = jnp.argmax(policy(frame)).item()
        frame, done = env.step(action)
        improve(policy, frame)
        if done:
            break


def play_compiled(env: Any, epsilon: float):
    policy = Policy(nnx.Rngs(2))
    best = nnx.jit(lambda policy, frame: jnp.argmax(policy(frame)))
    frame = env.reset()
    while True:
        if random.random() < epsilon:
            action = env.action_space.sample()
        else:
            action = best(policy, frame).item()
        frame, done = env.step(action)
        if done:
            break


def show_at_times(env: Any, every: int):
    """Nobody knows how often the test holds."""
    policy = Policy(nnx.Rngs(2))
    frame, step = env.reset(), 0
    while True:
        step += 1
        loss = improve(policy, frame)
        if step % every == 0:
            print(float(loss), jnp.argmax(policy(frame)).item())


def score(state: TrainState, batches):
    for batch in batches:  # ! host-bound-loop
        print(float(jnp.mean(state.apply_fn({"params": state.params}, batch))))


def tell(model: eqx.Module, rows):
    for row in rows:  # ! host-bound-loop
        print(int(jnp.argmax(model(row))))


def optimize(state: TrainState, batches):
    """What the caller has compiled."""
    for batch in batches:
        print(state.step_fn(state.params, batch))


def evaluate(model: Policy, test_loader):
    """A loader goes into no compiled function, and gives many batches."""
    total = 0.0
    for frames, targets in enumerate(test_loader):  # ! host-bound-loop
        total += jnp.mean((model(frames) - targets) ** 2)
    return total


def evaluate_listed(model: Policy, batches):
    """Three batches that a compiled function is given, perhaps."""
    total = 0.0
    for frames, targets in batches:
        total += jnp.mean((model(frames) - targets) ** 2)
    return total


def report(model: Policy, batches):
    total = 0.0
    for frames, targets in batches:  # ! host-bound-loop
        total += jnp.mean((model(frames) - targets) ** 2)
    print("loss:", total)


class Agent:
    """What it is asked in a loop, the host reads: nothing traces the loop."""

    def __init__(self, key):
        self.model = Deep()
        self.params = self.model.init(key, jnp.ones((1, 8)))

    def act(self, frame):
        return int(jnp.argmax(self.model.apply(self.params, jnp.asarray(frame))))


class Deep(nn.Module):
    @nn.compact
    def __call__(self, x):
        for _ in range(3):
            x = nn.relu(nn.Dense(64)(x))
        return nn.Dense(4)(x)


def play_steps(env: Any, steps: int):
    agent = Agent(jax.random.key(0))
    frame = env.reset()
    for _ in range(steps):  # ! host-bound-loop
        frame, _ = env.step(agent.act(frame))


class Compiled(Agent):
    def __init__(self, key):
        super().__init__(key)
        self.apply = jax.jit(self.model.apply)

    def act(self, frame):
        return int(jnp.argmax(self.apply(self.params, jnp.asarray(frame))))


def play_compiled_steps(env: Any, steps: int):
    agent = Compiled(jax.random.key(0))
    frame = env.reset()
    for _ in range(steps):
        frame, _ = env.step(agent.act(frame))


@jax.jit
def attend(x, w):
    return jax.nn.softmax(x @ w) @ x


def normal(x):
    centred = jnp.subtract(x, jnp.mean(x, -1, keepdims=True))
    return jnp.divide(centred, jnp.sqrt(jnp.mean(jnp.square(centred), -1, keepdims=True)))


def forward(x, params):
    """A model whose parts are jitted, one by one."""
    for w in params:
        x = normal(jax.nn.gelu(jnp.dot(normal(jnp.add(x, attend(x, w))), w)))
    return jnp.mean(jnp.log(jnp.maximum(jnp.tanh(x), 1e-6)))


def mapped(params, data):
    total = 0.0
    for batch in data:  # ! host-bound-loop
        total += jax.vmap(forward, (0, None))(batch, params)
    print(total)


def accumulated(state, data, parts: int):
    """A few operations beside what is compiled."""
    for batch in data:
        for i in range(parts):
            state = attend(state, batch[i])
        print(float(state.mean()))


def epochs(state, data, count: int):
    """What an epoch starts besides its steps is no share of it."""
    for epoch in range(count):
        for batch in data:
            state = attend(state, batch)
        scores = [jnp.tanh(state * i) + jnp.sin(state) - jnp.cos(state) for i in range(40)]
        print(epoch, scores)
