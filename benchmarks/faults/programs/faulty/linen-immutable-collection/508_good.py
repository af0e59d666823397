"""Variational autoencoder for counts, with batch norm, in a module-wrapping trainer."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax


class CountVAE(nn.Module):
    n_genes: int
    n_latent: int = 4

    @nn.compact
    def __call__(self, x, training: bool):
        lib = jnp.log1p(x.sum(-1, keepdims=True))
        h = nn.Dense(32)(jnp.log1p(x))
        h = nn.relu(nn.BatchNorm(use_running_average=not training, momentum=0.9)(h))
        usage = self.variable("code_usage", "mean", jnp.zeros, (self.n_latent,))
        mean, logvar = nn.Dense(self.n_latent)(h), nn.Dense(self.n_latent)(h)
        if training:
            usage.value = 0.9 * usage.value + 0.1 * jnp.abs(mean).mean(0)
        z = mean + jnp.exp(0.5 * logvar) * jax.random.normal(self.make_rng("z"), mean.shape)
        rate = jnp.exp(nn.log_softmax(nn.Dense(self.n_genes)(nn.relu(nn.Dense(32)(z)))) + lib)
        recon = jnp.sum(rate - x * jnp.log(rate + 1e-8), -1)
        kl = -0.5 * jnp.sum(1.0 + logvar - mean**2 - jnp.exp(logvar), -1)
        return jnp.mean(recon + kl)


class TrainingPlan:
    def __init__(self, module, optim):
        self.module, self.optim = module, optim

    def setup(self, key, example):
        k1, k2 = jax.random.split(key)
        variables = self.module.init({"params": k1, "z": k2}, example, training=True)
        params = variables.pop("params")
        return params, variables, self.optim.init(params)

    def training_step(self):
        @jax.jit
        def step(params, extra, opt_state, batch, key):
            def loss_fn(params):
                return self.module.apply(
                    {"params": params, **extra}, batch, training=True,
                    rngs={"z": key}, mutable=list(extra),
                )

            (loss, new_extra), grads = jax.value_and_grad(loss_fn, has_aux=True)(params)
            updates, opt_state = self.optim.update(grads, opt_state, params)
            return optax.apply_updates(params, updates), new_extra, opt_state, loss

        return step


def counts(key, n=64, genes=20):
    k1, k2 = jax.random.split(key)
    profile = jax.nn.softmax(2.0 * jax.random.normal(jax.random.key(9), (3, genes)))
    return jax.random.poisson(k2, 40.0 * profile[jax.random.randint(k1, (n,), 0, 3)]).astype(jnp.float32)


if __name__ == "__main__":
    plan = TrainingPlan(CountVAE(20), optax.adam(3e-3))
    params, extra, opt_state = plan.setup(jax.random.key(0), counts(jax.random.key(1)))
    step = plan.training_step()
    for i in range(20):
        k = jax.random.split(jax.random.key(i), 2)
        params, extra, opt_state, loss = step(params, extra, opt_state, counts(k[0]), k[1])
    print("loss", float(loss), "code usage", extra["code_usage"]["mean"])
