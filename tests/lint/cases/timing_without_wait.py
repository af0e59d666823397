import time
import timeit

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx


@jax.jit
def step(x):
    return x @ x


def measure(x):
    start = time.perf_counter()
    y = step(x)
    return y, time.perf_counter() - start  # ! timing-without-wait


def measure_many(x):
    begin = time.time()
    for _ in range(100):
        x = step(x)
    end = time.time()
    print("took", end - begin)  # ! timing-without-wait
    return x


def waits(x):
    start = time.perf_counter()
    y = step(x).block_until_ready()
    return y, time.perf_counter() - start


def waits_after(x):
    start = time.perf_counter()
    for _ in range(100):
        x = step(x)
    jax.block_until_ready(x)
    return x, time.perf_counter() - start


def reads(x):
    start = time.perf_counter()
    total = float(step(x).sum())
    return total, time.perf_counter() - start


def reads_numpy(x):
    start = time.perf_counter()
    y = np.asarray(step(x))
    return y, time.perf_counter() - start


def on_host(x):
    start = time.perf_counter()
    y = np.linalg.inv(x)
    return y, time.perf_counter() - start


def compiles(x):
    start = time.perf_counter()
    compiled = step.lower(x).compile()
    return compiled, time.perf_counter() - start


def helper_may_wait(x, report):
    start = time.perf_counter()
    y = step(x)
    report(y)
    return time.perf_counter() - start


def logs_now_and_then(x):
    start = time.perf_counter()
    for n in range(1000):
        x = step(x)
        if n % 100 == 0:
            print(n, x[0, 0], time.perf_counter() - start)
    return x


@jax.jit
def update(w, x):
    return w - 0.1 * (w - x), jnp.sum((w - x) ** 2)


def mean_of_many(w, batches):
    losses = []
    start = time.perf_counter()
    for x in batches:
        w, loss = update(w, x)
        losses.append(loss)
    seconds = (time.perf_counter() - start) / len(losses)  # ! timing-without-wait
    return w, seconds


def each_step(w, batches):
    times = []
    for number, x in enumerate(batches):
        print(f"step {number}", np.sum(x.shape))
        start = time.time()
        w, loss = update(w, x)
        times.append(time.time() - start)  # ! timing-without-wait
        print(float(loss))
    return w, times


def waits_in_each_step(w, batches, log):
    for x in batches:
        start = time.time()
        w, loss = update(w, x)
        log(loss)
        print(time.time() - start)
    return w


def waits_for_the_list(w, batches, fetch):
    losses = []
    start = time.time()
    for x in batches:
        w, loss = update(w, x)
        losses.append(loss)
    fetch(losses)
    print(time.time() - start)
    return w


def waits_for_what_came_of_it(w, x):
    start = time.time()
    w, loss = update(w, x)
    scaled = 2 * loss
    print(scaled)
    return w, time.time() - start


def waits_one_turn_later(w, batches, keep):
    start = time.time()
    for x in batches:
        keep(w)
        w, _ = update(w, x)
    print(time.time() - start)
    return w


def stopped_in_the_loop(w, batches):
    start = time.time()
    for x in batches:
        w, loss = update(w, x)
        print(time.time() - start)
        print(float(loss))
    return w


def times_the_compilation(w, x):
    start = time.time()
    fresh = jax.jit(lambda w: w - x)
    w = fresh(w)
    print("compiled in", time.time() - start)
    return w


def reads_something_queued_later(w, x):
    start = time.time()
    w, _ = update(w, x)
    total = float(jnp.sum(x))
    return w, total, time.time() - start


def first_of_each_leaf(w, x):
    start = time.time()
    state = update(w, x)
    state = jax.tree.map(lambda a: a[0], state)
    return state, time.time() - start  # ! timing-without-wait


def shown_by_a_nested_function(w, x):
    start = time.time()
    w, _ = update(w, x)
    seconds = time.time() - start  # ! timing-without-wait

    def show():
        print(seconds)

    return w, show


def shown_to_nobody(w, x):
    start = time.time()
    w, _ = update(w, x)
    seconds = time.time() - start
    return w


def first_step(x):
    start = time.perf_counter()
    _ = step(x)
    step_time = time.perf_counter() - start  # ! timing-without-wait
    return step_time


class Timer:
    def __enter__(self):
        self.start = time.perf_counter()
        return self

    def __exit__(self, *error):
        self.seconds = time.perf_counter() - self.start


def in_a_context(x):
    with Timer() as timer:  # ! timing-without-wait
        x = step(x)
    return x, timer.seconds


def waits_in_the_context(x):
    with Timer() as timer:
        x = jax.block_until_ready(step(x))
    return x, timer.seconds


def since(start):
    return time.perf_counter() - start


def by_a_helper(x):
    start = time.perf_counter()
    x = step(x)
    return x, since(start)  # ! timing-without-wait


def twice(x):
    return step(step(x))


def of_a_helper(x):
    start = time.perf_counter()
    x = twice(x)
    return x, time.perf_counter() - start  # ! timing-without-wait


def many_times(x):
    return timeit.timeit(lambda: step(x), number=10)  # ! timing-without-wait


def many_times_with_a_wait(x):
    return timeit.timeit(lambda: step(x).block_until_ready(), number=10)


def a_scan_without_jit(x):
    start = time.perf_counter()
    x, _ = jax.lax.scan(lambda c, _: (c @ c, None), x, None, length=10)
    return x, time.perf_counter() - start  # ! timing-without-wait


def a_scan_that_is_read(x):
    start = time.perf_counter()
    x, sums = jax.lax.scan(lambda c, _: (c @ c, c.sum()), x, None, length=10)
    print(float(sums[-1]))
    return x, time.perf_counter() - start


def total_of(losses):
    return sum(float(loss) for loss in losses)


def read_by_a_helper(w, batches):
    losses = []
    start = time.perf_counter()
    for x in batches:
        w, loss = update(w, x)
        losses.append(loss)
    total = total_of(losses)
    return w, total, time.perf_counter() - start


def one_time_that_is_used_twice(x, count):
    start = time.perf_counter()
    x = step(x)
    stop = time.perf_counter()
    print("seconds", stop - start)  # ! timing-without-wait
    print("per second", count / (stop - start))
    return x


def warms_up_and_goes_on(x):
    step(x)
    start = time.perf_counter()  # ! timing-without-wait
    for _ in range(10):
        x = step(x)
    jax.block_until_ready(x)
    return x, time.perf_counter() - start


def warms_up_and_waits(x):
    step(x).block_until_ready()
    start = time.perf_counter()
    for _ in range(10):
        x = step(x)
    jax.block_until_ready(x)
    return x, time.perf_counter() - start


def each_time_apart(x):
    seconds = []
    for _ in range(10):
        start = time.perf_counter()
        x = jax.block_until_ready(step(x))
        seconds.append(time.perf_counter() - start)
    return seconds


def evaluates_now_and_then(x, other):
    for i in range(1000):
        x = other(x)
        if i % 100 == 0:
            start = time.perf_counter()
            total = float(step(x).sum())
            print(total, time.perf_counter() - start)


def sampled_before(w, batches, sample):
    """The draws are read, the last update is not: that is shown with `--all`."""
    start = time.time()
    for x in batches:
        drawn = float(step(w).sum())
        w, _ = update(w, x + drawn)
    return w, time.time() - start


def waits_where_somebody_looks(w, x, verbose):
    start = time.time()
    w, loss = update(w, x)
    if verbose:
        print(float(loss))
    return w, time.time() - start


def jitted_in_the_time_and_called_again(state, batches):
    start = time.perf_counter()

    @jax.jit
    def update(state, batch):
        return state + batch

    for batch in batches:
        state = update(state, batch)
    print(time.perf_counter() - start)  # ! timing-without-wait
    return state


def jitted_in_the_time_and_called_once(state, batch):
    start = time.perf_counter()
    update = jax.jit(lambda state, batch: state + batch)
    state = update(state, batch)
    print(time.perf_counter() - start)
    return state


@nnx.jit
def train_step(model, metrics, x):
    metrics.update(loss=model(x).sum())


def shows_a_metric_in_the_time(model, batches):
    metrics = nnx.MultiMetric(loss=nnx.metrics.Average("loss"))
    start = time.time()
    for x in batches:
        train_step(model, metrics, x)
    found = metrics.compute()
    print(f"loss {found['loss']}")
    print(time.time() - start)


def shows_a_metric_after_the_time(model, batches):
    metrics = nnx.MultiMetric(loss=nnx.metrics.Average("loss"))
    start = time.time()
    for x in batches:
        train_step(model, metrics, x)
    print(time.time() - start)  # ! timing-without-wait
    print(metrics.compute())


def the_wrong_way_round(x):
    start = time.time()
    for _ in range(100):
        x = step(x)
    end = time.time()
    print((start - end) / 100)  # ! timing-without-wait
    return x
