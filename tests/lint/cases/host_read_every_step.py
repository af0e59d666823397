import time

import jax
import jax.numpy as jnp
import numpy as np
import wandb
from flax import nnx
from tensorboardX import SummaryWriter
from tqdm import tqdm
from tqdm.auto import trange


@jax.jit
def step(w, x):
    return w - 0.1 * (w - x), jnp.sum((w - x) ** 2)


def fit(w, batches):
    losses = []
    for x in batches:
        w, loss = step(w, x)
        losses.append(float(loss))  # ! host-read-every-step
    return w, losses


def stops_early(w, batches):
    for x in batches:
        w, loss = step(w, x)
        if loss < 0.1:  # ! host-read-every-step
            break
    return w


def now_and_then(w, batches):
    for n, x in enumerate(batches):
        w, loss = step(w, x)
        if n % 100 == 0:
            print(float(loss))
    return w


def helper_guard(w, batches, should_log):
    for n, x in enumerate(batches):
        w, loss = step(w, x)
        if should_log(n):
            print(float(loss))
    return w


def one_behind(w, batches):
    previous = None
    for x in batches:
        if previous is not None:
            print(float(previous))
        w, loss = step(w, x)
        previous = loss
    return w


def after_the_loop(w, batches):
    for x in batches:
        w, loss = step(w, x)
    return w, float(loss)


def evaluate(w, batches):
    total = 0.0
    for x in batches:
        w, loss = step(w, x)
        total += float(loss)  # ! host-read-every-step
    return total


def epochs(w, batches):
    for epoch in range(100):
        w, loss = step(w, batches[epoch])
        print(float(loss))  # ! host-read-every-step
    return w


def skips(w, batches):
    for n, x in enumerate(batches):
        w, loss = step(w, x)
        if n % 100:
            continue
        print(float(loss))
    return w


def independent(w, batches):
    return [float(step(w, x)[1]) for x in batches]  # ! host-read-every-step


def timed(w, batches):
    for x in batches:
        start = time.perf_counter()
        w, loss = step(w, x)
        loss.block_until_ready()
        print(time.perf_counter() - start)
    return w


@jax.jit
def act(params, key, observation):
    key, action_key = jax.random.split(key)
    return key, jax.random.categorical(action_key, observation @ params)


def acts(params, key, envs, observation):
    for _ in range(10_000):
        key, action = act(params, key, observation)
        observation, *_ = envs.step(np.asarray(action))


@jax.jit
def render(key, chunk):
    return key, chunk * 2


def exports(key, chunks, out):
    for n, chunk in enumerate(chunks):
        key, colours = render(key, chunk)
        out[n] = np.asarray(colours)


def fetched_once(w, batches):
    for x in batches:
        w, loss = step(w, x)
        loss = jax.device_get(loss)  # ! host-read-every-step
        print(loss)


@jax.jit
def descend(w, x):
    value, slope = jax.value_and_grad(lambda w: jnp.sum((w - x) ** 2))(w)
    return w - 0.1 * slope, value


def by_what_it_does(w, batches):
    while True:
        w, value = descend(w, next(batches))
        if float(value) < 0.1:  # ! host-read-every-step
            break
    return w


@nnx.jit
def update(model, optimizer, x):
    loss, grads = nnx.value_and_grad(lambda model: jnp.sum(model(x) ** 2))(model)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def loss_of(model, x):
    return jnp.sum(model(x) ** 2)


def in_place(model, optimizer, batches):
    losses = []
    for x in batches:
        loss = update(model, optimizer, x)
        losses.append(loss.item())  # ! host-read-every-step
    for x in batches:
        losses.append(float(update(model, optimizer, x)))  # ! host-read-every-step
    return losses


def measured_in_place(model, batches):
    losses = []
    for x in batches:
        loss = loss_of(model, x)
        losses.append(loss.item())  # ! host-read-every-step
        losses.append(float(loss_of(model, x)))  # ! host-read-every-step
    return losses


def many_models(make, x):
    for _ in range(100):
        model, optimizer = make()
        print(update(model, optimizer, x))  # ! host-read-every-step


def as_number(facts):
    return float(facts["loss"])


def shown(number, facts):
    print(number, as_number(facts))


def shown_sometimes(number, facts):
    if number % 100 == 0:
        print(number, as_number(facts))


def shown_seldom(number, facts):
    if number % 100:
        return
    print(number, as_number(facts))


def sizes(number, facts):
    return number, len(facts)


def read_by_a_helper(state, batches):
    losses = []
    for batch in batches:
        state, loss = step(state, batch)
        losses.append(as_number(loss))  # ! host-read-every-step
    return state, losses


def read_two_helpers_deep(state, batches):
    for number, batch in enumerate(batches):
        state, loss = step(state, batch)
        shown(number, facts=loss)  # ! host-read-every-step
    return state


def read_by_a_helper_sometimes(state, batches):
    for number, batch in enumerate(batches):
        state, loss = step(state, batch)
        shown_sometimes(number, loss)
        shown_seldom(number, loss)
        sizes(number, loss)
    return state


def another_read_by_a_helper(state, batches):
    for number, batch in enumerate(batches):
        state, loss = step(state, batch)
        shown(number, batch)
    return state, loss


def few_turns_of_many(w, batches, epochs):
    for _ in range(epochs):
        for n in range(10):
            w, loss = step(w, batches[n])
            print(loss)  # ! host-read-every-step
    return w


def many_turns(w, x):
    for _ in range(100):
        w, loss = step(w, x)
        print(loss)  # ! host-read-every-step
    return w


def many_turns_in_all(w, x):
    for epoch in range(20):
        for i in range(20):
            w, loss = step(w, x)
            print(epoch, i, float(loss))  # ! host-read-every-step
    return w


def in_one_of_two_modes(w, batches, mode):
    for x in batches:
        if mode == 0:
            w, loss = step(w, x)
            print(loss)  # ! host-read-every-step
        else:
            w, loss = step(w, -x)
    return w


def of_one_label(w, batches, labels):  # in how many turns, nobody knows
    for label, x in zip(labels, batches):
        if label == 1:
            w, loss = step(w, x)
            print(loss)
    return w


def by_text(w, batches, bar):
    for x in batches:
        w, loss = step(w, x)
        bar.set_postfix_str("loss {:.3f}".format(loss))  # ! host-read-every-step
    return w


def whole_tree(w, batches, log):
    for x in batches:
        metrics = dict(zip("wl", step(w, x)))
        w = metrics["w"]
        log({name: float(value) for name, value in metrics.items()})  # ! host-read-every-step
    return w


def over_the_leaves(w, batches, log):
    for x in batches:
        w, loss = step(w, x)
        log(jax.tree.map(float, {"loss": loss}))  # ! host-read-every-step
    return w


def configured(w, batches, config):
    for x in batches:
        w, loss = step(w, x)
        if config.verbose:
            print(loss)  # ! host-read-every-step
    return w


def another_step_is_queued(w, batches):
    for x in batches:
        w, loss = step(w, x)
        rate = score(w)
        print(loss)
    return rate


@jax.jit
def score(w):
    return jnp.sum(w)


def decides_the_next_step(w, batches):
    rate = 0.1
    for x in batches:
        w, loss = step(w, rate * x)
        rate = rate / 2 if float(loss) > 1.0 else rate
    return w


def compiled_at_each_turn(xs):
    for x in xs:
        print(jax.jit(lambda w: w * x)(1.0))


def kept_in_a_queue(w, batches):
    waiting = []
    for x in batches:
        w, loss = step(w, x)
        waiting.append(loss)
        print(float(waiting[-3]))
    return w


def counted_by_hand(w, batches, every, load):
    n = load()
    for x in batches:
        w, loss = step(w, x)
        if n % every == 0:
            print(loss)
        n += 1
    return w


class Logger:
    def __init__(self):
        self.last = None

    def put(self, metrics):
        last, self.last = self.last, metrics
        if last is not None:
            print(float(last))


def by_a_logger_that_waits_a_turn(w, batches):
    logger = Logger()
    for x in batches:
        w, loss = step(w, x)
        logger.put(loss)
    return w


@jax.jit
def evaluate(params, batch):
    error = params * batch.sum()
    return {"loss": error, "norm": abs(error)}


def each_metric(params, batches):
    totals = {"loss": 0.0, "norm": 0.0}
    for batch in batches:
        metrics = evaluate(params, batch)
        for name, value in metrics.items():
            totals[name] += float(value)  # ! host-read-every-step
    return totals


def each_value(params, batches):
    for batch in batches:
        metrics = evaluate(params, batch)
        print([float(value) for value in metrics.values()])  # ! host-read-every-step


def names_alone(params, batches):
    for batch in batches:
        metrics = evaluate(params, batch)
        print(sorted(metrics.keys()))
    return metrics


def with_a_bar(w, steps, batches):
    with trange(0, steps, desc="train") as bar:
        for _, x in zip(bar, batches, strict=False):
            w, loss = step(w, x)
            bar.set_postfix(loss=float(loss))  # ! host-read-every-step
    return w


def sampled(model, x):
    return model(x)


def sizes_alone(model, batches):
    sample = nnx.jit(sampled)
    total = 0
    for x in batches:
        samples = sample(model, x)
        total = total + samples.shape[0]
        print(f"{total} samples")
    return total


def each_leaf(params, batches):
    for batch in batches:
        metrics = evaluate(params, batch)
        print(jax.tree.map(lambda value: jnp.mean(value).item(), metrics))  # ! host-read-every-step
        metrics = evaluate(params, batch)
        print(jax.tree.map(float, metrics))  # ! host-read-every-step


def each_leaf_at_the_end(params, batches):
    metrics = {}
    for batch in batches:
        metrics = evaluate(params, batch)
    return jax.tree.map(float, metrics)


def fetched_more_often_than_used(params, batches):
    for i, batch in enumerate(batches):
        params, attention = step(params, batch)
        if i % 10 == 0:
            shown = jax.device_get(attention)  # ! host-read-every-step
        if i % 1000 == 0:
            plot(shown)
    return params


def fetched_where_used(params, batches):
    for i, batch in enumerate(batches):
        params, attention = step(params, batch)
        if i % 1000 == 0:
            shown = jax.device_get(attention)
            plot(shown)
    return params


def evaluation_under_a_test(params, batches, held_out):
    for i, batch in enumerate(batches):
        params, loss = step(params, batch)
        if i % 1000 == 0:
            total = 0.0
            for x in held_out:  # each of its iterations waits
                total += step(params, x)[1].item()  # ! host-read-every-step
            print(total)
    return params


def few_samples_under_a_test(params, batches):
    for i, batch in enumerate(batches):
        params, loss = step(params, batch)
        if i % 1000 == 0:
            for x in range(4):
                print(step(params, x)[1].item())
    return params


def both_shown(params, batches, held_out):
    tested = 0.0
    for i, batch in enumerate(batches):
        params, loss = step(params, batch)
        if i % 1000 == 0:
            _, tested = step(params, held_out)
        print(f"{loss:.3f} {tested:.3f}")  # ! host-read-every-step
    return params


def both_shown_now_and_then(params, batches, held_out):
    for i, batch in enumerate(batches):
        params, loss = step(params, batch)
        if i % 1000 == 0:
            _, tested = step(params, held_out)
            print(f"{loss:.3f} {tested:.3f}")
    return params


def logged(params, batches, with_bar=True):
    writer, bar = SummaryWriter("runs"), tqdm(batches)
    for i, batch in enumerate(bar):
        params, loss = step(params, batch)
        if with_bar:
            bar.set_postfix(loss=loss)  # ! host-read-every-step
        params, loss = step(params, batch)
        wandb.log({"loss": loss, "step": i})  # ! host-read-every-step
        params, loss = step(params, batch)
        writer.add_scalar("loss", loss, i)  # ! host-read-every-step
    return params


def logged_by_a_run(params, batches, config):
    with wandb.init(config=config) as run:
        for batch in batches:
            metrics = evaluate(params, batch)
            run.log(metrics)  # ! host-read-every-step
            run.log({"size": len(batch), "rate": config.rate})


def logged_now_and_then(params, batches):
    run = wandb.init()
    for i, batch in enumerate(batches):
        params, loss = step(params, batch)
        if i % 100 == 0:
            run.log({"loss": loss}, step=i)
            wandb.log({"loss": loss})
    return params


def logged_one_behind(params, batches):
    before = None
    for i, batch in enumerate(batches):
        params, loss = step(params, batch)
        if before is not None:
            wandb.log({"loss": before})
        before = loss
    return params


def under_two_flags(params, batches, with_bar, with_log):
    bar = tqdm(batches)
    for batch in bar:
        params, loss = step(params, batch)
        if with_log:
            wandb.log({"loss": loss})  # ! host-read-every-step
            print(loss)
        if with_bar:
            bar.set_postfix(loss=loss)  # ! host-read-every-step
    return params


def waited_for_before_the_flag(params, batches, with_log):
    for batch in batches:
        params, loss = step(params, batch)
        print(loss)  # ! host-read-every-step
        if with_log:
            wandb.log({"loss": loss})
    return params


def added_up(metrics, running=None):
    if running is None:
        running = {name: 0.0 for name in metrics}
    for name, value in metrics.items():
        if hasattr(value, "item"):
            value = value.item()
        running[name] += value
    return running


def added_up_by_a_helper(params, batches):
    totals = None
    for batch in batches:
        totals = added_up(evaluate(params, batch), totals)  # ! host-read-every-step
    return totals


@nnx.jit
def train_step(model, metrics, x):
    metrics.update(loss=model(x).sum())


def reads_a_metric_each_time(model, batches):
    metrics = nnx.MultiMetric(loss=nnx.metrics.Average("loss"))
    for x in batches:
        train_step(model, metrics, x)
        print(metrics.compute()["loss"].item())  # ! host-read-every-step


def reads_a_metric_each_epoch(model, epochs):
    metrics = nnx.MultiMetric(loss=nnx.metrics.Average("loss"))
    for batches in epochs:
        for x in batches:
            train_step(model, metrics, x)
        print(metrics.compute()["loss"].item())
        metrics.reset()


def keeps_a_metric(model, batches):
    metrics = nnx.MultiMetric(loss=nnx.metrics.Average("loss"))
    for x in batches:
        train_step(model, metrics, x)
        values = metrics.compute()
    return values


def stops_where_it_has_converged(w, x, tolerance=1e-6):
    for _ in range(1000):
        w, loss = step(w, x)
        if float(loss) < tolerance:  # ! host-read-every-step
            break
    return w


def returns_the_first_good_one(w, x, patience=5):
    best, waited = float("inf"), 0
    for _ in range(1000):
        w, loss = step(w, x)
        value = float(loss)  # ! host-read-every-step
        best, waited = (value, 0) if value < best else (best, waited + 1)
        if waited > patience:
            return w
    return w


def raises_where_it_is_no_number(w, batches):
    for x in batches:
        w, loss = step(w, x)
        if np.isnan(float(loss)):  # ! host-read-every-step
            raise ValueError("the loss is no number")
    return w


@jax.jit
def simulate(state, gravity):
    return jax.lax.scan(lambda state, _: (state - gravity, state.sum()), state, None, 1000)


def compares_whole_simulations(state, gravities):
    energies = []
    for gravity in gravities:
        _, energy = simulate(state, gravity)
        energies.append(float(energy.mean()))
    return energies


def goes_on_from_the_last_simulation(state, batches):
    for gravity in batches:
        state, energy = simulate(state, gravity)
        print(float(energy.mean()))  # ! host-read-every-step
    return state
