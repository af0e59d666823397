import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training import train_state


class NerfMLP(nn.Module):
    width: int = 32

    @nn.compact
    def __call__(self, pts):
        enc = jnp.concatenate([jnp.sin(pts * 2.0**i) for i in range(4)], axis=-1)
        x = nn.relu(nn.Dense(self.width)(enc))
        out = nn.Dense(4)(x)
        return nn.sigmoid(out[..., :3]), nn.softplus(out[..., 3])


def render(rgb, sigma, ts):
    delta = jnp.diff(ts, append=ts[-1:] + 0.1)
    alpha = 1.0 - jnp.exp(-sigma * delta)
    trans = jnp.cumprod(1.0 - alpha + 1e-10, axis=-1)
    weights = alpha * jnp.concatenate([jnp.ones_like(trans[:, :1]), trans[:, :-1]], -1)
    return jnp.sum(weights[..., None] * rgb, axis=-2), jnp.sum(weights * ts, -1)


def depth_ranking_loss(depth, prior, margin=1e-4):
    diff = depth[:, None] - depth[None, :]
    order = prior[:, None] < prior[None, :]
    return jnp.mean(jnp.maximum(jnp.where(order, diff + margin, 0.0), 0.0))


@jax.jit
def train_step(state, batch, ts):
    def loss_fn(params):
        pts = batch["o"][:, None] + batch["d"][:, None] * ts[None, :, None]
        rgb, sigma = state.apply_fn({"params": params}, pts)
        color, depth = render(rgb, sigma, ts)
        rank = depth_ranking_loss(depth, batch["prior"])
        jax.debug.print("depth ranking loss: {r}", r=rank)
        return jnp.mean((color - batch["rgb"]) ** 2) + 0.1 * rank

    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss


def main(steps=4):
    ko, kd, kc, kp, ki = jax.random.split(jax.random.key(0), 5)
    batch = {
        "o": jax.random.normal(ko, (16, 3)),
        "d": jax.random.normal(kd, (16, 3)),
        "rgb": jax.random.uniform(kc, (16, 3)),
        "prior": jax.random.uniform(kp, (16,)),
    }
    ts = jnp.linspace(0.1, 2.0, 12)
    model = NerfMLP()
    params = model.init(ki, jnp.zeros((1, 3)))["params"]
    state = train_state.TrainState.create(
        apply_fn=model.apply, params=params, tx=optax.adam(5e-3)
    )
    for _ in range(steps):
        state, loss = train_step(state, batch, ts)
    jax.effects_barrier()
    print("final", float(loss))


if __name__ == "__main__":
    main()
