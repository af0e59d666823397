import jax
import jax.numpy as jnp
from flax import linen as nn
from flax.traverse_util import flatten_dict, unflatten_dict


class PolicyNet(nn.Module):
    actions: int = 3

    @nn.compact
    def __call__(self, frames, train: bool = True):
        x = nn.Conv(8, (3, 3), strides=(2, 2), name="conv_init")(frames)
        x = nn.BatchNorm(use_running_average=not train, name="bn_init")(x)
        x = nn.relu(x).reshape((x.shape[0], -1))
        return nn.Dense(self.actions)(x)


def param_formatter(params):
    flat = flatten_dict(params)
    shapes = {k: v.shape for k, v in flat.items()}
    sizes = {k: int(v.size) for k, v in flat.items()}

    def unflatten(vec):
        out, i = {}, 0
        for k, size in sizes.items():
            out[k] = vec[i : i + size].reshape(shapes[k])
            i += size
        return unflatten_dict(out)

    return sum(sizes.values()), unflatten


class ConvPolicy:
    def __init__(self, frame_shape):
        self.model = PolicyNet()
        variables = self.model.init(jax.random.key(0), jnp.zeros((1,) + frame_shape))
        self.num_params, fmt = param_formatter(variables["params"])
        self.batch_stats = variables["batch_stats"]

        def forward(vec, frames):
            logits, _ = self.model.apply(
                {"params": fmt(vec), "batch_stats": self.batch_stats},
                frames,
                mutable=["batch_stats"],
            )
            return logits

        self._forward = jax.jit(jax.vmap(forward, in_axes=(0, None)))

    def get_actions(self, population, frames):
        return self._forward(population, frames).argmax(-1)


def evolve(generations=3, pop=8, seed=1):
    key = jax.random.key(seed)
    policy = ConvPolicy((8, 8, 1))
    mean = jnp.zeros(policy.num_params)
    target = jnp.arange(16) % 3
    for _ in range(generations):
        key, kz, kf = jax.random.split(key, 3)
        z = jax.random.normal(kz, (pop, policy.num_params))
        frames = jax.random.normal(kf, (16, 8, 8, 1))
        fitness = (policy.get_actions(mean + 0.1 * z, frames) == target).mean(-1)
        mean = mean + 0.1 * (fitness - fitness.mean()) @ z
    return float(fitness.max())


if __name__ == "__main__":
    print("best fitness", evolve())
