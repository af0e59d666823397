"""Bound methods given to jit."""

import jax


class Agent:
    def policy(self, x):
        return x * 2

    def act(self, x):
        return jax.jit(self.policy)(x)  # ! jit-of-bound-method

    def first(self, x):
        return jax.jit(self.policy)(x)  # ! jit-of-bound-method


def play(agent, xs):
    for x in xs:
        print(agent.act(x))


class Kept:
    def __init__(self):
        self.jitted = jax.jit(self.policy)

    def policy(self, x):
        return x * 2

    def act(self, x):
        return self.jitted(x)


def same_name_stays_alive(agent: Agent, xs):
    for x in xs:
        policy = jax.jit(agent.policy)
        print(policy(x))


def another_agent_each_turn(x):
    for size in range(10):
        agent = Agent()
        print(size, jax.jit(agent.policy)(x))


def mapped_methods_are_found_again(agent: Agent, xs):
    for x in xs:
        print(jax.pmap(agent.policy)(x))


class Learner:
    def learn(self, x):
        return x * 2

    def update(self, x):
        learn = jax.jit(self.learn)  # ! jit-of-bound-method
        return learn(x)

    def train_step(self, x):
        learn = jax.jit(self.learn)
        self.kept = learn
        return learn(x)

    def prepare(self, x):
        learn = jax.jit(self.learn)  # ! jit-of-bound-method
        return learn(x)

    def update_step(self, xs):
        learn = jax.jit(self.learn)
        return [learn(x) for x in xs]


class Plain:
    def __init__(self, weight):
        self.weight = weight

    def precompute(self, x):
        return self.weight * x


def fit_plain(weight, x, loader):
    for batch in loader:
        x = jax.jit(Plain(weight).precompute)(x + batch)  # ! jit-of-bound-method
    return x
