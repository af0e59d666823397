"""Amortised optimisation: a network is trained with gradients given by a problem."""
import flax.nnx as nnx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Decoder(nnx.Module):
    def __init__(self, rngs, size=8, hidden=32):
        self.l1 = nnx.Linear(size, hidden, rngs=rngs)
        self.l2 = nnx.Linear(hidden, size, rngs=rngs)

    def __call__(self, context):
        return self.l2(jnp.tanh(self.l1(context)))


class LinearSystemProblem:
    def __init__(self, rng, size=8, batch=16):
        a = rng.normal(size=(batch, size, size)).astype(np.float32)
        self.a = a @ a.transpose(0, 2, 1) / size + np.eye(size, dtype=np.float32)
        self.context = rng.normal(size=(batch, size)).astype(np.float32)

    def gradient(self, decision):
        return np.einsum("bij,bj->bi", self.a, np.asarray(decision)) - self.context


def forward_vjp(graphdef, params, context):
    apply = lambda p: nnx.merge(graphdef, p)(context)
    return jax.vjp(apply, params)


class Trainer:
    def __init__(self, model, tx):
        self.graphdef, self.params = nnx.split(model)
        self.tx = tx
        self.opt_state = tx.init(self.params)
        self._forward = jax.jit(lambda params, context:
                                forward_vjp(self.graphdef, params, context))
        self._apply_gradient = jax.jit(self._update)

    def _update(self, params, opt_state, grads):
        updates, opt_state = self.tx.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state

    def training_step(self, problem):
        decision, pullback = self._forward(self.params, problem.context)
        (grads,) = pullback(jnp.asarray(problem.gradient(decision)))
        self.params, self.opt_state = self._apply_gradient(
            self.params, self.opt_state, grads)
        return jnp.linalg.norm(decision)

    def train(self, loader):
        return [self.training_step(p) for p in loader]


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    trainer = Trainer(Decoder(nnx.Rngs(0)), optax.adam(1e-3))
    norms = trainer.train(LinearSystemProblem(rng) for _ in range(8))
    print(float(norms[-1]))
