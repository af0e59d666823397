"""Independence sampler: a fitted Gaussian mixture proposes, the target accepts."""
import jax
import jax.numpy as jnp
import numpy as np


def log_target(x):
    return jnp.logaddexp(-0.5 * jnp.sum((x - 2) ** 2), -0.5 * jnp.sum((x + 2) ** 2))


class MixtureProposal:
    def __init__(self, num_components, dim):
        self.means = jnp.zeros((num_components, dim))
        self.scale = jnp.ones((num_components, 1))

    def fit(self, samples, rng):
        pick = rng.choice(len(samples), len(self.means), replace=False)
        self.means = samples[pick]
        self.scale = jnp.full((len(pick), 1), samples.std() + 0.5)

    def sample(self, key, n):
        k1, k2 = jax.random.split(key)
        comp = jax.random.randint(k1, (n,), 0, len(self.means))
        eps = jax.random.normal(k2, (n, self.means.shape[1]))
        return self.means[comp] + self.scale[comp] * eps


def mixture_log_prob(means, scale, x):
    d2 = jnp.sum(((x - means) / scale) ** 2, axis=-1)
    return jax.nn.logsumexp(-0.5 * d2 - means.shape[1] * jnp.log(scale[:, 0]))


def body(carry, inputs):
    x, ratio = carry
    prop, lq, u = inputs
    new_ratio = log_target(prop) - lq
    accept = jnp.log(u) < new_ratio - ratio
    carry = (jnp.where(accept, prop, x), jnp.where(accept, new_ratio, ratio))
    return carry, (carry[0], accept)


def global_sampling(proposal, start, key, num_steps):
    k_prop, k_acc = jax.random.split(key)
    proposals = proposal.sample(k_prop, num_steps)
    log_q = jax.vmap(mixture_log_prob, (None, None, 0))(proposal.means, proposal.scale, proposals)

    first = log_target(start) - mixture_log_prob(proposal.means, proposal.scale, start)
    uniforms = jax.random.uniform(k_acc, (num_steps,))
    (x, _), (chain, accepted) = jax.lax.scan(body, (start, first), (proposals, log_q, uniforms))
    return x, chain, accepted.mean()


def run(loops=8, num_steps=200, dim=2, seed=0):
    rng, key = np.random.default_rng(seed), jax.random.key(seed)
    proposal, x = MixtureProposal(5, dim), jnp.zeros(dim)
    for _ in range(loops):
        key, sub = jax.random.split(key)
        x, chain, rate = global_sampling(proposal, x, sub, num_steps)
        proposal.fit(chain, rng)
    return chain, float(rate)


if __name__ == "__main__":
    chain, rate = run()
    print("acceptance", rate, "mean |x|", float(jnp.abs(chain).mean()))
