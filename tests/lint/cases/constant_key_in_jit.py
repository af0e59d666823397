import flax.linen as nn
import jax
import jax.numpy as jnp
from jax import lax


def noisy_step(carry, x):
    noise = jax.random.normal(jax.random.key(0), x.shape)  # ! constant-key-in-jit
    return carry + x + noise, None


def run(xs):
    return lax.scan(noisy_step, jnp.zeros(3), xs)


@jax.jit
def dropout(x):
    key = jax.random.PRNGKey(42)  # ! constant-key-in-jit
    return jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x, 0)


def train(xs):
    for x in xs:
        dropout(x)


@jax.jit
def init_params(x):
    return jax.random.normal(jax.random.key(0), x.shape)


def start(xs):
    return [init_params(x) for x in xs]


def eager(xs):
    for x in xs:
        x = x + jax.random.normal(jax.random.key(0), x.shape)
    return x


@jax.jit
def seeded(x, seed):
    return x + jax.random.normal(jax.random.key(seed), x.shape)


def use_seed(xs):
    return [seeded(x, n) for n, x in enumerate(xs)]


@jax.jit
def once(x):
    return x + jax.random.normal(jax.random.key(0), x.shape)


result = once(jnp.ones(3))


def recurrent(cell, xs):
    def body(carry, x):
        start = cell.initialize_carry(jax.random.key(0), x.shape)
        return carry, start

    return lax.scan(body, 0.0, xs)


@jax.jit
def train_step(state, x):
    key = jax.random.key(0)  # ! constant-key-in-jit

    def loss_fn(params):
        return state.apply_fn(params, x, train=True, rngs={"dropout": key}).mean()

    return state.apply_gradients(grads=jax.grad(loss_fn)(state.params))


@jax.jit
def eval_step(state, x):
    key = jax.random.key(0)

    def loss_fn(params):
        return state.apply_fn(params, x, train=False, rngs={"dropout": key}).mean()

    return loss_fn(state.params)


@jax.jit
def fold_step(state, x):
    key = jax.random.fold_in(jax.random.key(0), state.step)

    def loss_fn(params):
        return state.apply_fn(params, x, train=True, rngs={"dropout": key}).mean()

    return state.apply_gradients(grads=jax.grad(loss_fn)(state.params))


@jax.jit
def direct_step(model, variables, x):
    rngs = {"dropout": jax.random.key(1)}  # ! constant-key-in-jit
    return model.apply(variables, x, rngs=rngs)


def helper(x):
    return x + jax.random.normal(jax.random.key(3), x.shape)  # ! constant-key-in-jit


@jax.jit
def with_helper(x):
    return helper(x)


def helper_of_one_call(x):
    return x + jax.random.normal(jax.random.key(3), x.shape)


@jax.jit
def once_with_helper(x):
    return helper_of_one_call(x)


@jax.jit
def fresh_state_step(model, x):
    key = jax.random.key(0)

    def start():
        return model.init(key, x)

    return start()


@jax.jit
def folded_within(params, n):
    base = jax.random.key(0)

    def loss(p):
        key = jax.random.fold_in(base, n)
        return jnp.sum(p * jax.random.normal(key, p.shape))

    return jax.grad(loss)(params)


@jax.jit
def folded_with_a_number(params, n):
    base = jax.random.key(0)  # ! constant-key-in-jit

    def loss(p):
        key = jax.random.fold_in(base, 7)
        return n * jnp.sum(p * jax.random.normal(key, p.shape))

    return jax.grad(loss)(params)


@jax.jit
def named_alike(params, n):
    base = jax.random.key(0)

    def start(p):
        return jax.random.fold_in(base, n), p

    def noise(base, p):
        return jax.random.normal(base, p.shape)

    return noise(*start(params))


@jax.jit
def told_to_train(model, variables, x):
    key = jax.random.key(2)  # ! constant-key-in-jit
    return model.apply(variables, x, train=True, rngs={"dropout": key})


@jax.jit
def not_told_to_train(model, variables, x):
    key = jax.random.key(2)
    return model.apply(variables, x, rngs={"dropout": key})


class Dropping(nn.Module):
    deterministic: bool

    @nn.compact
    def __call__(self, x):
        return nn.Dropout(0.5)(x, deterministic=self.deterministic)


@jax.jit
def made_to_train(variables, x):
    key = jax.random.key(2)  # ! constant-key-in-jit
    return Dropping(deterministic=False).apply(variables, x, rngs={"dropout": key})


def loop(state, model, variables, xs):
    first = once_with_helper(xs[0])
    for x in xs:
        state = train_step(state, x)
        state = fold_step(state, x)
        first += eval_step(state, x) + direct_step(model, variables, x) + with_helper(x)
        first += told_to_train(model, variables, x) + not_told_to_train(model, variables, x)
        fresh_state_step(model, x)
        first += made_to_train(variables, x)
        folded_within(variables, x) + folded_with_a_number(variables, x) + named_alike(x, x)
    return first, state


def forward(variables, x, key, train):
    rngs = {"dropout": key} if train else None
    return Dropping(deterministic=not train).apply(variables, x, rngs=rngs)


@jax.jit
def told_to_evaluate(variables, x):
    return forward(variables, x, key=jax.random.key(3), train=False)


@jax.jit
def told_to_train_by_name(variables, x):
    return forward(variables, x, key=jax.random.key(3), train=True)  # ! constant-key-in-jit


def evaluates_in_a_loop(variables, xs):
    return [told_to_evaluate(variables, x) + told_to_train_by_name(variables, x) for x in xs]
