import logging
import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import wandb
from flax import nnx
from jax.sharding import PartitionSpec as P

LOG = logging.getLogger(__name__)


@jax.jit
def prints(x):
    y = jnp.sum(x)
    print("sum", y)  # ! side-effect-in-jit
    return y


@jax.jit
def logs(x):
    logging.info("loss %s", x.mean())  # ! side-effect-in-jit
    return x


@jax.jit
def formats(x):
    name = f"{jnp.sum(x):.3f}"  # ! side-effect-in-jit
    return x, name


@jax.jit
def marks(x):
    print("tracing", x.shape)
    return x


@jax.jit
def debug(x):
    jax.debug.print("{}", x)
    return x


def eager(x):
    print(jnp.sum(x), f"{jnp.sum(x):.3f}")


@jax.jit
def complains(x):
    if x.ndim != 2:
        raise ValueError(f"needs a matrix, not {x}")
    return x


def shows(x):
    print(x)


@jax.jit
def callback(x):
    jax.debug.callback(shows, x)
    return x


def gradient(w):
    def loss(w):
        total = jnp.sum(w)
        return total

    value, grads = jax.value_and_grad(loss)(w)
    print(f"{value:.3f}")
    return grads


class Trainer:
    def __init__(self, step):
        self.log = logging.getLogger("trainer")
        self.step = jax.jit(self.one)

    def one(self, x):
        loss = jnp.sum(x)
        self.log.info("loss %s", loss)  # ! side-effect-in-jit
        self.log.info("tracing for %s", x.shape)
        return loss


@jax.jit
def logger_of_the_module(x):
    LOG.error("%s", x)  # ! side-effect-in-jit
    LOG.debug("tracing %s", x.dtype)
    return x


@jax.jit
def formatted(x):
    print("x is {}".format(x))  # ! side-effect-in-jit
    print("x is %s" % x)  # ! side-effect-in-jit
    print("x is %s of %s" % (x, x.dtype))  # ! side-effect-in-jit
    print("x is " + str(x))  # ! side-effect-in-jit
    print("x is", repr(x))  # ! side-effect-in-jit
    print("shape {} {}".format(x.shape, x.dtype), "%s" % x.ndim, str(x.shape))
    name = "{:.3f}".format(jnp.sum(x))  # ! side-effect-in-jit
    other = "%d" % jnp.sum(x)  # ! side-effect-in-jit
    return x, name, other


@jax.jit
def names(x, scale):
    label = "%s layers of %d" % (x.ndim, x.shape[0])
    key = "x{}".format(x)  # a strange name, no output
    return {label: x % 2, "rest": 5 % scale, key: str(x.dtype)}


@jax.jit
def streams(x):
    sys.stdout.write(str(x))  # ! side-effect-in-jit
    sys.stderr.write(f"{x}")  # ! side-effect-in-jit
    sys.stdout.write("tracing\n")
    return x


@jax.jit
def tracked(x):
    loss = jnp.sum(x)
    wandb.log({"loss": loss})  # ! side-effect-in-jit
    wandb.log({"compilations": 1, "shape": x.shape})
    return loss


def complains_with_percent(x):
    if x.ndim != 2:
        raise ValueError("needs a matrix, not %s and {}".format(x) % x)
    return x


jax.jit(complains_with_percent)


def eager_log(x):
    LOG.error("%s", jnp.sum(x))
    sys.stdout.write(str(jnp.sum(x)))
    print("%s" % jnp.sum(x))


@eqx.filter_value_and_grad
def slope(model, x):
    return jnp.sum(model(x))


@eqx.filter_value_and_grad(has_aux=True)
def slope_and_more(model, x):
    y = model(x)
    return jnp.sum(y), "more"


@eqx.filter_jit
def filtered_step(model, x):
    loss, _ = slope(model, x)
    print("loss", loss)  # ! side-effect-in-jit
    return loss


@eqx.filter_jit
def filtered_step_and_more(model, x):
    (loss, more), _ = slope_and_more(model, x)
    print("with", more)
    return loss


def filtered_on_the_host(model, x):
    loss, _ = slope(model, x)
    print("loss", loss)
    return loss


@jax.jit
def notes_its_call(x):
    logging.info("notes_its_call(x=%s)", x)
    logging.info("value of notes_its_call %s", x)  # ! side-effect-in-jit
    return x


class Net(nnx.Module):
    def __init__(self, rngs):
        self.hidden = nnx.Linear(2, 4, rngs=rngs)
        self.out = nnx.Linear(4, 1, rngs=rngs)

    def __call__(self, x):
        return self.out(nnx.relu(self.hidden(x)))


def residual_of(net, x):
    residual = net(x) - 1.0
    logging.warning("residual %s", residual)  # ! side-effect-in-jit
    return jnp.mean(residual**2)


@nnx.jit
def fitted(net, x):
    return nnx.value_and_grad(residual_of)(net, x)


def spread_over(mesh):
    def mean_of(w, x):
        return jax.lax.pmean(jnp.mean(x @ w), "data")

    spread = jax.shard_map(mean_of, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())

    @jax.jit
    def step(w, x):
        loss = spread(w, x)
        print("loss", loss)  # ! side-effect-in-jit
        return w - loss

    return step


fitted(Net(nnx.Rngs(0)), jnp.ones((3, 2)))
stepped = spread_over(jax.make_mesh((1,), ("data",)))(jnp.ones(2), jnp.ones((4, 2)))
