import jax
from tqdm import tqdm, trange


def train(state, step, config, save):
    for epoch in range(config.start, config.epochs):
        state = step(state)
        if (epoch + 1) % 10 == 0 or epoch == config.epochs:  # ! end-test-never-true
            save(state)


def of_steps(state, step, steps, save):
    for i in tqdm(range(steps), desc="steps"):
        state = step(state)
        if i >= steps:  # ! end-test-never-true
            save(state)


def turned(state, step, save):
    for i in trange(0, 100, 2):
        state = step(state)
        if 100 == i:  # ! end-test-never-true
            save(state)


def at_the_last(state, step, steps, save):
    for i in range(steps):
        state = step(state)
        if i == steps - 1 or i + 1 == steps or i < steps:
            save(state)


def with_one_more(state, step, steps, save):
    for i in range(steps + 1):
        state = step(state)
        if i == steps:
            save(state)


def counted_on(state, step, steps, save):
    for i in range(steps):
        state = step(state)
        i += 1
        if i == steps:
            save(state)


def moved(state, step, steps, save):
    for i in range(steps):
        state, steps = step(state)
        if i == steps:
            save(state)


def configured(state, step, config, save):
    for i in range(config.steps):
        state, config.steps = step(state)
        if i == config.steps:
            save(state)


def down(state, step, steps, save):
    for i in range(10, steps, -1):
        state = step(state)
        if i == steps or i > steps:
            save(state)


def behind(state, step, steps, save):
    i = steps
    for i in range(steps):
        state = jax.jit(step)(state)
    if i == steps:
        save(state)
