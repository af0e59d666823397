import jax


class Trainer:
    def __init__(self):
        self.scores = []

    def evaluate(self, state, step, save):
        score = step(state)
        self.scores.append(score)
        if score > max(self.scores):  # ! best-test-never-true
            save(state)


def in_epochs(state, step, save, epochs):
    losses = []
    for epoch in range(epochs):
        loss = jax.jit(step)(state)
        losses.append(loss.item())
        if epoch % 2:
            print(epoch)
            if min(losses) > loss:  # ! best-test-never-true
                save(state)


def through_casts(state, step, save):
    losses = []
    while True:
        loss = jax.jit(step)(state)
        value = float(jax.device_get(loss))
        losses.append(value)
        if len(losses) == 1 or loss < min(losses):  # ! best-test-never-true
            save(state)


def before(state, step, save, epochs):
    losses = []
    for _ in range(epochs):
        loss = step(state)
        if not losses or loss < min(losses):
            save(state)
        losses.append(loss)


def or_equal(state, step, save, epochs):
    losses = []
    for _ in range(epochs):
        loss = step(state)
        losses.append(loss)
        if loss <= min(losses) or loss == min(losses):
            save(state)


def of_others(state, step, save, epochs):
    losses, others = [], [1.0]
    for _ in range(epochs):
        loss = step(state)
        losses.append(loss)
        if loss < min(others) or loss > min(losses) or loss < min(losses[:-1], default=1):
            save(state)


def another_value(state, step, save, epochs):
    losses, loss = [], 0.0
    for _ in range(epochs):
        losses.append(loss)
        loss = step(state)
        if loss < min(losses):
            save(state)


def on_another_way(state, step, save, epochs):
    losses = [1.0]
    for epoch in range(epochs):
        loss = step(state)
        if epoch:
            losses.append(loss)
        if loss < min(losses):
            save(state)


def window(state, step, save, epochs):
    losses = [1.0]
    for _ in range(epochs):
        loss = step(state)
        losses.append(loss)
        losses.pop()
        if loss < min(losses):
            save(state)
