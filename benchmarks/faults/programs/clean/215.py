import jax
import jax.numpy as jnp
import optax


def init(key):
    k1, k2 = jax.random.split(key)
    return {"w1": jax.random.normal(k1, (3, 16)) * 0.4, "w2": jax.random.normal(k2, (16, 2)) * 0.4}


def net(params, x, t):
    h = jax.nn.silu(jnp.concatenate([x, t[:, None]], -1) @ params["w1"])
    return x + t[:, None] * (h @ params["w2"])


def consistency_loss(params, target_params, x, key):
    """Teacher and student see the same noise at two neighbouring levels."""
    k_t, k_z = jax.random.split(key)
    t = jax.random.uniform(k_t, (x.shape[0],), minval=0.1, maxval=0.9)
    hi = x + (t + 0.1)[:, None] * jax.random.normal(k_z, x.shape)
    lo = x + t[:, None] * jax.random.normal(k_z, x.shape)
    student = net(params, hi, t + 0.1)
    teacher = jax.lax.stop_gradient(net(target_params, lo, t))
    return jnp.mean((student - teacher) ** 2)


class Trainer:
    def __init__(self, lr=1e-2, tau=0.05):
        self.tx = optax.adam(lr)
        self.tau = tau
        self.step = jax.jit(self._step)

    def _step(self, params, target, opt_state, x, key):
        loss, g = jax.value_and_grad(consistency_loss)(params, target, x, key)
        updates, opt_state = self.tx.update(g, opt_state)
        params = optax.apply_updates(params, updates)
        return params, optax.incremental_update(params, target, self.tau), opt_state, loss


def main():
    trainer = Trainer()
    params = target = init(jax.random.key(0))
    opt_state = trainer.tx.init(params)
    x = jax.random.normal(jax.random.key(1), (64, 2))
    for key in jax.random.split(jax.random.key(2), 30):
        params, target, opt_state, loss = trainer.step(params, target, opt_state, x, key)
    print("loss", float(loss))


if __name__ == "__main__":
    main()
