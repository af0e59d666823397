import jax
import jax.numpy as jnp
import optax


def init_params(key):
    k1, k2 = jax.random.split(key)
    return {
        "dense1": {"kernel": jax.random.normal(k1, (6, 12)) * 0.3},
        "dense2": {"kernel": jax.random.normal(k2, (12, 1)) * 0.3},
    }


def predict(params, x):
    h = jax.nn.relu(x @ params["dense1"]["kernel"])
    return (h @ params["dense2"]["kernel"])[:, 0]


def mse(params, x, y):
    return jnp.mean((predict(params, x) - y) ** 2)


def moment_norms(opt_state):
    adam_state = opt_state[1]
    return {
        "count": int(adam_state.count),
        "mu": float(optax.global_norm(adam_state.mu)),
        "nu": float(optax.global_norm(adam_state.nu)),
    }


class Trainer:
    def __init__(self, params, lr=1e-2):
        self.params = params
        self.tx = optax.adam(lr)
        self.opt_state = self.tx.init(params)
        self._step = jax.jit(self._step_impl)

    def _step_impl(self, params, opt_state, x, y):
        loss, grads = jax.value_and_grad(mse)(params, x, y)
        updates, opt_state = self.tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    def fit(self, x, y, steps):
        for _ in range(steps):
            self.params, self.opt_state, loss = self._step(
                self.params, self.opt_state, x, y
            )
        return float(loss)


def main():
    key, kx = jax.random.split(jax.random.key(0))
    x = jax.random.normal(kx, (64, 6))
    y = x[:, 0] - 0.5 * x[:, 1]
    trainer = Trainer(init_params(key))
    print("loss", trainer.fit(x, y, 20))
    print("optimizer", moment_norms(trainer.opt_state))


if __name__ == "__main__":
    main()
