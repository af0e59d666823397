import jax
import jax.numpy as jnp
import steps
from steps import (
    Meter,
    Net,
    compiled,
    loss_of,
    scaled,
    total,
)


def unknown_field(x):
    return jax.jit(Net(feature=3).apply)(x, x, True)  # ! cannot-run


def without_train(x):
    model = Net(features=3)
    variables = model.init(jax.random.key(0), x, train=False)
    return jax.jit(model.apply(variables, x))  # ! cannot-run


def without_rate(params, batch):
    return jax.jit(jnp.sum)(loss_of(params, batch)[0])  # ! cannot-run


def too_many(params, batch):
    return compiled(params, batch, 0.1, rate=0.1)  # ! cannot-run


def no_such_option(value):
    meter = Meter(3)
    meter.update(value, weights=2.0)  # ! cannot-run
    return jax.jit(jnp.sum)(meter.values)


def three_of_two(params, batch):
    loss, logits, grads = loss_of(params, batch, rate=0.1)  # ! cannot-run
    return jax.jit(jax.nn.softmax)(logits)


def before_it_is_bound(params, steps_done):
    rate = schedule(steps_done)  # ! cannot-run
    schedule = jnp.cos
    return jax.jit(lambda p: p * rate)(params)


def gone(params, batch):
    return jax.grad(steps.loss_and_grads)(params, batch)  # ! cannot-run


def imported(params):
    from steps import evaluate  # ! cannot-run

    return jax.jit(evaluate)(params)


def module_called(params):
    return jax.jit(jnp.sum)(steps(params))  # ! cannot-run


def fits(x):
    model = Net(features=3, name="head")
    variables = model.init(jax.random.key(0), x, train=False)
    y = model.apply(variables, x, train=True, rngs={"dropout": jax.random.key(1)})
    return jax.jit(jnp.sum)(y)


def takes_options(params):
    return jax.jit(jnp.sum)(total(params, params, scaled(params, by=2.0, anything=3)))


def spread(params, options, batches):
    return [loss_of(params, *batch, **options) for batch in batches]


def guarded(params, batch):
    try:
        return jax.grad(loss_of)(params, batch)
    except TypeError:
        return jax.grad(lambda p: loss_of(p, batch, rate=1.0)[0])(params)


def optional():
    try:
        from steps import fast_loss
    except ImportError:
        fast_loss = None
    return jax.jit(fast_loss) if fast_loss else None


def earlier_iteration(batches):
    for step, batch in enumerate(batches):
        if step > 0:
            yield jax.jit(jnp.sum)(previous)
        previous = batch


def either(flag, params, batch):
    scale = (lambda p, b: p * b) if flag else (lambda p: p)
    return jax.vmap(lambda p: scale(p, batch) if flag else scale(p))(params)


def bound(params, batch):
    loss, logits = loss_of(params, batch, rate=0.1)
    first, *rest = loss_of(params, batch, rate=0.1)
    return loss, jax.jit(jax.nn.softmax)(logits), first, rest


def overridden(params, batch):
    return jax.vmap(lambda p: steps.Base().step(p, batch))(params)


def set_elsewhere(params):
    steps.extra = jax.jit(jnp.sum)
    return steps.extra(params)


def own_state(params):
    meter = Meter(3)
    meter.update(jnp.sum(params), weight=2.0)
    return jax.jit(jnp.sum)(meter.values)


def first_iteration(batches):
    for step, batch in enumerate(batches):
        if step == 0:
            start = batch
        yield jax.jit(jnp.subtract)(batch, start)


def same_condition(flag, params):
    if flag:
        rate = 0.1
    if flag:
        params = jax.jit(jnp.multiply)(params, rate)
    return params
