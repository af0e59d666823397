"""Meta-gradient tuning of the discount: the return stays differentiable in gamma."""
import jax
import jax.numpy as jnp
import optax


def lambda_returns(rewards, values, gamma, lam):
    def body(g, inp):
        r, v = inp
        g = r + gamma * ((1.0 - lam) * v + lam * g)
        return g, g

    _, returns = jax.lax.scan(body, values[-1], (rewards, values), reverse=True)
    return returns


def value_loss(theta, gamma, batch):
    values = batch["features"] @ theta
    bootstrap = jax.lax.stop_gradient(values)
    target = lambda_returns(batch["rewards"], bootstrap, gamma, 0.9)
    return jnp.mean((values - target) ** 2)


def inner_update(theta, gamma_logit, batch, lr=0.05):
    gamma = jax.nn.sigmoid(gamma_logit)
    return theta - lr * jax.grad(value_loss)(theta, gamma, batch)


def outer_loss(gamma_logit, theta, train_batch, valid_batch):
    theta = inner_update(theta, gamma_logit, train_batch)
    values = valid_batch["features"] @ theta
    returns = lambda_returns(valid_batch["rewards"], values, 0.97, 1.0)
    return jnp.mean((values - jax.lax.stop_gradient(returns)) ** 2), theta


def episode(key, t=30):
    k1, k2 = jax.random.split(key)
    return {"features": jax.random.normal(k1, (t, 4)), "rewards": jax.random.uniform(k2, (t,))}


def main(steps=30):
    opt = optax.adam(5e-2)
    gamma_logit, theta = jnp.array(1.0), jnp.zeros(4)
    state = opt.init(gamma_logit)
    step = jax.jit(jax.value_and_grad(outer_loss, has_aux=True))
    for i in range(steps):
        k1, k2 = jax.random.split(jax.random.key(i))
        (loss, theta), g = step(gamma_logit, theta, episode(k1), episode(k2))
        updates, state = opt.update(g, state)
        gamma_logit = optax.apply_updates(gamma_logit, updates)
    return float(jax.nn.sigmoid(gamma_logit)), float(g), float(loss)


if __name__ == "__main__":
    print("gamma, meta gradient, loss", main())
