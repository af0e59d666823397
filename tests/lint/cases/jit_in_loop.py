"""Function objects that are new at each turn, and those that are not."""

import functools

import jax
import jax.numpy as jnp


def loss(w, x):
    return jnp.sum((w * x) ** 2)


def decorated_in_a_loop(xs):
    for x in xs:

        @jax.jit  # ! jit-in-loop
        def double(v):
            return v * 2

        print(double(x))


def bound_to_a_name(xs):
    for x in xs:
        double = jax.jit(lambda v: v * 2)  # ! jit-in-loop
        print(double(x))


def derived_in_a_loop(w, xs):
    while True:
        w = w - jax.jit(jax.grad(loss))(w, xs)  # ! jit-in-loop
        print(w)


def module_function_is_the_same_object(xs):
    for x in xs:
        print(jax.jit(loss)(x, x))


def before_the_loop(xs):
    double = jax.jit(lambda v: v * 2)
    for x in xs:
        print(double(x))


def kept_in_a_list(factors, x):
    steps = []
    for factor in factors:
        steps.append(jax.jit(lambda v, factor=factor: v * factor))
    return [step(x) for step in steps]


def made_the_first_time(xs):
    double = None
    for x in xs:
        if double is None:
            double = jax.jit(lambda v: v * 2)
        print(double(x))


def kept_in_a_cache(xs):
    cache = {}
    for x in xs:
        if x.ndim not in cache:
            cache[x.ndim] = jax.jit(lambda v: v * 2)
        print(cache[x.ndim](x))


def used_by_an_inner_loop(configs, xs):
    for config in configs:
        print(config)
        double = jax.jit(lambda v: v * 2)
        for x in xs:
            print(double(x))


def around_another_model_each_turn(models, x):
    for model in models:
        print(jax.jit(lambda v: model(v))(x))


def compiled_ahead_of_time(shapes):
    for shape in shapes:
        print(jax.jit(lambda v: v * 2).lower(jnp.zeros(shape)).compile())


def a_few_turns(x):
    for factor in (1, 2, 3):
        print(jax.jit(lambda v: v * factor)(x))


@functools.lru_cache
def remembered(n):
    return jax.jit(lambda v: v * 2)(n)


def calls_remembered():
    for n in range(100):
        print(remembered(n))


@jax.jit
def nested_in_a_trace(x):
    for _ in range(10):
        x = jax.jit(lambda v: v * 2)(x)
    return x


class Trainer:
    def __init__(self):
        self.double = jax.jit(lambda v: v * 2)

    def run(self, xs):
        for x in xs:
            print(self.double(x))


def make_step():
    @jax.jit
    def step(x):
        return x * 2

    return step


def make_scaled(factor):
    return jax.jit(lambda x: x * factor)


def factory_in_the_loop(xs):
    for x in xs:
        step = make_step()  # ! jit-in-loop
        print(step(x))


def factory_before_the_loop(xs):
    step = make_step()
    for x in xs:
        print(step(x))


def another_program_each_turn(factors, x):
    for factor in factors:
        print(make_scaled(factor)(x))


def remembered_factory(xs):
    for x in xs:
        print(remembered_step()(x))


@functools.cache
def remembered_step():
    return jax.jit(lambda x: x * 2)


class Keeps:
    step = None

    def get_step(self):
        if self.step is None:
            self.step = jax.jit(lambda x: x * 2)
        return self.step

    def run(self, xs):
        for x in xs:
            print(self.get_step()(x))


def make_plain():
    def step(x):
        return x * 2

    return step


def plain_factory_jitted(xs):
    for x in xs:
        step = jax.jit(make_plain())  # ! jit-in-loop
        print(step(x))


def plain_factory_jitted_later(xs):
    for x in xs:
        plain = make_plain()
        print(jax.jit(plain)(x))  # ! jit-in-loop


def plain_factory_jitted_once(xs):
    plain = make_plain()
    for x in xs:
        print(jax.jit(plain)(x))


class Learner:
    def __init__(self):
        self.rate = 0.1
        self.step = jax.jit(self.make_step())

    def make_step(self):
        rate = self.rate

        def step(x):
            return x * rate

        return step

    @staticmethod
    def make_static(rate):
        return lambda x: x * rate

    def update(self, x):
        step = jax.jit(self.make_step())  # ! jit-in-loop
        return step(x)

    def act(self, x):
        return jax.jit(self.make_static(self.rate))(x)  # ! jit-in-loop

    def learn_step(self, x):
        return jax.jit(lambda x: x * self.rate)(x)  # ! jit-in-loop

    def train_step(self, x):
        return self.step(x)

    def refreshed(self, x):
        self.step = jax.jit(self.make_step())
        return self.step(x)


def fast(function, **options):
    return jax.jit(function, **options)


def through_our_own_jit(xs):
    for x in xs:
        double = fast(lambda v: v * 2)  # ! jit-in-loop
        print(double(x))


def through_our_own_jit_once(xs):
    double = fast(lambda v: v * 2)
    for x in xs:
        print(double(x))


def a_module_function_through_our_own_jit(xs):
    for x in xs:
        print(fast(loss)(x, x))


def two_closures_over_nothing_new(w, loader):
    for _ in loader:

        def halve(w):
            return w * 0.5

        w = jax.jit(lambda w: halve(w))(w)  # ! jit-in-loop
    return w


def bench_training(time_of, batches, w):
    for batch in batches:
        step = jax.jit(lambda w, x: w - 0.1 * x)  # ! jit-in-loop
        w = step(w, batch)
        print(time_of(lambda: w + 1))
    return w


def for_each_leaf(tree):
    return jax.tree.map(lambda leaf: jax.jit(lambda v: v * 2)(leaf), tree)  # ! jit-in-loop


def for_each_leaf_in_a_helper(tree, rate):
    def scaled(leaf):
        @jax.jit  # ! jit-in-loop
        def times(v):
            return v * rate

        return times(leaf)

    return jax.tree_util.tree_map(scaled, tree)


def doubled_leaf(path, leaf):
    double = jax.jit(jax.vmap(lambda v: v * 2))  # ! jit-in-loop
    return double(leaf)


def with_paths(tree):
    return jax.tree_util.tree_map_with_path(doubled_leaf, tree)


def jitted_for_the_leaves_of_each_turn(trees):
    for tree in trees:
        print(jax.tree.map(jax.jit(lambda v: v * 2), tree))  # ! jit-in-loop


class Scaled:
    def leaf(self, leaf):
        return jax.jit(lambda v: v * 2)(leaf)  # ! jit-in-loop

    def tree(self, tree):
        return jax.tree.map(self.leaf, tree)


def once_for_all_leaves(tree):
    return jax.tree.map(jax.jit(lambda v: v * 2), tree)


def module_function_for_each_leaf(tree):
    return jax.tree.map(lambda leaf: jax.jit(loss)(leaf, leaf), tree)


def placed_leaf_by_leaf(tree, shardings):
    return jax.tree.map(lambda x, s: jax.jit(lambda v: v, out_shardings=s)(x), tree, shardings)


@jax.jit
def leaves_of_a_trace(tree):
    return jax.tree.map(lambda leaf: jax.jit(lambda v: v * 2)(leaf), tree)


def other_leaf(leaf):
    return jax.jit(lambda v: v * 2)(leaf)  # ! jit-in-loop


def another_function_of_that_name(tree):
    other_leaf = abs
    return jax.tree.map(other_leaf, tree)


def not_a_tree(pool, leaves):
    return pool.map(lambda leaf: jax.jit(lambda v: v * 2)(leaf), leaves)  # ! jit-in-loop


def made_before_the_leaves(tree):
    double = jax.jit(lambda v: v * 2)
    return jax.tree.map(lambda leaf: double(leaf), tree)


def leaves_without_a_loop(trees):
    double = jax.jit(lambda v: v * 2)
    for tree in trees:
        print(jax.tree.map(double, tree))


def with_a_setting_of_its_own(widths, x):
    for width in widths:
        x = jnp.ones(3) * width

        @functools.partial(jax.jit, donate_argnums=0)  # ! jit-in-loop
        def double(x):
            return x * 2

        print(double(x))


def one_size_after_another(widths):
    for width in widths:
        x = jnp.ones((width, 3))

        @jax.jit
        def double(x):
            return x * 2

        print(double(x))


def the_sizes_again_and_again(widths):
    for _ in range(100):
        for width in widths:
            x = jnp.ones((width, 3))
            print(jax.jit(lambda x: x * 2)(x))  # ! jit-in-loop


def one_layout_after_another(layouts):
    for layout in layouts:

        @functools.partial(jax.jit, out_shardings=layout)
        def zeros():
            return jnp.zeros(8)

        print(zeros())


def a_schedule_in_training(w, x):
    for epoch in range(6):
        rate = 0.5 / (1.0 + epoch)
        update = jax.jit(lambda w, x: w - rate * jax.grad(loss)(w, x))  # of jit-captures-batch
        w = update(w, x)
    return w


def a_program_for_each_setting(w, x):
    results = []
    for trial in range(6):
        rate = 0.5 / (1.0 + trial)
        update = jax.jit(lambda w, x: w - rate * jax.grad(loss)(w, x))
        results.append(update(w, x))
    return results


def twice(x):
    """One program more than needed."""
    for _ in range(2):
        x = jax.jit(lambda y: y + 1)(x)
    return x
