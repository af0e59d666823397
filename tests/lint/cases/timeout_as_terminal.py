import jax
import jax.numpy as jnp
import numpy as np


def to_jax(*values, dtype=None):
    return tuple(jnp.asarray(value, dtype) for value in values)


def with_or(env, policy, buffer, obs):
    action = policy(obs)
    next_obs, reward, terminated, truncated, info = env.step(action)
    done = terminated or truncated  # ! timeout-as-terminal
    buffer.add(obs, action, reward, next_obs, float(done))
    return next_obs


def with_arrays(envs, policy, obs, steps):
    dones, rewards = [], []
    done = np.zeros(4)
    for _ in range(steps):
        dones.append(done.copy())
        obs, reward, term, trunc, _ = envs.step(policy(obs))
        reward, term = to_jax(reward, term)
        term, trunc = to_jax(term, trunc, dtype=bool)
        done = jnp.logical_or(term, trunc)  # ! timeout-as-terminal
        rewards.append(reward)
    return dones, rewards


def with_slots(envs, policy, obs, dones, t):
    obs, reward, terminations, truncations, infos = envs.step(policy(obs))
    dones[t] = terminations | truncations  # ! timeout-as-terminal
    return obs, reward


def both(env, policy, buffer, obs):
    next_obs, reward, terminated, truncated, info = env.step(policy(obs))
    done = terminated or truncated
    buffer.add(obs, reward, next_obs, terminated)
    return env.reset() if done else next_obs


def each(env, policy, buffer, obs):
    next_obs, reward, terminated, truncated, info = env.step(policy(obs))
    buffer.add(obs, reward, terminated or truncated, truncated)
    return next_obs


def of_the_end(env, policy, obs):
    total = 0.0
    while True:
        obs, reward, terminated, truncated, info = env.step(policy(obs))
        total += reward
        if terminated or truncated:
            return total


def with_final(envs, policy, buffer, obs):
    next_obs, reward, terminated, truncated, info = envs.step(policy(obs))
    done = np.logical_or(terminated, truncated)
    seen = np.where(done, info["final_observation"], next_obs)
    buffer.add(obs, reward, seen, done)
    return next_obs


def asked(env, policy, value, buffer, obs, discount):
    next_obs, reward, terminated, truncated, info = env.step(policy(obs))
    if truncated:
        reward += discount * value(next_obs)
    buffer.add(obs, reward, next_obs, terminated or truncated)
    return next_obs


def of_one_flag(env, policy, buffer, obs):
    next_obs, reward, done, info = env.step(policy(obs))
    buffer.add(obs, reward, next_obs, done)
    return jax.device_put(next_obs)


def masked(envs, policy, value, buffer, obs):
    next_obs, reward, terminated, truncated, info = envs.step(policy(obs))
    reward = jnp.where(truncated, reward + value(next_obs), reward)
    buffer.add(obs, reward, next_obs, terminated | truncated)
    return next_obs
