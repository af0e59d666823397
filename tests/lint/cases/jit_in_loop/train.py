"""Loops over what other files make."""

import jax
from makers import make_cached, make_kept, make_mapped, make_named, make_norm, make_step


def norm_of_another_file(xs):
    for x in xs:
        norm = make_norm()  # ! jit-in-loop
        print(norm(x))


def map_of_another_file(w, xs):
    for x in xs:
        print(make_mapped()(w, x))  # ! jit-in-loop


def made_before_the_loop(xs):
    norm = make_norm()
    for x in xs:
        print(norm(x))


def same_function(w, xs):
    for x in xs:
        print(make_named()(w, x))


def cached_function(w, xs):
    for x in xs:
        print(make_cached()(w, x))


def kept_function(w, xs):
    for x in xs:
        print(make_kept()(w, x))


def another_model_each_turn(models, x):
    for model in models:
        step = make_step(model)
        print(step(x))


def used_by_an_inner_loop(epochs, xs):
    for epoch in range(epochs):
        norm = make_norm()
        for x in xs:
            print(epoch, norm(x))


class Agent:
    def __init__(self, rate):
        self.rate = rate
        self.params = 1.0

    def make_learn(self):
        def learn(params, x):
            return params - self.rate * x

        return learn

    def learner(self):
        return jax.jit(self.make_learn())

    def update(self, x):
        learn = self.learner()  # ! jit-in-loop
        self.params = learn(self.params, x)


class Compiled:
    def __init__(self, rate):
        self.rate = rate
        self.params = 1.0
        self.learn = self.learner()

    def learner(self):
        return jax.jit(lambda params, x: params - 0.1 * x)

    def update(self, x):
        self.params = self.learn(self.params, x)


def double(x):
    return x * 2


def jit_around_jit(xs):
    step = double
    for x in xs:
        step = jax.jit(step)  # ! jit-in-loop
        print(step(x))


def mapped_over_and_over(x, ranks):
    mapped = double
    for _ in range(ranks):
        mapped = jax.vmap(mapped)
    y = mapped(x)
    for _ in range(ranks):
        y = jax.jit(lambda x: x + 1)(y)  # ! jit-in-loop
    return y
