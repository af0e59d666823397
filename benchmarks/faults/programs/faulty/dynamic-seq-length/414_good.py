"""REINFORCE on a cart that has to stay in the middle (equinox)."""
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Cart:
    def __init__(self, seed, max_steps=80):
        self.rng = np.random.default_rng(seed)
        self.max_steps = max_steps

    def reset(self):
        self.t = 0
        self.s = self.rng.normal(size=2).astype(np.float32) * 0.1
        return self.s.copy()

    def step(self, a):
        force = 0.4 if a == 1 else -0.4
        self.s[1] += force + 0.2 * self.rng.normal()
        self.s[0] += 0.3 * self.s[1]
        self.t += 1
        done = abs(self.s[0]) > 2.0 or self.t >= self.max_steps
        return self.s.copy(), 1.0, done


class Policy(eqx.Module):
    mlp: eqx.nn.MLP

    def __init__(self, key):
        self.mlp = eqx.nn.MLP(2, 2, 16, 1, key=key)

    def __call__(self, obs):
        return jax.nn.log_softmax(self.mlp(obs))


@eqx.filter_jit
def act(policy, obs, key):
    return jax.random.categorical(key, policy(obs))


def rewards_to_go(rewards, gamma=0.98):
    out, acc = np.zeros(len(rewards), np.float32), 0.0
    for i in reversed(range(len(rewards))):
        acc = rewards[i] + gamma * acc
        out[i] = acc
    return out


def loss_fn(policy, obs, actions, returns):
    logp = jax.vmap(policy)(obs)
    picked = jnp.take_along_axis(logp, actions[:, None], axis=1)[:, 0]
    return -jnp.sum(picked * returns) / 20.0


@eqx.filter_jit
def learn(policy, opt_state, optim, obs, actions, returns):
    loss, grads = eqx.filter_value_and_grad(loss_fn)(policy, obs, actions, returns)
    updates, opt_state = optim.update(grads, opt_state)
    return eqx.apply_updates(policy, updates), opt_state, loss


def run_episode(env, policy, key):
    obs, traj, done = env.reset(), [], False
    while not done:
        key, sub = jax.random.split(key)
        a = int(act(policy, obs, sub))
        nxt, r, done = env.step(a)
        traj.append((obs, a, r))
        obs = nxt
    o, a, r = zip(*traj)
    n = env.max_steps - len(r)
    obs = np.pad(np.stack(o), ((0, n), (0, 0)))
    actions = np.pad(np.asarray(a, np.int32), (0, n))
    return obs, actions, np.pad(rewards_to_go(r), (0, n))


if __name__ == "__main__":
    env, policy, optim = Cart(0), Policy(jax.random.key(0)), optax.adam(1e-2)
    opt_state = optim.init(eqx.filter(policy, eqx.is_array))
    for ep in range(12):
        batch = run_episode(env, policy, jax.random.key(ep))
        policy, opt_state, loss = learn(policy, opt_state, optim, *batch)
    print("last length", len(batch[0]), "loss", float(loss))
