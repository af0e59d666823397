"""Arrays that grow, and lists that do."""

import jax
import jax.numpy as jnp
import numpy as np


def append(loader):
    losses = jnp.zeros(0)
    for batch in loader:
        losses = jnp.append(losses, batch.sum())  # ! growing-array
        print(losses)


def concatenate(model, tokens):
    while True:
        new = model(tokens)
        tokens = jnp.concatenate([tokens, new], axis=1)  # ! growing-array
        print(int(new[0]))


def on_the_host(loader):
    losses = np.zeros(0)
    for batch in loader:
        losses = np.append(losses, float(batch.sum()))
    print(losses)


def in_a_list(loader):
    losses = []
    for batch in loader:
        losses.append(batch.sum())
    print(jnp.stack(losses))


def of_fixed_length(x, loader):
    for batch in loader:
        y = jnp.concatenate([x, batch])
        print(y)


@jax.jit
def unrolled(x):
    y = x
    for _ in range(10):
        y = jnp.concatenate([y, x])
    return y


def a_sliding_window(history, loader):
    for batch in loader:
        history = jnp.concatenate([history[1:], batch])
        print(history)


def none_at_first(loader):
    losses = None
    for batch in loader:
        loss = batch.mean()[None]
        losses = loss if losses is None else jnp.append(losses, loss)  # ! growing-array
        print(losses)


def none_at_first_in_two_branches(loader):
    seen = None
    for batch in loader:
        if seen is None:
            seen = batch
        else:
            seen = jnp.vstack((seen, batch))  # ! growing-array
        print(seen)


def cut_down_again(history, loader):
    for batch in loader:
        history = jnp.append(history, batch)
        history = history[-10:]
        print(history)


def anew_for_each(loader):
    for batch in loader:
        seen = batch
        for part in (batch, batch):
            seen = jnp.append(seen, part)
        print(seen)


class Agent:
    def __init__(self):
        self.rewards = jnp.zeros(0)
        self.recent = jnp.zeros(4)
        self.kept = np.zeros(0)

    def play(self, environment):
        while not environment.done:
            reward = environment.step()
            self.rewards = jnp.append(self.rewards, reward)  # ! growing-array
            self.recent = jnp.append(self.recent[1:], reward)
            self.kept = np.append(self.kept, reward)  # ! growing-array
            print(reward)

    def play_a_window(self, environment):
        while not environment.done:
            self.rewards = jnp.append(self.rewards, environment.step())
            self.rewards = self.rewards[-100:]
            print(self.rewards)


def an_object_for_each(loader):
    for batch in loader:
        agent = Agent()
        agent.rewards = jnp.append(agent.rewards, batch)
        print(agent.rewards)


def added(losses, loss):
    return jnp.append(losses, loss)  # ! growing-array


def added_first(losses, loss):
    return loss if losses is None else jnp.append(losses, loss)  # ! growing-array


def passed_on(losses, loss):
    return added_below(loss, losses)


def added_below(loss, losses):
    return jnp.hstack([losses, loss])  # ! growing-array


def joined(first, second):
    return jnp.concatenate([first, second])


def joined_with_the_last(first, second):
    return jnp.concatenate([first[1:], second])


def begun_anew(losses, loss):
    return jnp.append(losses, loss)


def behind_helpers(loader):
    losses, rest, more, window, turn = jnp.zeros(0), None, jnp.zeros(0), jnp.zeros(4), None
    for batch in loader:
        losses = added(losses, batch)
        rest = added_first(rest, batch)
        more = passed_on(more, loss=batch)
        both = joined(batch, batch)
        window = joined_with_the_last(window, batch)
        turn = jnp.zeros(1)
        turn = begun_anew(turn, batch)
        print(both)
    return losses, rest, more, window, turn


def read_all(files):
    rows = np.zeros((0, 3))
    for path in files:
        new = np.load(path)
        rows = np.append(rows, new, axis=0)  # ! growing-array
        doubled = np.concatenate([new, new])
    return rows, doubled


def read_both():
    rows = np.zeros((0, 3))
    for name in ("train.npy", "test.npy"):
        rows = np.vstack([rows, np.load(name)])
    return rows


def read_to_a_list(files):
    rows = []
    for path in files:
        rows.append(np.load(path))
    return np.concatenate(rows)


def add_what_there_is(context, x):
    """Three times at most."""
    for name in [name for name in ("height", "width", "score") if name in context]:
        x = jnp.concatenate([x, context[name]])
        print(float(x[0]))
    return x
