"""Losses that no parameter can move, and those that one can."""

from abc import abstractmethod

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import jax.numpy as np
import optax
from flax import nnx
from jax import grad, lax, random, value_and_grad
from jax.numpy import argmax


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(x)


net = Net()


@jax.jit
def train_step(params, batch):
    def accuracy_loss(params):
        logits = net.apply(params, batch["x"])
        hits = jnp.argmax(logits, axis=-1) == batch["y"]  # ! zero-gradient
        return 1.0 - jnp.mean(hits)

    return jax.grad(accuracy_loss)(params)


@jax.jit
def train_step_right(params, batch):
    def loss_fn(params):
        logits = net.apply(params, batch["x"])
        hits = jnp.argmax(logits, axis=-1) == batch["y"]
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()
        return loss, jnp.mean(hits)

    return jax.grad(loss_fn, has_aux=True)(params)


@jax.jit
def swapped_auxiliary(params, batch):
    def loss_fn(params):
        logits = net.apply(params, batch["x"])
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()
        accuracy = (logits.argmax(-1) == batch["y"]).mean()  # ! zero-gradient
        return accuracy, loss

    return jax.value_and_grad(loss_fn, has_aux=True)(params)


def quantised(w, x, y):
    w_q = jnp.round(w * 8)  # ! zero-gradient
    return jnp.mean((x @ (w_q / 8) - y) ** 2)


quantised_grad = value_and_grad(quantised)


def straight_through(w, x, y):
    w_q = w + lax.stop_gradient(jnp.round(w * 8) / 8 - w)
    return jnp.mean((x @ w_q - y) ** 2)


straight_through_grad = value_and_grad(straight_through)


def quantised_with_decay(w, x, y):
    w_q = jnp.round(w * 8) / 8
    return jnp.mean((x @ w_q - y) ** 2) + 1e-4 * jnp.sum(w**2)


quantised_with_decay_grad = value_and_grad(quantised_with_decay)


def hinge_by_hand(w, x, y):
    margin = y * (x @ w)
    return jnp.where(margin < 1, 1.0, 0.0).sum()  # ! zero-gradient


hinge_by_hand_grad = grad(hinge_by_hand)


def hinge(w, x, y):
    margin = y * (x @ w)
    return jnp.where(margin < 1, 1.0 - margin, 0.0).sum()


hinge_grad = grad(hinge)


def cast(w, x):
    return (x @ w).astype(jnp.int32).sum() / 10  # ! zero-gradient


cast_grad = grad(cast)


def cast_down(w, x):
    return (x @ w).astype(jnp.bfloat16).sum() / 10


cast_down_grad = grad(cast_down)


def sampled(logits, key, rewards):
    action = random.categorical(key, logits)  # ! zero-gradient
    return -jnp.mean(rewards[action])


sampled_grad = grad(sampled)


def reinforce(logits, key, rewards):
    action = random.categorical(key, logits)
    return -jnp.mean(jax.nn.log_softmax(logits)[action] * rewards[action])


reinforce_grad = grad(reinforce)


def bare_name(logits, labels):
    return np.mean(argmax(logits, -1) == labels)  # ! zero-gradient


bare_name_grad = grad(bare_name)


def all_detached(params, batch):
    features = lax.stop_gradient(net.apply(params, batch["x"]))  # ! zero-gradient
    return jnp.mean((features - batch["y"]) ** 2)


all_detached_grad = grad(all_detached)


def target_network(params, target_params, batch):
    target = lax.stop_gradient(net.apply(target_params, batch["x"]))
    return jnp.mean((net.apply(params, batch["x"]) - target) ** 2)


target_network_grad = grad(target_network)


def by_other_argument(params, scale, x):
    return scale * jnp.mean(jnp.sign(x @ params))  # ! zero-gradient


by_other_argument_grad = grad(by_other_argument, argnums=(0, 1))


def unknown_after(params, x):
    return surrogate(jnp.tanh(x @ params), jnp.sign(x @ params))  # noqa: F821


unknown_after_grad = grad(unknown_after)


@jax.custom_vjp
def spike(x):
    return (x > 0).astype(x.dtype)


spike.defvjp(lambda x: (spike(x), x), lambda x, g: (g / (1 + jnp.abs(x)) ** 2,))


def spiking(w, x):
    return jnp.sum(spike(x @ w))


spiking_grad = grad(spiking)


def in_a_list(params, x):
    losses = []
    for layer in params:
        losses.append(jnp.mean(layer(x)))
    return sum(losses)


in_a_list_grad = grad(in_a_list)


def hits_in_a_list(params, x, y):
    hits = []
    for layer in params:
        hits.append(jnp.mean(jnp.sign(layer(x)) == y))  # ! zero-gradient
    return sum(hits)


hits_in_a_list_grad = grad(hits_in_a_list)


def in_a_dict(params, x):
    terms = {"hits": jnp.mean(jnp.sign(x @ params))}
    terms["l2"] = jnp.sum(params**2)
    return sum(terms.values())


in_a_dict_grad = grad(in_a_dict)


def by_a_function_in_it(params, x):
    def forward(row):
        return row @ params

    return jnp.mean(jax.vmap(forward)(x)) + jnp.mean(x > 0)


by_a_function_in_it_grad = grad(by_a_function_in_it)


def floors_of_data(params, x):
    bins = jnp.floor(x)
    return jnp.mean(bins * params)


floors_of_data_grad = grad(floors_of_data)


def does_not_depend(params, x):  # ! zero-gradient
    return jnp.mean(x > 0)


does_not_depend_grad = grad(does_not_depend)


def only_its_shape(params, x):
    return jnp.mean(x) / params.shape[0]


only_its_shape_grad = grad(only_its_shape)


def not_differentiated(params, x, y):
    return jnp.mean(jnp.argmax(x @ params, -1) == y)


def of_a_model(model: nnx.Module, x, y):
    logits = model(x)
    return jnp.mean(jnp.argmax(logits, -1) != y)  # ! zero-gradient


of_a_model_grad = nnx.value_and_grad(of_a_model)


@eqx.filter_value_and_grad
def of_an_equinox_model(model, x, y):
    logits = jax.vmap(model)(x)
    return jnp.mean(jnp.round(jax.nn.sigmoid(logits)) != y)  # ! zero-gradient


@eqx.filter_value_and_grad
def of_an_equinox_model_right(model, x, y):
    logits = jax.vmap(model)(x)
    return jnp.mean(optax.sigmoid_binary_cross_entropy(logits, y))


lambda_grad = grad(lambda w: jnp.mean(jnp.sign(w)))  # ! zero-gradient
lambda_grad_right = grad(lambda w: jnp.mean(jnp.sign(w) * w))


def picked(params, x):
    best = jnp.argmax(x @ params)
    return (x @ params)[best]


picked_grad = grad(picked)


def maximum_of_detached(q, x):
    return jnp.mean(jnp.maximum(x @ q, lax.stop_gradient(x @ q)))


maximum_of_detached_grad = grad(maximum_of_detached)


def reinforced_in_one_return(params, x, hard):
    if hard:
        return jnp.mean(jnp.round(x @ params))
    return jnp.mean(x @ params)


either_grad = grad(reinforced_in_one_return)


def accuracy(logits, labels):
    return jnp.mean(jnp.argmax(logits, axis=-1) == labels)  # ! zero-gradient


def by_a_metric(params, x, y):
    return 1.0 - accuracy(x @ params, y)


by_a_metric_grad = grad(by_a_metric)


def by_a_mapped_metric(params, x, y):
    return jnp.mean(jax.vmap(accuracy)(x @ params, y))


by_a_mapped_metric_grad = grad(by_a_mapped_metric)


def smoothed(logits, labels):
    return accuracy(logits, labels) - jax.nn.logsumexp(logits)


def by_a_smoothed_metric(params, x, y):
    return smoothed(x @ params, y)


by_a_smoothed_metric_grad = grad(by_a_smoothed_metric)


def by_a_metric_in_it(params, x, y):
    def wrong():
        return jnp.mean(jnp.argmax(x @ params, -1) != y)  # ! zero-gradient

    return wrong()


by_a_metric_in_it_grad = grad(by_a_metric_in_it)


@jax.custom_jvp
def hard(x):
    return jnp.round(x)


hard.defjvp(lambda primals, tangents: (hard(*primals), tangents[0]))


def by_its_own_rule(w, x, y):
    return jnp.mean((hard(x @ w) - y) ** 2)


by_its_own_rule_grad = grad(by_its_own_rule)


def metric_beside_it(params, x, y):
    logits = x @ params
    return jax.nn.logsumexp(logits) - logits[y], accuracy(logits, y)


metric_beside_it_grad = grad(metric_beside_it, has_aux=True)


def changed_by_a_call(params, x):
    total = Total()  # noqa: F821
    total.add(x @ params)
    return total.mean + jnp.mean(jnp.sign(x @ params))


changed_by_a_call_grad = grad(changed_by_a_call)


def printed(params, x, y):
    hits = jnp.mean(jnp.sign(x @ params) == y)  # ! zero-gradient
    jax.debug.print("{}", hits)
    return hits


printed_grad = grad(printed)


def rescaled(carry, x):
    return carry + jnp.round(x), None


def scanned(params, xs):
    total, _ = lax.scan(rescaled, jnp.sum(params), xs)
    return total


scanned_grad = grad(scanned)


def by_an_object(quantiser, w, x):
    return jnp.mean(x @ quantiser.round(w))


by_an_object_grad = grad(by_an_object, argnums=1)


def by_a_method_of_an_array(state, x):
    return jnp.mean(state.apply(x).round(2) ** 2)  # ! zero-gradient


by_a_method_of_an_array_grad = grad(by_a_method_of_an_array)


def expected(logits, centers):
    return jnp.sum(jax.nn.softmax(logits) * centers[None, None, :], axis=-1)


def by_a_cut_target(state, graphdef, hidden, rewards):
    logits, centers = nnx.merge(graphdef, state).head(hidden)
    targets = rewards + jax.lax.stop_gradient(expected(logits, centers))[:, 1:]
    scores = jax.nn.log_softmax(logits[:, :-1], axis=-1)
    return -jnp.mean(jnp.sum(jax.lax.stop_gradient(targets)[..., None] * scores, axis=-1))


by_a_cut_target_grad = grad(by_a_cut_target)


# The parameters lie in the variables of a module.


class Classifier(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(3)(x)


@jax.jit
def hits(params, x, labels):
    def missed(params):
        logits = Classifier().apply({"params": params}, x)
        return 1 - jnp.mean(jnp.argmax(logits, axis=-1) == labels)  # ! zero-gradient

    return jax.grad(missed)(params)


@jax.jit
def likely(params, x, labels):
    def surprise(params):
        logits = Classifier().apply({"params": params}, x)
        hit = jnp.mean(jnp.argmax(logits, axis=-1) == labels)
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels, 1)), hit

    return jax.grad(surprise, has_aux=True)(params)


def squared_gradient(fn, params, *args):
    gradient = grad(fn, argnums=0)(params, *args)
    return jnp.vdot(gradient, gradient)


class Equation:
    @abstractmethod
    def residual(self, params, t):
        pass

    def solution(self, params, t):
        return params * t

    def diagonal(self, params, ts):
        """What a subclass computes, nobody knows here."""
        of_solution = jax.vmap(squared_gradient, in_axes=(None, None, 0))(self.solution, params, ts)
        of_residual = jax.vmap(squared_gradient, in_axes=(None, None, 0))(self.residual, params, ts)
        return of_solution, of_residual


zero_init = nnx.initializers.constant(0)


class DeadMlp(nnx.Module):
    def __init__(self, rngs):
        self.up = nnx.Linear(4, 8, kernel_init=zero_init, use_bias=False, rngs=rngs)  # ! zero-gradient
        self.down = nnx.Linear(8, 4, kernel_init=zero_init, bias_init=zero_init, rngs=rngs)

    def __call__(self, x):
        x = nnx.relu(self.up(x))
        x = self.down(x)
        return x


class OneOfTwo(nnx.Module):
    def __init__(self, rngs):
        self.up = nnx.Linear(4, 8, rngs=rngs)
        self.down = nnx.Linear(8, 4, kernel_init=zero_init, rngs=rngs)
        self.other = nnx.Linear(4, 4, kernel_init=zero_init, rngs=rngs)

    def __call__(self, x):
        return self.down(nnx.relu(self.up(x))) + self.other(x)


class NotZeroAtZero(nnx.Module):
    def __init__(self, rngs):
        self.up = nnx.Linear(4, 8, kernel_init=zero_init, rngs=rngs)
        self.down = nnx.Linear(8, 4, kernel_init=zero_init, rngs=rngs)

    def __call__(self, x):
        return self.down(nnx.sigmoid(self.up(x)))


class SumOfBoth(nnx.Module):
    def __init__(self, rngs):
        self.up = nnx.Linear(4, 4, kernel_init=zero_init, rngs=rngs)
        self.down = nnx.Linear(4, 4, kernel_init=zero_init, rngs=rngs)

    def __call__(self, x):
        h = self.up(x)
        return h + self.down(h)


class Compact(nn.Module):
    @nn.compact
    def __call__(self, x):
        zeros = nn.initializers.zeros_init()
        h = nn.tanh(nn.Dense(8, kernel_init=zeros)(x))  # ! zero-gradient
        return nn.Dense(4, kernel_init=nn.initializers.zeros)(h)


class WithBias(nn.Module):
    @nn.compact
    def __call__(self, x):
        zeros = nn.initializers.zeros_init()
        h = nn.Dense(8, kernel_init=zeros, bias_init=nn.initializers.ones)(x)
        return nn.Dense(4, kernel_init=zeros)(h)
def ring(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return jax.nn.sigmoid(x @ w + b)[:, 0]


def entropy_of_labels(params, x, y):  # ! zero-gradient
    p = jnp.clip(ring(params, x), 1e-6, 1.0 - 1e-6)
    y = jnp.clip(y, 1e-6, 1.0 - 1e-6)
    return -jnp.mean(y * jnp.log(y) + (1.0 - y) * jnp.log(1.0 - y))


def collected(params, x, y):
    out = []
    out.append(ring(params, x))
    return jnp.mean((out[0] - y) ** 2)


def added_up(params, x, y):
    error = ring(params, x) - y
    total = 0.0
    total += (error**2).sum()
    return total


rings = [(jnp.ones((2, 3)), jnp.zeros(3)), (jnp.ones((3, 1)), jnp.zeros(1))]
for loss_of_rings in (entropy_of_labels, collected, added_up):
    jax.jit(jax.grad(loss_of_rings))(rings, jnp.ones((4, 2)), jnp.full(4, 0.5))
