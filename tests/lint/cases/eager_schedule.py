import jax
import optax

schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-3, 100, 1000)
constant = optax.constant_schedule(1e-3)


@jax.jit
def train_step(w, x):
    return w - schedule(0) * x


def train(w, loader):
    for step, x in enumerate(loader):
        w = train_step(w, x)
        rate = schedule(step)  # ! eager-schedule
    return w, rate


class Trainer:
    def __init__(self, w):
        self.w = w
        self.rate = optax.linear_schedule(1e-3, 0.0, 1000)

    def fit(self, loader):
        for step, x in enumerate(loader):
            rate = self.rate(step)  # ! eager-schedule
            self.w = train_step(self.w, x)
        return rate


def train_given(w, loader, rate_of: optax.Schedule):
    for step, x in enumerate(loader):
        w = train_step(w, x)
        rate = rate_of(step)  # ! eager-schedule
    return w, rate


def logged_seldom(w, loader):
    for step, x in enumerate(loader):
        w = train_step(w, x)
        if step % 100 == 0:
            print(schedule(step))
    return w


def constant_rate(w, loader):
    for step, x in enumerate(loader):
        w = train_step(w, x)
        rate = constant(step)
    return w, rate


def after_the_loop(w, loader):
    for x in loader:
        w = train_step(w, x)
    return w, schedule(len(loader))


@jax.jit
def many_steps(w, xs):
    for step in range(10):
        w = w - schedule(step) * xs[step]
    return w


def curve():
    return [schedule(step) for step in range(1000)]
