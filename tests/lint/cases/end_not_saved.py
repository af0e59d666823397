import jax
import optax
import orbax.checkpoint as ocp
from tqdm import tqdm

STEPS, EVERY = 1000, 300


@jax.jit
def step(state):
    return state + 1


def save_checkpoint(state):
    ocp.StandardCheckpointer().save("/tmp/state", state)


def written_out(state):
    for number in range(STEPS):
        state = step(state)
        if number % EVERY == 0:  # ! end-not-saved
            save_checkpoint(state)


def from_one(state):
    for number in tqdm(range(1, STEPS // 4 + 1)):
        state = step(state)
        if number > 0 and number % 100 == 0:  # ! end-not-saved
            save_checkpoint(state)


def unknown(state, steps, every):
    for number in range(steps):
        state = step(state)
        if (number + 1) % every == 0:
            if jax.process_index() == 0:
                save_checkpoint(state)
    print("done")


def while_less(state):
    number = 0
    while number < 2000:
        state = step(state)
        if not number % EVERY:
            save_checkpoint(state)
        number += 1


def scores(state, steps, every):
    found = []
    for number in range(steps):
        state = step(state)
        found.append(number)
        if number % every == 0:
            save_checkpoint(state)
    return found


def afterwards(state, steps, every):
    for number in range(steps):
        state = step(state)
        if number % every == 0:
            save_checkpoint(state)
    save_checkpoint(state)


def given_back(state, steps, every):
    for number in range(steps):
        state = step(state)
        if number % every == 0:
            save_checkpoint(state)
    return state, steps


def or_last(state, steps, every):
    for number in range(steps):
        state = step(state)
        if number % every == 0 or number == steps - 1:
            save_checkpoint(state)


def or_last_apart(state, steps, every):
    for number in range(steps):
        state = step(state)
        if number % every == 0:
            save_checkpoint(state)
        if number == steps - 1:
            save_checkpoint(state)


def whole(state):
    for number in range(STEPS):
        state = step(state)
        if (number + 1) % 100 == 0:
            save_checkpoint(state)


def asked_for(state, steps, every):
    for number in range(1, steps + 1):
        state = step(state)
        if number % every == 0:
            save_checkpoint(state)


def best_alone(state, steps, every, loss_of):
    best = 1e9
    for number in range(steps):
        state = step(state)
        if number % every == 0:
            loss = loss_of(state)
            if loss < best:
                best = loss
                save_checkpoint(state)


def plots(state, plt, steps, every):
    for number in range(steps):
        state = step(state)
        if number % every == 0:
            plt.savefig("a.png")
            save_figure(state)


def save_figure(state):
    print(state, optax)
