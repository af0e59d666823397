import jax
import jax.numpy as jnp
import optax


@jax.grad
def distance(a, b):
    return jnp.linalg.norm(a - b)  # ! norm-at-zero


@jax.grad
def by_hand(a, b):
    difference = a - b
    return jnp.sqrt(jnp.sum(difference**2))  # ! norm-at-zero


@jax.grad
def with_a_small_number(a, b):
    return jnp.sqrt(jnp.sum((a - b) ** 2) + 1e-12)


@jax.grad
def squared(a, b):
    return jnp.sum((a - b) ** 2)


@jax.grad
def absolute(a, b):
    return jnp.linalg.norm(a - b, ord=1)


def loss_with_metrics(w, x):
    error = jnp.sum((w * x) ** 2)
    return error, {"norm": jnp.linalg.norm(w)}


@jax.jit
def step(w, x):
    grads, _ = jax.grad(loss_with_metrics, has_aux=True)(w, x)
    return grads, optax.global_norm(grads)


@jax.grad
def of_the_data(w, x):
    return jnp.sum(w * x / jnp.std(x))


def spread(values):
    return {"std": values.std(), "mean": values.mean()}


def loss_with_helper(w, x):
    error = jnp.sum((w * x) ** 2)
    report = spread(w * x)
    return error, report


more = jax.grad(loss_with_helper, has_aux=True)(jnp.ones(3), jnp.ones(3))


@jax.custom_jvp
def safe_distance(x):
    return jnp.linalg.norm(x)


@safe_distance.defjvp
def safe_distance_jvp(primals, tangents):
    (x,), (v,) = primals, tangents
    norm = jnp.linalg.norm(x)
    return norm, jnp.where(norm > 0, jnp.dot(x, v) / jnp.where(norm > 0, norm, 1.0), 0.0)


also = jax.grad(safe_distance)(jnp.zeros(3))


def penalty(w):
    return jnp.linalg.norm(w)  # ! norm-at-zero


def with_a_penalty(w, x):
    loss = jnp.sum((w * x) ** 2)
    loss += 0.1 * jnp.sqrt(jnp.sum(w**2))  # ! norm-at-zero
    return loss + penalty(w), x


slopes, _ = jax.grad(with_a_penalty, has_aux=True)(jnp.zeros(3), jnp.ones(3))


def size_of_the_data(x):
    return jnp.linalg.norm(x)


def size_for_the_report(w):
    return jnp.linalg.norm(w)


def with_sizes(w, x):
    return jnp.sum((w * x) ** 2) * size_of_the_data(x), size_for_the_report(w)


slopes, _ = jax.grad(with_sizes, has_aux=True)(jnp.zeros(3), jnp.ones(3))


def halves(x):
    return jax.lax.stop_gradient(x), x


def half_without_its_gradient(w, x):
    fixed, free = halves(w * x)
    return jnp.std(fixed) + jnp.std(free)  # ! norm-at-zero


half_gradient = jax.grad(half_without_its_gradient)


@jax.grad
def of_a_product(a, b):
    return jnp.linalg.norm(a * b)  # ! norm-at-zero


@jax.grad
def of_a_product_by_hand(a, b):
    product = a * b
    return jnp.sqrt(jnp.sum(product**2))  # ! norm-at-zero


slopes = of_a_product(jnp.zeros(3), jnp.ones(3)), of_a_product_by_hand(jnp.zeros(3), jnp.ones(3))


@jax.grad
def through_a_container(x, layer):
    square = jnp.sum(x**2)
    size = jnp.where(square == 0.0, 0.0, jnp.sqrt(square))  # ! norm-at-zero
    return jnp.sum((layer.weights * size).array)  # a library's class, which holds an array


@jax.grad
def of_what_it_is(x, layer):
    square = jnp.sum(x**2)
    size = jnp.where(square == 0.0, 0.0, jnp.sqrt(square))
    return jnp.sum(x) * (layer.weights * size).size


slopes = through_a_container(jnp.zeros(3), 1.0), of_what_it_is(jnp.zeros(3), 1.0)
