import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training import train_state


class TokenPolicy(nn.Module):
    vocab: int = 6
    hidden: int = 16

    @nn.compact
    def __call__(self, obs):
        h = nn.tanh(nn.Dense(self.hidden)(obs))
        return nn.Dense(self.vocab)(h)


def token_scores(tokens, prices):
    return prices[tokens]


def cost_fn(params, apply_fn, obs, prices, rng):
    logits = apply_fn({"params": params}, obs)
    tokens = jax.random.categorical(rng, logits, axis=-1)
    scores = token_scores(tokens, prices)
    return jnp.mean(scores)


@jax.jit
def train_step(state, obs, prices, rng):
    cost, grads = jax.value_and_grad(cost_fn)(
        state.params, state.apply_fn, obs, prices, rng
    )
    return state.apply_gradients(grads=grads), cost, optax.global_norm(grads)


def fit(num_steps=30, seed=0):
    rng = jax.random.PRNGKey(seed)
    rng, init_rng, data_rng = jax.random.split(rng, 3)
    obs = jax.random.normal(data_rng, (32, 4))
    prices = jnp.linspace(0.0, 5.0, 6)
    model = TokenPolicy()
    params = model.init(init_rng, obs)["params"]
    state = train_state.TrainState.create(
        apply_fn=model.apply, params=params, tx=optax.adam(3e-2)
    )
    for step in range(num_steps):
        rng, step_rng = jax.random.split(rng)
        state, cost, gnorm = train_step(state, obs, prices, step_rng)
        if step % 10 == 9:
            print(f"step {step + 1} cost {cost:.3f} grad norm {gnorm:.4f}")
    return state


if __name__ == "__main__":
    fit()
