from functools import partial

import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp


class Block(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        y = nn.Dense(4 * self.width)(nn.LayerNorm()(x))
        return x + nn.Dense(self.width)(nn.SelfAttention(4)(y))


class Deep(nn.Module):
    depth: int
    remat: bool = False

    def setup(self):
        block = nn.remat(Block) if self.remat else Block
        self.blocks = [block(64) for _ in range(self.depth)]

    def __call__(self, x, train=True):
        for block in self.blocks:
            x = block(x)
        return x


class Written(nn.Module):
    @nn.compact
    def __call__(self, x):
        conv = partial(nn.Conv, kernel_size=(3, 3))
        for width in range(4):
            x = nn.relu(nn.BatchNorm(True)(conv(8 + width)(x)))
        return nn.Dense(10)(x)


class Small(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.relu(nn.Dense(64)(nn.relu(nn.Dense(64)(x)))))


def tower(x):
    for width in (8, 16, 32, 64):
        x = jax.nn.relu(hk.Linear(width)(hk.LayerNorm(-1, True, True)(x)))
    return x


x = jnp.ones((8, 64))
deep = Deep(12)
deep_variables = deep.init(jax.random.key(0), x, train=False)  # ! eager-init
network = hk.transform(tower)


def written(key, x):
    return Written().init(key, x)  # ! eager-init


def one_of_two(key, x, is_deep):
    model = Deep(6) if is_deep else Written()
    return model.init(key, x)  # ! eager-init


def of_haiku(key, x):
    return network.init(key, x)  # ! eager-init


def twice(key, x):
    first = deep.init(key, x)  # ! eager-init
    return first, Written().init(key, x)


written(jax.random.key(0), x)
one_of_two(jax.random.key(0), x, jax.device_count() > 1)
of_haiku(jax.random.key(0), x)
twice(jax.random.key(0), x)

jitted = jax.jit(deep.init)(jax.random.key(0), x)
with_flag = jax.jit(lambda key, x: deep.init(key, x, train=False))(jax.random.key(0), x)
shapes = jax.eval_shape(deep.init, jax.random.key(0), x)
small = Small().init(jax.random.key(0), x)
lazy = deep.lazy_init(jax.random.key(0), jax.ShapeDtypeStruct((8, 64), jnp.float32))


@jax.jit
def made(key, x):
    return Written().init(key, x)


def unknown(model, key, x):
    return model.init(key, x)


made(jax.random.key(0), x)

if __name__ == "__main__":
    print(jax.tree.map(jnp.shape, Written().init(jax.random.key(0), x)))


Wide = partial(nn.Dense, kernel_init=nn.initializers.normal(0.02))


class OfOneExample(nn.Module):
    """Its layers are made of a name of the file, in a method that `vmap` maps over the batch."""

    depth: int

    def forward(self, x):
        for _ in range(self.depth):
            x = x + Wide(64)(nn.relu(Wide(256)(x)))
            x = nn.LayerNorm()(Wide(64)(x))
        return x

    @nn.compact
    def __call__(self, x):
        return jax.vmap(self.forward)(x)


class Own(nn.Module):
    width: int

    def setup(self):
        self.kernel = self.param("kernel", nn.initializers.normal(), (self.width, self.width))
        self.bias = self.param("bias", nn.initializers.zeros, (self.width,))

    def __call__(self, x):
        return x @ self.kernel + self.bias


class OfOwn(nn.Module):
    @nn.compact
    def __call__(self, x):
        for _ in range(8):
            x = Own(64)(x)
        return x


class FewOwn(nn.Module):
    @nn.compact
    def __call__(self, x):
        return Own(64)(Own(64)(Own(64)(Own(64)(x))))


def of_one_example(key, x):
    return OfOneExample(6).init(key, x)  # ! eager-init


def of_own(key, x):
    return OfOwn().init(key, x)  # ! eager-init


def of_few(key, x):
    return FewOwn().init(key, x)
