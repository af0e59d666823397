"""A base class jits its method its own way; the class below replaces that by its own jit."""

import jax


class Base:
    def __init__(self):
        self.compile()

    def compile(self):
        self.jitted = jax.jit(self.step, static_argnames="flag")


class Trainer(Base):
    def build(self):
        self.scales, self.rates = [list(x) for x in zip(*[(i, 2 * i) for i in range(3)])]

    def compile(self):
        jitted = jax.jit(self.step, static_argnames=["group", "debug"])

        def run(*args, **kwargs):
            return jitted(*args, **kwargs)

        self.jitted = run

    def train(self, theta, groups):
        for group in groups:
            theta = self.jitted(theta, group=int(group), debug=True)
        return theta

    def step(self, theta, group, debug=True):
        return theta * self.scales[group]
