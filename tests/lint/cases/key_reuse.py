import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from absl.testing import absltest
from flax import linen as nn


def twice(key):
    return jax.random.normal(key), jax.random.uniform(key)  # ! key-reuse


def after_split(key):
    first, second = jax.random.split(key)
    return jax.random.normal(key), first, second  # ! key-reuse


def every_turn(key, n):
    total = 0.0
    for _ in range(n):
        total += jax.random.normal(key)  # ! key-reuse
    return total


def layer(key, size):
    return jax.random.normal(key, (size, size))


def layers(key):
    return [layer(key, 4), layer(key, 8)]  # ! key-reuse


def split_first(key):
    key, subkey = jax.random.split(key)
    x = jax.random.normal(subkey)
    key, subkey = jax.random.split(key)
    return x + jax.random.uniform(subkey)


def folded(key, n):
    return [jax.random.normal(jax.random.fold_in(key, i)) for i in range(n)]


def root_key(key, params, steps):
    for step in range(steps):
        step_key = jax.random.fold_in(key, step)
        params = params + jax.random.normal(step_key)
    return params


def carried(key, n):
    total = 0.0
    for _ in range(n):
        key, subkey = jax.random.split(key)
        total += jax.random.normal(subkey)
    return total


def either(key, normal):
    if normal:
        return jax.random.normal(key)
    return jax.random.uniform(key)


def one_of(key, normal):
    if normal:
        x = jax.random.normal(key)
    else:
        x = jax.random.uniform(key)
    return x


def shuffle_together(key, images, labels):
    images = jax.random.permutation(key, images)
    labels = jax.random.permutation(key, labels)
    return images, labels


def shuffle_leaves(key, data):
    return {name: jax.random.permutation(key, leaf) for name, leaf in data.items()}


def random_crop(key, image):
    start = jax.random.randint(key, (), 0, 4)
    return jax.lax.dynamic_slice_in_dim(image, start, 8)


def crop_views(key, views):
    return {name: random_crop(key, view) for name, view in views.items()}


def own_keys(keys):
    return [jax.random.normal(key) for key in keys]


def of_clients(clients):
    return [jax.random.split(rng) for _, rng in clients]


def unpacked(key):
    a, b, c = jax.random.split(key, 3)
    return jax.random.normal(a) + jax.random.normal(b) + jax.random.normal(c)


def indexed(key):
    keys = jax.random.split(key, 2)
    return jax.random.normal(keys[0]) + jax.random.normal(keys[1])


def only_shapes(model, key):
    return jax.eval_shape(lambda k: (jax.random.normal(k), jax.random.uniform(k), jnp.ones(())), key)


def target_network(model, key, x):
    return {"params": model.init(key, x), "target": model.init(key, x)}


def dummies(key, model, obs_space, action_space):
    dummy_obs = jax.random.normal(key, obs_space)
    dummy_action = jax.random.normal(key, action_space)
    return jax.eval_shape(model, dummy_obs, dummy_action)


def left_behind(key, n, theta=None):
    if theta is None:
        theta = jax.random.uniform(key)
    if n == 1:
        return jax.random.uniform(key) * jnp.eye(1)
    return theta


def not_left_behind(key, n, theta=None):
    if theta is None:
        theta = jax.random.uniform(key)
    if n == 1:
        return jax.random.uniform(key) * theta  # ! key-reuse
    return theta


def chosen(key, mask):
    a = jax.random.normal(key, (3,))
    b = jax.random.uniform(key, (3,))
    return jnp.where(mask, a, b)


def greedy(key, best):
    random = jax.random.randint(key, (3,), 0, 4)
    explore = jax.random.uniform(key, (3,))  # ! key-reuse
    return jnp.where(explore < 0.1, random, best)


def both_chosen(key, mask):
    a = jax.random.normal(key, (3,))
    b = jax.random.uniform(key, (3,))  # ! key-reuse
    return jnp.where(mask, a + b, 0.0)


def weighted(key, w):
    a = jax.random.normal(key, (3,))
    b = jax.random.uniform(key, (3,))  # ! key-reuse
    return jnp.sum(jnp.stack([a * w, b * (1 - w)]), axis=0)


def over_pairs(key: jax.Array, sizes):
    layers = []
    for fan_in, fan_out in zip(sizes[:-1], sizes[1:]):
        layers.append(jax.random.normal(key, (fan_in, fan_out)))
    return layers


def over_pairs_split(key: jax.Array, sizes):
    layers = []
    for fan_in, fan_out in zip(sizes[:-1], sizes[1:]):
        key, subkey = jax.random.split(key)
        layers.append(jax.random.normal(subkey, (fan_in, fan_out)))
    return layers


def over_keys(key: jax.Array, sizes):
    keys = jax.random.split(key, len(sizes))
    return [jax.random.normal(k, (size,)) for k, size in zip(keys, sizes)]


def over_array_keys(keys: jax.Array, sizes):
    found = []
    for number, size in enumerate(sizes):
        found.append(jax.random.normal(keys[number], (size,)))
    return found


@jax.jit
def noisy_step(params, x, key: jax.Array):
    return params + jax.random.normal(key, x.shape)


def train(params, batches, key: jax.Array):
    for number, x in enumerate(batches):
        params = noisy_step(params, x, key)  # ! key-reuse
    return params


def train_folded(params, batches, key: jax.Array):
    for number, x in enumerate(batches):
        params = noisy_step(params, x, jax.random.fold_in(key, number))
    return params


def train_on_keys(params, batches, keys: jax.Array):
    for x, key in zip(batches, keys):
        params = noisy_step(params, x, key)
    return params


def same_order(key, n, epochs):
    orders = []
    for epoch in range(epochs):
        orders.append(jax.random.permutation(key, n))  # ! key-reuse
    return orders


def rows_together(key, arrays, epochs):
    for epoch in range(epochs):
        epoch_key = jax.random.fold_in(key, epoch)
        arrays = [jax.random.permutation(epoch_key, array) for array in arrays]
    return arrays


def either_function(flag, key, n):
    draw = over_pairs if flag else over_pairs_split
    for step in range(n):
        key, subkey = jax.random.split(key)
        yield draw(subkey, [1, 2, 3])


class Pair(eqx.Module):
    encoder: eqx.nn.MLP
    decoder: eqx.nn.MLP

    def __init__(self, key):
        first, second = jax.random.split(key)
        self.encoder = eqx.nn.MLP(4, 2, 8, 1, key=first)
        self.decoder = eqx.nn.MLP(2, 4, 8, 1, key=first)  # ! key-reuse


class GoodPair(eqx.Module):
    encoder: eqx.nn.MLP
    decoder: eqx.nn.MLP
    dropout: eqx.nn.Dropout

    def __init__(self, key):
        first, second = jax.random.split(key)
        self.encoder = eqx.nn.MLP(4, 2, 8, 1, key=first)
        self.decoder = eqx.nn.MLP(2, 4, 8, 1, key=second)
        self.dropout = eqx.nn.Dropout(0.1)


def two_models(key):
    return Pair(key), GoodPair(key)  # ! key-reuse


def with_a_target(key):
    online = GoodPair(key)
    target = GoodPair(key)
    return online, target


def evaluate_all(params, key: jax.Array):
    return params + jax.random.normal(key)


def train_and_evaluate(params, x, key: jax.Array):
    params = noisy_step(params, x, key)
    return params, evaluate_all(params, key)  # ! key-reuse


def train_and_train(params, x, key: jax.Array):
    params = noisy_step(params, x, key)
    return params, layer(key, 4)  # ! key-reuse


def same_in_each_turn_of_a_scan(key: jax.Array, xs):
    def body(total, x):
        return total + x * jax.random.normal(key), None  # ! key-reuse

    return jax.lax.scan(body, 0.0, xs)


def same_in_each_turn_through_a_function(key: jax.Array, xs):
    def body(total, x):
        return noisy_step(total, x, key), None  # ! key-reuse

    return jax.lax.scan(body, 0.0, xs)


def own_in_each_turn_of_a_scan(key: jax.Array, xs):
    def body(total, x):
        return total + jax.random.normal(jax.random.fold_in(key, x)), None

    return jax.lax.scan(body, 0.0, xs)


def keys_scanned_over(key: jax.Array, xs):
    def body(total, part):
        x, key = part
        return total + x * jax.random.normal(key), None

    return jax.lax.scan(body, 0.0, (xs, jax.random.split(key, len(xs))))


def key_carried(key: jax.Array, xs):
    def body(carry, x):
        key, total = carry
        key, subkey = jax.random.split(key)
        return (key, total + x * jax.random.normal(subkey)), None

    return jax.lax.scan(body, (key, 0.0), xs)


def same_for_each_row_of_a_map(key: jax.Array, xs):
    return jax.vmap(lambda x: x + jax.random.normal(key))(xs)


class Game:
    def __init__(self):
        self.place = 0

    def move(self, action):
        self.place += action
        return self.place > 9


class Player:
    def __init__(self, seed):
        self.key = jax.random.key(seed)

    def play(self, game: Game):
        done = False
        while not done:
            done = game.move(jax.random.bernoulli(self.key))  # ! key-reuse

    def next_key(self):
        self.key, key = jax.random.split(self.key)
        return key

    def play_anew(self, game: Game):
        done = False
        while not done:
            done = game.move(jax.random.bernoulli(self.next_key()))

    def advance(self):
        self.key, _ = jax.random.split(self.key)

    def play_and_advance(self, game: Game):
        done = False
        while not done:
            done = game.move(jax.random.bernoulli(self.key))
            self.advance()


class Shuffler:
    def __init__(self, player: Player):
        self.player = player

    def shuffle(self):
        self.player.advance()


class Watched(Player):
    def play_watched(self, game: Game, other: Player):
        done = False
        while not done:
            done = game.move(jax.random.bernoulli(self.key))  # ! key-reuse
            other.advance()


    def play_with_callback(self, game: "Callbacks"):
        done = False
        while not done:
            done = game.move(jax.random.bernoulli(self.key), self.advance)


class Callbacks:
    def move(self, action, after):
        after()
        return action


def split_and_indexed(key: jax.Array, n):
    def body(i, total):
        own = jax.random.split(key, n)[i]
        return total + jax.random.normal(own)

    return jax.lax.fori_loop(0, n, body, 0.0)


def split_into_two_in_each_turn(key: jax.Array, n):
    def body(i, total):
        one, two = jax.random.split(key)  # ! key-reuse
        return total + jax.random.normal(one) * jax.random.normal(two)

    return jax.lax.fori_loop(0, n, body, 0.0)


def draws(key, traced=False):
    if traced:
        return jax.random.normal(key)
    first = jax.random.normal(key)
    return first + jax.random.uniform(key)  # ! key-reuse


def draws_once(key, traced=False):
    if not traced:
        return jax.random.normal(key)
    return jax.random.uniform(key)


@jax.jit
def always_traced(key, other):
    return draws(key, traced=True) + draws_once(other, traced=True)


print(draws(jax.random.key(0)))


def drawn_in_vain(key):
    unused = jax.random.normal(key, (3,))
    used = jax.random.normal(key, (3,))
    return used + jax.random.uniform(key, (3,))  # ! key-reuse


def read_by_an_inner_function(key):
    first = jax.random.normal(key, (3,))
    second = jax.random.normal(key, (3,))  # ! key-reuse

    def inner():
        return first

    return inner() + second


def a_sweep(key, data):
    losses = []
    for rate in [1e-2, 1e-1]:
        losses.append(fit(data, rate, key))
    return losses


def fit(data, rate, key):
    return jnp.mean(data) + rate * jax.random.normal(key)


def layers_alike(key):
    params = {}
    for name in ("query", "key", "value"):
        params[name] = jax.random.normal(key, (3, 3))  # ! key-reuse
    weights = []
    other = jax.random.key(1)
    for m, n in [(784, 512), (512, 512), (512, 10)]:
        weights.append(jax.random.normal(other, (m, n)))  # ! key-reuse
    return params, weights


def no_sweep(key):
    noise = []
    for _ in [1, 2]:
        noise.append(jax.random.normal(key, (3,)))  # ! key-reuse
    return noise


class Speed(absltest.TestCase):
    def test_speed(self):
        key = jax.random.key(0)
        query = jax.random.normal(key, (8, 64))
        print(query @ jax.random.normal(key, (64, 8)))


def shown_together(key):
    x = jax.random.normal(key, (3,))
    w = jax.random.normal(key, (3,))  # ! key-reuse
    y = x * 2
    print(jnp.dot(y, w))


def both_shown(key):
    print(jax.random.normal(key, (3,)))
    print(jax.random.normal(key, (3,)))


def a_result_shown(key):
    x = jax.random.normal(key, (3,))
    total = jnp.sum(x)
    key, subkey = jax.random.split(key)
    print(total)
    return key, jax.random.normal(subkey, (3,))


def shown_and_used(key):
    x = jax.random.normal(key, (3,))
    print(x)
    w = jax.random.normal(key, (3,))  # ! key-reuse
    return x + w


def half_of_nothing(key):
    x = jax.random.normal(key, (3,)) * 0.5
    return x + jax.random.normal(key, (3,))  # ! key-reuse


def init_of_another_input(model, key):
    x = jax.random.normal(key, (3,))
    noise = jax.random.uniform(key, (3,))
    return model.init(key, x), noise


class Population:
    def init(self, key, x):
        return x + jax.random.normal(key, x.shape)


def init_that_draws(key):
    x = jax.random.normal(key, (3,))
    return Population().init(key, x)  # ! key-reuse


def init_net(sizes, key):
    return [jax.random.normal(key, (size, size)) for size in sizes[:1]]


def init_two_parts(key, x):
    encoder = init_net([3, 3], key)
    decoder = init_net([3, 3], key)  # ! key-reuse
    hidden = encoder[0] @ x
    return decoder[0] @ hidden


def init_by_size(key):
    sizes = (3, 4)
    return {size: init_net([size], key) for size in sizes}


def behind_a_setting(key, x, scale=None):
    if scale is not None:
        x = x + scale * jax.random.normal(key, x.shape)
    return x


def with_the_setting(key, x):
    noise = jax.random.normal(key, x.shape)
    return behind_a_setting(key, x, 0.1) + noise  # ! key-reuse


def with_a_setting_of_its_own(key, x, scale):
    noise = jax.random.normal(key, x.shape)
    return behind_a_setting(key, x, scale=scale) + noise  # ! key-reuse


def in_batches(key, data, size=-1):
    keys = jax.random.split(key, 10)

    def step(total, key):
        if size != -1:
            rows = jax.random.choice(key, data, (size,))
        else:
            rows = data
        return total + rows.sum(), None

    return jax.lax.scan(step, 0.0, keys)[0]


def data_and_batches(key):
    data = jax.random.normal(key, (64,))
    return in_batches(key, data, size=8)  # ! key-reuse


def batches_of_the_whole(key):
    data = jax.random.normal(key, (64,))
    return in_batches(key, data)


def the_first_key_or_none(key, x, n):
    keys = jax.random.split(key, n)
    for _ in range(n):
        subkey = keys[0] if x.ndim > 1 else None
        x = layer(subkey, 4) @ x
    return x


def gone_on_the_other_path(key, x, flag):
    first, second = jax.random.split(key)
    if flag:
        x = x + jax.random.normal(first, x.shape)
    else:
        first = None
    return layer(first, 4) @ x + jax.random.normal(second)


def init_of_what_is_read(model, key):
    x = jax.random.normal(key, (3,))
    first, second = jax.random.split(key)  # ! key-reuse
    return model.init({"params": first, "dropout": second}, x), x


def bound_again_on_a_path(key, flag):
    x = jax.random.normal(key, (3,))
    if flag:
        x = jnp.zeros(3)
    return x + jax.random.normal(key, (3,))  # ! key-reuse


def mask_of_a_draw(key, x):
    return jnp.where(jax.random.uniform(key) < 0.5, jax.random.normal(key), x)  # ! key-reuse


def repeated_without_a_clock(key, rates):
    found = []
    for rate in rates:
        for _ in range(2):
            found.append(fit(found, rate, key))
    return found


def made_again(key):
    left = layer(key, 4)
    first = left(jnp.ones(4))
    left = layer(key, 4)  # ! key-reuse
    return first, left


at_the_top = jax.random.key(1)
noisy = layer(at_the_top, jnp.ones(4))
noisy = layer(at_the_top, noisy)  # ! key-reuse


def shown_to_differ(key):
    one = layer(key, 4)
    other = layer(key, 4)  # ! key-reuse
    assert not jnp.allclose(one, other)
    return one


def two_that_go_on_alike(key):
    one = jax.random.normal(key, (4,))
    other = jax.random.normal(key, (4,))  # ! key-reuse
    one = jnp.tanh(one)
    other = jnp.tanh(other)
    return one, other


def train_with_delayed_updates(policy, critic, update, loader, key):
    noise_key = jax.random.key(1)  # ! key-reuse
    for step, batch in enumerate(loader):
        critic = update(critic, batch)
        if step % 2 == 0:
            noise = jax.random.normal(noise_key, (3,))  # ! key-reuse
            policy = update(policy, batch + noise)
    return policy, critic


def both_count(key, counts):
    kind_key, amount_key = jax.random.split(key)
    kind = jax.random.choice(kind_key, jnp.arange(3))
    coal = jax.random.randint(amount_key, (), 1, 4) * (kind == 0)
    iron = jax.random.randint(amount_key, (), 1, 3) * (kind == 0)  # ! key-reuse
    return counts + jnp.stack([coal, iron])


class Net(eqx.Module):
    scale: jax.Array

    def init(self, key):
        return jax.random.normal(key, (3,))

    def init_state(self, key):
        return jax.random.normal(key, (3,))


def weights_and_state(net: Net, key):
    weights = net.init(key)
    state = net.init_state(key)
    return weights, state


def noisy_or_not(key, x, train):
    if train:
        x = x + jax.random.normal(key, x.shape)
    return x


def handed_on(key, x, train):
    return noisy_or_not(key, x, train=train)


def noisy_twice(key, x):
    return handed_on(key, x, True), handed_on(key, x, True)  # ! key-reuse


def quiet_twice(key, x):
    return handed_on(key, x, False), handed_on(key, x, False)


def as_asked_twice(key, x, train):
    return handed_on(key, x, train), handed_on(key, x, train)  # ! key-reuse


def noisy_descent(key, x, steps):
    def loss(x, key):
        return jnp.sum(x + jax.random.normal(key, x.shape))

    for _ in range(steps):
        key, subkey = jax.random.split(key)
        x = x - jax.grad(loss)(x, subkey)
    return key, x


def plain_descent(key, x, steps):
    for _ in range(steps):
        key, subkey = jax.random.split(key)
        x = x - jax.grad(lambda x: jnp.sum(x**2))(x)
    return key, x


def two_noisy_descents(key, x):
    _, one = noisy_descent(key, x, 3)
    _, other = noisy_descent(key, x + 1, 3)  # ! key-reuse
    return one + other


def keys_that_are_kept(key, x):
    first, one = plain_descent(key, x, 3)
    second, other = plain_descent(key, x + 1, 3)
    return one + jax.random.normal(first, x.shape), other + jax.random.normal(second, x.shape)


def keys_that_are_dropped(key, x):
    _, one = plain_descent(key, x, 3)
    _, other = plain_descent(key, x + 1, 3)
    return one + other


def drawn_at_once(key, x):
    noise = jax.random.normal(jax.random.split(key)[0], x.shape)
    return key, x + noise


def two_drawn_at_once(key, x):
    _, one = drawn_at_once(key, x)
    _, other = drawn_at_once(key, x + 1)  # ! key-reuse
    return one + other


def shuffled_for_ever(arrays, size, key):
    while True:
        order = jax.random.permutation(key, size)
        (key,) = jax.random.split(key, 1)  # ! key-reuse
        yield arrays[order]


def drawn_before_the_split(images, key, x):
    for _ in range(100):
        rows = jax.random.randint(key, (8,), 0, len(images))
        key, subkey = jax.random.split(key)  # ! key-reuse
        x = x + images[rows] * jax.random.normal(subkey, x.shape)
    return x


def drawn_twice_in_a_turn(key, x):
    for _ in range(100):
        x = x + jax.random.normal(key, x.shape)
        x = x * jax.random.uniform(key, x.shape)  # ! key-reuse
        key = jax.random.fold_in(key, 1)
    return x


@jax.jit
def carried_step(key, x):
    key, subkey = jax.random.split(key)
    return key, x + jax.random.normal(subkey, x.shape)


def drawn_before_the_step(images, key, x):
    for _ in range(100):
        rows = jax.random.randint(key, (8,), 0, len(images))
        key, x = carried_step(key, x + images[rows])  # ! key-reuse
    return x


def carried_well(key, x, flag):
    for number in range(100):
        key, subkey = jax.random.split(key)
        if flag:
            x = x + jax.random.normal(subkey, x.shape)
        else:
            x = x * jax.random.uniform(subkey, x.shape)
        while number < x.sum():
            key, subkey = jax.random.split(key)
            x = x - jax.random.uniform(subkey, x.shape)
        if x.sum() > 3:
            continue
        key, subkey = jax.random.split(key)
        x = x + jax.random.normal(subkey, x.shape)
    return x + jax.random.normal(key, x.shape)


def another_key_in_each_branch(key, x, flag):
    for _ in range(100):
        if flag:
            x = x + jax.random.normal(key, x.shape)
            key = jax.random.fold_in(key, 0)
        else:
            key, subkey = jax.random.split(key)
            x = x + jax.random.normal(subkey, x.shape)
    return x


def picked(logits, key=None, chosen=None):
    if chosen is None:
        chosen = jax.random.categorical(key, logits)
    return logits[chosen], chosen


def given_what_to_choose(a, b, again):
    """With `chosen` the second call may not draw."""
    key = jax.random.key(0)
    x, chosen = picked(a, key)
    if again:
        chosen = None
    y, _ = picked(b, key, chosen)
    return x + y


def chosen_twice(a, b):
    key = jax.random.key(0)
    x, _ = picked(a, key)
    y, _ = picked(b, key)  # ! key-reuse
    return x + y


def a_comment_that_regrets_it(key, x):
    x = x + jax.random.normal(key, x.shape)
    # TODO: the same key as above, split it
    return x * jax.random.bernoulli(key, 0.5, x.shape)  # ! key-reuse


def train_and_evaluate(seed, batches, x):
    key = jax.random.key(seed)
    for batch in batches:
        x = x + jax.random.normal(key, batch.shape)  # ! key-reuse
    return x


class Chain(nn.Module):
    depth: int

    def setup(self):
        self.layers = [nn.Dense(3) for _ in range(self.depth)]

    def __call__(self, x, rng=None):
        for layer in self.layers:
            rng, own = jax.random.split(rng)
            x = layer(x) + jax.random.normal(own, x.shape)
        return x


class Fixed(nn.Module):
    depth: int

    @nn.compact
    def __call__(self, x, rng=None):
        for _ in range(self.depth):
            x = nn.Dense(3)(x) + jax.random.normal(rng, x.shape)  # ! key-reuse
        return x


def equal_weights(key, shape, dtype=jnp.float32):
    own = jax.random.fold_in(jax.random.key(0), shape[0])  # ! key-reuse
    return nn.initializers.normal(0.02)(own, shape, dtype)


def weights_of_numpy(rng, shape):
    return jnp.asarray(np.random.randn(*shape))  # ! key-reuse


def zeros(key, shape):
    return jnp.zeros(shape)


def unless_given(shape, key=None):
    if key is None:
        key = jax.random.key(0)
    return jax.random.normal(key, shape)


def table(_key, shape):
    return jax.random.normal(jax.random.key(0), shape)  # its name says that it is not used


def replaced_before_it_is_read(rng):
    rng = jax.random.PRNGKey(0)  # ! key-reuse
    noise_rng, init_rng = jax.random.split(rng)
    return jax.random.normal(noise_rng, (3,)), nn.Dense(2).init(init_rng, jnp.ones(3))


def split_of_its_own(key, shape):
    key, subkey = jax.random.split(jax.random.key(1))  # ! key-reuse

    def draw(x):
        return x + jax.random.normal(key, shape)

    return draw(jax.random.uniform(subkey, shape))


def renewed(rng, shape):
    rng, subkey = jax.random.split(rng)
    return jax.random.normal(subkey, shape)


def replaced_if_there_is_none(rng, shape):
    if rng is None:
        rng = jax.random.key(0)
    return jax.random.normal(rng, shape)
