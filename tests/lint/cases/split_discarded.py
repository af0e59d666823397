import jax


def statement(key):
    jax.random.split(key)  # ! split-discarded
    return key


def folded(key, step):
    jax.random.fold_in(key, step)  # ! split-discarded
    return key


def unused(key, x):
    new_key = jax.random.fold_in(key, 1)  # ! split-discarded
    return x + jax.random.normal(key)


def used(key):
    key, subkey = jax.random.split(key)
    return key, jax.random.normal(subkey)


def used_inside(key):
    noise_key = jax.random.fold_in(key, 1)

    def draw(shape):
        return jax.random.normal(noise_key, shape)

    return draw


def used_in_comprehension(key, n):
    keys = jax.random.split(key, n)
    return [jax.random.normal(keys[i]) for i in range(n)]


def thrown_away_on_purpose(key):
    _unused = jax.random.split(key)
    return key


def text(words):
    words.split(",")
    return words


def into_underscore(key, rows):
    for _ in rows:
        _ = jax.random.split(key)  # ! split-discarded
    return key


def first_only(key):
    key, _ = jax.random.split(key)
    _ = jax.random.normal(key)
    return key


def underscore_read(key):
    _ = jax.random.split(key)
    return jax.random.normal(_[0])


def unread_subkey(key, rows):
    for row in rows:
        key, subkey = jax.random.split(key)  # ! split-discarded
        print(row, jax.random.normal(key))


def unread_parent(key):
    key, subkey = jax.random.split(key)
    return jax.random.normal(subkey)


def unread_part(key):
    first, second, third = jax.random.split(key, 3)  # ! split-discarded
    return jax.random.normal(first) + jax.random.normal(third)


def unread_on_purpose(key):
    first, _second = jax.random.split(key)
    return jax.random.normal(first)


class Actor:
    def __init__(self, seed):
        self.key = jax.random.key(seed)

    def act(self, policy, state):
        self.key, act_key = jax.random.split(self.key)  # ! split-discarded
        return policy(state)

    def explore(self, policy, state):
        self.key, act_key = jax.random.split(self.key)
        return policy(state) + jax.random.normal(act_key)
