"""Random keys in the engine: one key used twice, across calls, objects, closures and loops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gotcha_lint.domain.keys import Key, Seeded
from gotcha_lint.domain.value import Array, Value, join, only
from gotcha_lint.interpret.events import KeyUse
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.key_ways import part_ways
from tests.lint.support import code, found, lint_files, marks

HELPERS = """
    import jax


    def noise(key, x):
        return x + jax.random.normal(key, x.shape)


    def mask(key, x):
        return x * jax.random.bernoulli(key, 0.5, x.shape)


"""

USED_TWICE = {
    "two functions": """
        def corrupt(key, x):
            return mask(key, noise(key, x))  # ! key-reuse
        """,
    "split after a function that draws": """
        def corrupt(key, x):
            x = noise(key, x)
            key, sub = jax.random.split(key)  # ! key-reuse
            return mask(sub, x)
        """,
    "one of the keys of a split": """
        def corrupt(key, x):
            keys = jax.random.split(key, 3)
            x = noise(keys[0], x)
            y = noise(keys[1], x)
            return mask(keys[1], y)  # ! key-reuse
        """,
    "folded with the same number": """
        def corrupt(key, x):
            x = noise(jax.random.fold_in(key, 1), x)
            return mask(jax.random.fold_in(key, 1), x)  # ! key-reuse
        """,
    "out of a tuple": """
        def step(state):
            x, key = state
            return noise(key, x), key


        def corrupt(key, x):
            x, key = step((x, key))
            return mask(key, x)  # ! key-reuse
        """,
    "an attribute that no method renews": """
        class Agent:
            def __init__(self, seed):
                self.key = jax.random.key(seed)

            def act(self, x):
                return noise(self.key, x)


        def play(seed, env):
            agent = Agent(seed)
            x = env.reset()
            for _ in range(100):
                x = env.step(agent.act(x))  # ! key-reuse
        """,
    "a carry that is handed back": """
        def walk(key, xs):
            def body(carry, x):
                key, total = carry
                _, sub = jax.random.split(key)  # ! key-reuse
                return (key, total + noise(sub, x)), None

            return jax.lax.scan(body, (key, 0.0), xs)
        """,
    "a closure that a helper hands on": """
        def repeat(body, x):
            return jax.lax.fori_loop(0, 8, lambda i, x: body(x), x)


        def walk(key, x):
            return repeat(lambda x: noise(key, x), x)  # ! key-reuse
        """,
    "streams of a model in a closure": """
        def train(model, params, batches, key):
            for batch in batches:

                def loss(params):
                    return model.apply(params, batch, rngs={"dropout": key}).sum()

                params = params - jax.grad(loss)(params)  # ! key-reuse
            return params
        """,
    "three draws of one key": """
        def start(key, x):
            return x + jax.random.normal(key) + noise(key, x) + mask(key, x)  # ! key-reuse
        """,
    "each new key is drawn from and split": """
        def shuffled(key, x, y):
            key, _ = jax.random.split(key)
            x = jax.random.permutation(key, 8)
            key, _ = jax.random.split(key)  # ! key-reuse
            y = jax.random.permutation(key, 8)
            key, _ = jax.random.split(key)  # ! key-reuse
            return key, x, y
        """,
    "an attribute in a loop of one method": """
        class Player:
            def __init__(self, seed):
                self.key = jax.random.key(seed)

            def play(self, game):
                done = False
                while not done:
                    done = game.move(jax.random.bernoulli(self.key))  # ! key-reuse

            def advance(self):
                self.key, _ = jax.random.split(self.key)
        """,
    "an option that is given": """
        def train(key, x, augment=None):
            if augment is not None:
                x = augment(jax.random.split(key, 8), x)
            return mask(key, x)  # ! key-reuse
        """,
}

USED_TWICE |= {
    "in the same call of one of two agents": """
        class Random:
            def act(self, key, x):
                y = noise(key, x)
                key, sub = jax.random.split(key)  # ! key-reuse
                return mask(sub, y)


        class Other(Random):
            pass


        class Game:
            def __init__(self, kind):
                self.agent = Random() if kind == "random" else Other()

            def play(self, seed, x):
                return self.agent.act(jax.random.key(seed), x)
        """,
    "split on a way on which what was drawn is lost, and on one where it is not": """
        def play(seed, start, anew):
            key = jax.random.key(seed)
            x = noise(key, start)
            if anew:
                key, sub = jax.random.split(key)
                x = noise(sub, start)
            key, sub = jax.random.split(key)  # ! key-reuse
            return mask(sub, x)
        """,
    "on both sides of a branch": """
        def sample(key, x, soft):
            if soft:
                x = noise(key, x)
            else:
                x = mask(key, x)
            key, sub = jax.random.split(key)  # ! key-reuse
            return noise(sub, x)
        """,
    "a key that no turn of the loop renews, after a split that some runs make": """
        def train(args, x, batches):
            key = jax.random.key(args.seed)
            if args.sample:
                key, sub = jax.random.split(key)
                print(noise(sub, x))
            for batch in batches:
                _, sub = jax.random.split(key)  # ! key-reuse
                x = noise(sub, batch)
            return x
        """,
    "the key that one side of a branch has left": """
        def corrupt(key, x, dense):
            if dense:
                key, sub = jax.random.split(key)
                x = noise(key, x)
            key, sub = jax.random.split(key)  # ! key-reuse
            return mask(sub, x)
        """,
    "one of two keys, drawn from twice": """
        def corrupt(key, x, dense):
            one, other = jax.random.split(key)
            chosen = one if dense else other
            return mask(chosen, noise(chosen, x))  # ! key-reuse
        """,
    "in the iteration after a branch": """
        def corrupt(key, x, steps):
            for step in range(steps):
                if step % 10 == 0:
                    key, sub = jax.random.split(key)
                    x = noise(key, x)
                key, sub = jax.random.split(key)  # ! key-reuse
                x = mask(sub, x)
            return x
        """,
}
USED_TWICE |= {
    "an index from the end": """
        def two(x):
            keys = jax.random.split(jax.random.key(0), 4)
            return noise(keys[3], x), mask(keys[-1], x)  # ! key-reuse
        """,
    "below a key that is split again": """
        def two(key, x):
            one, other = jax.random.split(key)
            x = mask(other, noise(one, x))
            one, other = jax.random.split(key)  # ! key-reuse
            x = mask(one, x)
            return noise(other, mask(other, x))  # ! key-reuse
        """,
    "dropouts of Equinox": """
        import equinox as eqx


        class Net(eqx.Module):
            layers: list
            last: eqx.nn.Dropout

            def __init__(self, rate):
                self.layers = [eqx.nn.Dropout(rate) for _ in range(3)]
                self.last = eqx.nn.Dropout(rate)

            def __call__(self, x, key=None):
                for layer in self.layers:
                    x = layer(x + 1, key=key)  # ! key-reuse
                return self.last(x, inference=True, key=key)


        y = Net(0.5)(jax.numpy.ones(4), key=jax.random.key(0))
        """,
}

FRESH = {
    "a key of each split": """
        def three(key, x):
            one, other = jax.random.split(key, 2)
            keys = jax.random.split(other, 4)
            return noise(one, x), noise(keys[-1], x), mask(keys[0], x)
        """,
    "a split before the loop that one run makes and another does not": """
        def train(args, x, batches):
            key = jax.random.key(args.seed)
            if args.sample:
                key, sub = jax.random.split(key)
                print(noise(sub, x))
            for batch in batches:
                key, sub = jax.random.split(key)
                x = noise(sub, batch)
            return x
        """,
    "a lowered function draws nothing": """
        @jax.jit
        def step(x, key, i):
            return noise(jax.random.fold_in(key, i), x)


        def train(args, x, batches):
            key = jax.random.key(args.seed)
            print(step.lower(x, key, 0).compile().memory_analysis())
            for batch in batches:
                key, sub = jax.random.split(key)
                x = step(batch, sub, 0)
            return x
        """,
    "the key of the other side of a branch": """
        def corrupt(key, x, dense):
            one, other = jax.random.split(key)
            if dense:
                chosen = one
            else:
                chosen = other
                x = noise(one, x)
            return mask(chosen, x)
        """,
    "renewed on one side of a branch": """
        def corrupt(key, x, dense):
            if dense:
                key, sub = jax.random.split(key)
                x = noise(sub, x)
            key, sub = jax.random.split(key)
            return mask(sub, x)
        """,
    "renewed on one side of a branch of an inner function": """
        def build(model, mixes):
            def update(key, x):
                if mixes:
                    key, sub = jax.random.split(key)
                    x = noise(sub, x)
                key, sub = jax.random.split(key)
                return mask(sub, x)

            update(jax.random.key(0), model)
            return update
        """,
    "carries of two scans, renewed on branches": """
        def make(state, key, batches, adds, hides):
            def outer(carry, xs):
                def inner(carry, x):
                    state, key = carry
                    if adds:
                        key, sub = jax.random.split(key)
                        state = noise(sub, state)
                    if hides:
                        key, sub = jax.random.split(key)
                        state = mask(sub, state)
                    return (state, key), x

                state, key = carry
                (state, key), out = jax.lax.scan(inner, (state, key), xs)
                return (state, key), out

            return jax.lax.scan(outer, (state, key), batches)
        """,
    "split after a scan that renews it": """
        def train(state, key, batches):
            def step(carry, x):
                state, key = carry
                key, sub = jax.random.split(key)
                return (noise(sub, state), key), x

            (state, key), out = jax.lax.scan(step, (state, key), batches)
            key, sub = jax.random.split(key)
            return mask(sub, state), key
        """,
    "the carry of a scan within a scan": """
        def train(state, key, batches):
            def epoch(carry, xs):
                def step(carry, x):
                    state, key = carry
                    key, sub = jax.random.split(key)
                    return (noise(sub, state), key), x

                return jax.lax.scan(step, carry, xs)

            return jax.lax.scan(epoch, (state, key), batches)
        """,
    "split after a fori_loop that renews it": """
        def train(state, key):
            def step(_, carry):
                state, key = carry
                key, sub = jax.random.split(key)
                return noise(sub, state), key

            state, key = jax.lax.fori_loop(0, 10, step, (state, key))
            key, sub = jax.random.split(key)
            return mask(sub, state), key
        """,
    "inputs of functions that initialise": """
        def build(layer_init_fn, head_init_fn, shape):
            def init(key):
                def init_scan_fn(key, x):
                    key, sub = jax.random.split(key)
                    return key, layer_init_fn(sub, x)

                many, one = jax.random.split(key)
                inputs = jax.random.uniform(many, shape)
                layers = jax.lax.scan(init_scan_fn, many, xs=inputs)[1]
                return layers, head_init_fn(one, jax.random.uniform(many, shape[1:]))

            return init
        """,
    "branches that exclude each other": """
        def corrupt(key, x, kind):
            if kind == "noise":
                x = noise(key, x)
            if kind == "mask":
                x = mask(key, x)
            return x
        """,
    "a return before": """
        def corrupt(key, x, dense):
            if dense:
                return noise(key, x)
            return mask(key, x)
        """,
    "branches of cond": """
        def corrupt(key, x, dense):
            return jax.lax.cond(dense, noise, mask, key, x)
        """,
    "renewed in each turn": """
        def walk(key, xs):
            for x in xs:
                key, sub = jax.random.split(key)
                noise(sub, x)
            return noise(key, x)
        """,
    "folded with the number of the turn": """
        def walk(key, xs):
            return [noise(jax.random.fold_in(key, n), x) for n, x in enumerate(xs)]
        """,
    "a key for each element": """
        def walk(key, xs):
            return jax.lax.scan(lambda c, xk: (noise(xk[1], xk[0]), None), 0.0,
                                (xs, jax.random.split(key, len(xs))))
        """,
    "a carry that is renewed": """
        def walk(key, xs):
            def body(carry, x):
                key, total = carry
                key, sub = jax.random.split(key)
                return (key, total + noise(sub, x)), None

            return jax.lax.scan(body, (key, 0.0), xs)
        """,
    "keys unpacked": """
        def corrupt(key, x):
            first, *others = jax.random.split(key, 3)
            return mask(first, noise(others[0], noise(others[1], x)))
        """,
    "keys in a list": """
        def corrupt(key, x):
            keys = list(jax.random.split(key, 2))
            return mask(keys[0], noise(keys[1], x))
        """,
    "an attribute that is renewed": """
        class Agent:
            def __init__(self, seed):
                self.key = jax.random.key(seed)

            def act(self, x):
                self.key, sub = jax.random.split(self.key)
                return noise(sub, x)


        def play(seed, env):
            agent = Agent(seed)
            x = env.reset()
            for _ in range(100):
                x = env.step(agent.act(x))
        """,
    "a state that is replaced": """
        import flax


        @flax.struct.dataclass
        class State:
            key: jax.Array

            def next(self):
                key, sub = jax.random.split(self.key)
                return self.replace(key=key), sub


        def corrupt(key, x, dense):
            state, sub = State(key).next()
            x = noise(sub, x)
            if dense:
                state, sub = state.next()
                x = noise(sub, x)
            state, sub = state.next()
            return mask(sub, x)
        """,
    "only asked for a shape": """
        def shape(key, x):
            return jax.eval_shape(noise, key, x), mask(key, x)
        """,
    "streams of one init": """
        def start(model, key, x):
            return model.init({"params": key, "dropout": key}, x)
        """,
    "streams that evaluation does not draw from": """
        def measure(model, params, batches, key):
            for batch in batches:
                print(model.apply(params, batch, train=False, rngs={"dropout": key}))
        """,
    "in the calls of two agents, of which one acts": """
        class Player:
            def __init__(self, soft):
                self.soft = soft

            def act(self, key, x):
                return noise(key, x) if self.soft else mask(key, x)


        def play(soft, seed, x):
            player = Player(True) if soft else Player(False)
            return player.act(jax.random.key(seed), x)
        """,
    "one order for several arrays": """
        def shuffle(key, x):
            return jax.random.permutation(key, x)


        def both(key, x, y):
            return shuffle(key, x), shuffle(key, y)
        """,
}


def lint(tmp_path: Path, text: str, name: str = "project.py") -> list[tuple[int, str]]:
    return found(lint_files(tmp_path, {name: text}, select=("key-reuse",)))


@pytest.mark.parametrize("name", USED_TWICE)
def test_a_key_is_used_twice(tmp_path: Path, name: str) -> None:
    text = code(HELPERS) + "\n\n" + code(USED_TWICE[name])
    assert lint(tmp_path, text) == marks(text)


@pytest.mark.parametrize("name", FRESH)
def test_a_key_is_used_once(tmp_path: Path, name: str) -> None:
    assert lint(tmp_path, code(HELPERS) + "\n\n" + code(FRESH[name])) == []


def test_tests_repeat_numbers_on_purpose(tmp_path: Path) -> None:
    text = code(HELPERS) + "\n\n" + code(USED_TWICE["two functions"])
    assert lint(tmp_path, text, "test_project.py") == []


def test_what_may_be_meant_is_shown_with_all_alone(tmp_path: Path) -> None:
    text = """
        class Evaluator:
            def __init__(self, key, x):
                self.start = noise(key, x)
                self.key = key

            def run(self, x):
                return mask(self.key, x)


        def train(key, x):
            evaluator = Evaluator(key, x)
            return evaluator.run(x)
        """
    text = code(HELPERS) + "\n\n" + code(text)
    assert lint(tmp_path, text) == []
    files = {"other.py": text}
    (finding,) = lint_files(tmp_path / "all", files, select=("key-reuse",), all=True)
    assert (finding.severity, finding.confidence) == ("info", "medium")


HANDED_OVER = """
    import jax
    import numpy as np


    def evaluate(dataset, encode, policy, flags):
        key = jax.random.key(0)
        batch = next(dataset)
        other = encode(key, batch)  # nobody knows what it does with the key: the first use
        action = policy.choose(seed=key)  # ! key-reuse
        noise = jax.random.normal(key, batch.shape)  # ! key-reuse
        for _ in range(8):
            batch = encode(key, next(dataset))  # ! key-reuse
            print(batch)
        flags.append(key)
        return other, action, noise
    """


def test_a_key_that_unknown_functions_are_given_twice_is_a_note(tmp_path: Path) -> None:
    text = code(HANDED_OVER)
    *apart, in_loop = marks(text)
    assert found(lint_files(tmp_path, {"a.py": text}, select=("key-reuse",))) == apart
    findings = lint_files(tmp_path / "all", {"a.py": text}, select=("key-reuse",), all=True)
    assert found(findings) == [*apart, in_loop]
    assert {f.severity for f in findings} == {"info"}


def test_a_key_that_is_only_kept_is_no_use_of_it(tmp_path: Path) -> None:
    text = """
        import jax
        import numpy as np
        from project import Batch


        def keep(log, path):
            key = jax.random.key(0)
            log.append(key)
            log.info("key %s", key)
            np.save(path, jax.random.key_data(key))
            batch = Batch(key)
            return batch, jax.random.normal(key, (3,))
        """
    findings = lint_files(tmp_path, {"a.py": code(text)}, select=("key-reuse",), all=True)
    assert [f.message for f in findings if "no seed" not in f.message] == []


def test_a_benchmark_may_mean_the_same_numbers(tmp_path: Path) -> None:
    text = code(HELPERS) + "\n\n" + code(USED_TWICE["two functions"])
    files = {"benchmark.py": text}
    assert lint_files(tmp_path, files, select=("key-reuse",)) == []
    (finding,) = lint_files(tmp_path / "all", files, select=("key-reuse",), all=True)
    assert finding.severity == "info"


def test_weights_of_a_key_that_is_split_besides_are_a_note(tmp_path: Path) -> None:
    text = """
        import flax.linen as nn


        def start(key, x):
            model = nn.Dense(3)
            params = model.init(key, x)
            key, sub = jax.random.split(key)  # ! key-reuse
            return params, noise(sub, x)
        """
    text = code(HELPERS) + "\n\n" + code(text)
    (finding,) = lint_files(tmp_path, {"a.py": text}, select=("key-reuse",))
    assert (found([finding]), finding.severity) == (marks(text), "info")


TWO_MODELS = """
    import flax.linen as nn
    import jax


    class Actor(nn.Module):
        @nn.compact
        def __call__(self, x):
            return nn.Dense(2)(nn.relu(nn.Dense(16)(x)))


    class Critic(nn.Module):
        @nn.compact
        def __call__(self, x):
            return nn.Dense(1)(nn.relu(nn.Dense(16)(x)))


    def start(seed, x):
        key = jax.random.key(seed)
        actor = Actor().init(key, x)
        critic = Critic().init(key, x)  # ! key-reuse
        target = Critic().init(key, x)  # a copy of the critic
        return actor, critic, target


    def apart(seed, x):
        key, other = jax.random.split(jax.random.key(seed))
        return Actor().init(key, x), Critic().init(other, x)
    """


def test_two_models_of_one_key_are_a_note(tmp_path: Path) -> None:
    text = code(TWO_MODELS)
    (finding,) = lint_files(tmp_path, {"a.py": text}, select=("key-reuse",))
    assert found([finding]) == marks(text)
    assert (finding.severity, finding.confidence) == ("info", "high")
    assert "weights of another model" in finding.message


def test_the_chain_leads_to_what_the_next_iteration_gets(tmp_path: Path) -> None:
    text = """
        def inner(carry, n):
            x, key = carry
            key, sub = jax.random.split(key)  # ! key-reuse
            return (noise(sub, x), key), None


        def outer(carry, n):
            x, key = carry
            (x, _), _ = jax.lax.scan(inner, (x, key), None, 4)
            return (x, key), x  # the key as it came


        def run(x, key):
            return jax.lax.scan(outer, (x, key), None, 4)
        """
    text = code(HELPERS) + "\n\n" + code(text)
    (finding,) = lint_files(tmp_path, {"a.py": text}, select=("key-reuse",))
    line = 1 + next(n for n, row in enumerate(text.split("\n")) if "as it came" in row)
    assert (line, "the next iteration gets this") in [(p.line, p.message) for p in finding.chain]


def test_the_chain_leads_to_the_use(tmp_path: Path) -> None:
    text = code(HELPERS) + "\n\n" + code(USED_TWICE["an attribute that no method renews"])
    (finding,) = lint_files(tmp_path, {"project.py": text}, select=("key-reuse",))
    lines = text.splitlines()
    assert [(lines[place.line - 1].strip(), place.message) for place in finding.chain] == [
        ("self.key = jax.random.key(seed)", "the key is made here"),
        ("for _ in range(100):", "in the iterations of this loop"),
        ("return x + jax.random.normal(key, x.shape)", "used again here"),
    ]


def test_two_keys_joined_have_no_name() -> None:
    base = Seeded("a.py", (1, 1, 1, 2), True)
    one, two = (only(Array("key", False, (), key=Key(base, ("split", n)))) for n in (0, 1))
    both: Value = join(one, two)
    assert [atom.key for atom in both.atoms if isinstance(atom, Array)] == [None]
    assert both == join(two, one) == join(both, one)


ONLY_MAY_BE = {
    "a literal in a function that draws": """
        class Net:
            def __init__(self, x):
                self.start(x)

            def start(self, x):
                self.weights = noise(jax.random.key(0), x)  # ! key-reuse


        def main(x):
            return Net(x), mask(jax.random.key(3), x)


        def other(x, seed=42):
            return mask(jax.random.key(seed), x)
        """,
    "the numbers of a loop": """
        def start(blocks, n):
            for i, block in enumerate(blocks):
                keys = jax.random.split(jax.random.key(100 + i), 6)  # ! key-reuse
                block.weights = noise(keys[0], block.weights)
            return noise(jax.random.key(n), blocks[0].weights)
        """,
    "a literal as default": """
        def sample(x, key=jax.random.key(0)):  # ! key-reuse
            return noise(key, x)
        """,
    "two keys of one seed": """
        def start(seed, x):
            return noise(jax.random.key(seed), x)


        def run(args, x):
            x = start(args.seed, x)
            other = jax.random.key(args.seed + 1)
            x = noise(other, x)
            key = jax.random.key(args.seed)  # ! key-reuse
            for n in range(3):
                key, sub = jax.random.split(key)
                x = mask(sub, x)
            return x
        """,
    "the last of the keys that a loop took": """
        def perturb(params, key):
            keys, n = jax.random.split(key, len(params)), 0
            for name, value in params.items():
                if name.startswith("layer"):
                    params[name] = noise(keys[n], value)
                    n += 1
            return params, mask(keys[-1], params["head"])  # ! key-reuse
        """,
    "folded after a draw": """
        def sample(key, x):
            x = noise(key, x)
            for n in range(3):
                x = mask(jax.random.fold_in(key, n), x)  # ! key-reuse
            return x
        """,
    "a draw beside the streams of a model": """
        def loss(model, params, key, x):
            x = noise(key, x)
            return model.apply(params, x, train=True, rngs={"dropout": key})  # ! key-reuse
        """,
    "under two conditions": """
        def corrupt(key, x, kind, strength):
            if kind == "noise" and strength > 0:
                x = noise(key, x)
            if kind != "noise" and strength > 0:
                x = mask(key, x)
            return x
        """,
    "split for what may draw nothing": """
        def steps(key, x):
            key, _ = jax.random.split(key)
            return key, x * 0.9


        def main(key, x):
            _, one = steps(key, x)
            _, other = steps(key, x + 1)
            return one - other
        """,
    "printed alone": """
        def look(key, x):
            print(noise(key, x))
            return mask(key, x)
        """,
    "a comment that asks for it": """
        def compare(key, x):
            before = noise(key, x)
            after = noise(key, x * 0.9)  # the same seed as before
            return after - before
        """,
    "a network and its target": """
        def start(key, x):
            online = noise(key, x)
            target_params = noise(key, x)
            return online, target_params
        """,
}


@pytest.mark.parametrize("name", ONLY_MAY_BE)
def test_what_is_not_certain_is_shown_with_all_alone(tmp_path: Path, name: str) -> None:
    text = code(HELPERS) + "\n\n" + code(ONLY_MAY_BE[name])
    assert lint(tmp_path, text) == []


FOLDED = """
    import jax


    def weights(key):
        first, second = jax.random.split(key)
        return jax.random.normal(first), jax.random.normal(second)


    def train(key, batches):
        found = weights(key)
        for step, x in enumerate(batches):
            found = x(found, jax.random.fold_in(key, step))  # ! split-and-fold-in
        return found


    def train_later(key, batches):
        found = weights(key)
        for step, x in enumerate(batches, 100):
            found = x(found, jax.random.fold_in(key, step))
        return found
"""


def test_a_key_is_split_in_a_call_and_folded(tmp_path: Path) -> None:
    text = code(FOLDED)
    names = ("split-and-fold-in", "key-reuse")
    found = lint_files(tmp_path, {"a.py": text}, select=names)
    assert [(f.line, f.name) for f in found] == marks(text)


def test_a_long_chain_of_splits_is_followed(tmp_path: Path) -> None:
    """Each `key, sub = split(key)` makes the name of the key longer."""
    split = "    key, sub = jax.random.split(key)\n    x = noise(sub, x)\n"
    text = code(HELPERS) + "\n\ndef corrupt(key, x):\n" + split * 8
    text += "    x = noise(key, x)\n    key, sub = jax.random.split(key)  # ! key-reuse\n"
    text += "    return noise(sub, x)\n"
    assert lint(tmp_path, text) == marks(text)


def test_a_parameter_that_is_a_key_by_its_name_is_handed_on(tmp_path: Path) -> None:
    """What nobody knows may draw from it; the key of a dict has such a name, too."""
    text = code(
        """
        import jax


        def act(policy, key, obs):
            action = policy(obs, key)
            key, sub = jax.random.split(key)  # ! key-reuse
            return action + jax.random.normal(sub, action.shape)


        def copy(old, new, key):
            new.store(key, old.fetch(key))
            return jax.jit(new.total)()
        """
    )
    assert lint(tmp_path, text) == []
    findings = lint_files(tmp_path / "all", {"a.py": text}, select=("key-reuse",), all=True)
    assert found(findings) == marks(text)


def test_a_key_without_a_name_is_one_key_within_a_call(tmp_path: Path) -> None:
    """Nobody knows which of the other keys it is; both splits take the same one."""
    text = (
        code(HELPERS)
        + "\n\n"
        + code(
            """
        def layer(key, x, context=None):
            one, two = jax.random.split(key)
            x = mask(two, noise(one, x))
            if context is not None:
                one, two = jax.random.split(key)  # ! key-reuse
                x = x + mask(two, noise(one, context))
            return x


        def layers(key, x, count):
            first, *others = jax.random.split(key, count)
            x = noise(first, x)
            for other in others:
                x = layer(other, x, context=x)
            return x
        """
        )
    )
    assert lint(tmp_path, text) == marks(text)


def test_a_use_without_its_callers_parts_where_it_stands() -> None:
    """A run that is cut off keeps what the function has done, without the calls that led to it."""
    path = "offline.py"
    module = Function("", path, 0, is_module=True)
    warmup = Function("warmup", path, 5, end_line=6, parent=module)
    batch = Function("batch", path, 8, end_line=9, parent=module)
    key, at = Key(Seeded(path, (8, 1, 8, 9), True)), (9, 5, 9, 20)
    made = KeyUse(key, frozenset(), "split", "split", path, at, (batch,))
    calls = ((path, (5, 1, 5, 1)), (path, (6, 5, 6, 12)))
    called = replace(made, functions=(module, warmup, batch), calls=calls, sides=((), (), ()))
    assert part_ways(called, made) == (calls[0], (path, at))
    assert part_ways(made, called) == ((path, at), calls[0])


def test_a_key_that_an_object_keeps_is_the_same_at_each_call(tmp_path: Path) -> None:
    """Others make the object, and may renew its key: it is a may."""
    text = code("""
        import jax
        import jax.numpy as jnp


        class SameFlips:
            def __init__(self):
                self.key = jax.random.key(0)

            def __call__(self, images):
                flip = jax.random.bernoulli(self.key, 0.5, images.shape[:1])  # ! key-reuse
                return jnp.where(flip, images, images[::-1])


        class SameRows:
            def __init__(self, seed, rows):
                self.key, self.rows = jax.random.key(seed), rows

            def sample(self, count):
                _, now = jax.random.split(self.key)  # ! key-reuse
                return self.rows[jax.random.randint(now, (count,), 0, 100)]


        class OtherFlips:
            def __init__(self, key):
                self.key = key

            def __call__(self, images):
                self.key, now = jax.random.split(self.key)
                return jnp.where(jax.random.bernoulli(now, 0.5), images, images[::-1])


        class FlipsByStep:
            def __init__(self, key):
                self.key, self.step = key, 0

            def __call__(self, images):
                self.step += 1
                now = jax.random.fold_in(self.key, self.step)
                return jnp.where(jax.random.bernoulli(now, 0.5), images, images[::-1])
    """)
    findings = lint_files(tmp_path / "all", {"a.py": text}, select=("key-reuse",), all=True)
    assert found(findings) == marks(text)
    assert all("every call" in finding.message for finding in findings)
    assert lint_files(tmp_path / "default", {"a.py": text}, select=("key-reuse",)) == []


def test_the_keys_of_a_layer_are_made_by_flax(tmp_path: Path) -> None:
    text = code("""
        import flax.linen as nn
        import jax


        class Noisy(nn.Module):
            def __call__(self, x, key=None):
                if key is None:
                    key = self.make_rng("noise")
                return x + jax.random.normal(key, x.shape)
    """)
    assert lint_files(tmp_path, {"a.py": text}, select=("key-reuse",), all=True) == []
