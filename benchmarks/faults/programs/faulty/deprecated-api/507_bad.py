"""Pixel agent: critic and actor share a convolutional encoder (linen)."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax.training.train_state import TrainState


class Encoder(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.relu(nn.Conv(8, (3, 3), strides=(2, 2))(x))
        return nn.LayerNorm()(nn.Dense(16)(x.reshape(x.shape[0], -1)))


class Actor(nn.Module):
    def setup(self):
        self.encoder = Encoder()
        self.out = nn.Dense(2)

    def __call__(self, obs):
        return jnp.tanh(self.out(jax.lax.stop_gradient(self.encoder(obs))))


class Critic(nn.Module):
    def setup(self):
        self.encoder = Encoder()
        self.q = nn.Sequential([nn.Dense(32), nn.relu, nn.Dense(1)])

    def __call__(self, obs, act):
        return self.q(jnp.concatenate([self.encoder(obs), act], -1))[..., 0]


def share_encoder(source, target):
    new_params = target.params.copy(add_or_replace={"encoder": source.params["encoder"]})
    return target.replace(params=new_params)


class DrQLearner:
    def __init__(self, seed, obs_shape, lr=1e-3):
        k1, k2 = jax.random.split(jax.random.key(seed))
        obs, act = jnp.zeros((1, *obs_shape)), jnp.zeros((1, 2))
        make = lambda m, p: TrainState.create(apply_fn=m.apply, params=p["params"], tx=optax.adam(lr))
        actor_def, critic_def = Actor(), Critic()
        self.actor = make(actor_def, actor_def.init(k1, obs))
        self.critic = make(critic_def, critic_def.init(k2, obs, act))

    @staticmethod
    @jax.jit
    def _update(actor, critic, batch):
        def critic_loss(p):
            q = critic.apply_fn({"params": p}, batch["obs"], batch["act"])
            return jnp.mean((q - batch["reward"]) ** 2)

        loss, g = jax.value_and_grad(critic_loss)(critic.params)
        critic = critic.apply_gradients(grads=g)
        actor = share_encoder(source=critic, target=actor)

        def actor_loss(p):
            act = actor.apply_fn({"params": p}, batch["obs"])
            return -critic.apply_fn({"params": critic.params}, batch["obs"], act).mean()

        return actor.apply_gradients(grads=jax.grad(actor_loss)(actor.params)), critic, loss

    def update(self, batch):
        self.actor, self.critic, loss = self._update(self.actor, self.critic, batch)
        return float(loss)


if __name__ == "__main__":
    agent = DrQLearner(0, (8, 8, 3))
    for i in range(10):
        k = jax.random.split(jax.random.key(i), 2)
        act = jax.random.uniform(k[1], (16, 2), minval=-1.0)
        loss = agent.update({"obs": jax.random.normal(k[0], (16, 8, 8, 3)), "act": act, "reward": act[:, 0]})
    print("critic loss", loss)
