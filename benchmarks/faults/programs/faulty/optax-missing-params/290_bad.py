import jax
import jax.numpy as jnp
import optax
from flax import struct


@struct.dataclass
class State:
    mean: jax.Array
    std: jax.Array
    opt_state: optax.OptState


class IslandOpenES:
    """OpenAI-ES run on several islands, every island with its own optimizer state."""

    def __init__(self, population_size, num_dims, islands, optimizer):
        self.population_size = population_size
        self.num_dims = num_dims
        self.islands = islands
        self.optimizer = optimizer

    def init(self, key):
        mean = jax.random.normal(key, (self.islands, self.num_dims))
        return State(
            mean=mean,
            std=jnp.full((self.islands,), 0.2),
            opt_state=jax.vmap(self.optimizer.init)(mean),
        )

    def ask(self, key, state):
        half = (self.islands, self.population_size // 2, self.num_dims)
        z = jax.random.normal(key, half)
        z = jnp.concatenate([z, -z], axis=1)
        return state.mean[:, None] + state.std[:, None, None] * z

    def tell(self, population, fitness, state):
        z = (population - state.mean[:, None]) / state.std[:, None, None]
        rank = jnp.argsort(jnp.argsort(fitness, axis=1), axis=1)
        shaped = rank / (self.population_size - 1) - 0.5
        grad = jnp.einsum("ip,ipd->id", shaped, z) / (
            self.population_size * state.std[:, None]
        )
        updates, opt_state = jax.vmap(self.optimizer.update)(grad, state.opt_state)
        mean = optax.apply_updates(state.mean, updates)
        return state.replace(mean=mean, opt_state=opt_state, std=state.std * 0.99)


def rosenbrock(x):
    return jnp.sum(100 * (x[..., 1:] - x[..., :-1] ** 2) ** 2 + (1 - x[..., :-1]) ** 2, -1)


def main():
    optimizer = optax.chain(
        optax.scale_by_adam(), optax.add_decayed_weights(1e-3), optax.scale(-0.05)
    )
    es = IslandOpenES(32, 3, 4, optimizer)
    state = es.init(jax.random.key(0))
    tell = jax.jit(es.tell)
    for k in jax.random.split(jax.random.key(1), 30):
        pop = es.ask(k, state)
        state = tell(pop, rosenbrock(pop), state)
    print("best", float(rosenbrock(state.mean).min()))


if __name__ == "__main__":
    main()
