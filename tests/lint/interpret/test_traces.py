"""What a trace shows, through helpers, classes and files: derivatives, types, indices, tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.support import code, found, lint_files, marks

HEAD = """
    import equinox as eqx
    import flax.linen as nn
    import jax
    import jax.numpy as jnp
    import numpy as np
    from helpers import entropy, lookup, quantise, shrink


"""
HELPERS = """
    import jax
    import jax.numpy as jnp


    def quantise(x):
        return jnp.round(x * 15) / 15


    def entropy(p):
        return -jnp.sum(p * jnp.log(p))


    def lookup(table, ids):
        return table[ids]


    def shrink(x):
        while jnp.sum(x) > 1:
            x = x / 2
        return x


"""

IN_THE_PROGRAM = {
    "the weights of a layer whose output is rounded": """
        def loss(params, x):
            code = jax.nn.sigmoid(x @ params["enc"])
            return jnp.mean((jnp.round(code) @ params["dec"] - x) ** 2)  # ! zero-gradient


        params = {"enc": jnp.ones((5, 3)), "dec": jnp.ones((3, 5))}
        grads = jax.jit(jax.grad(loss))(params, jnp.ones((12, 5)))
        """,
    "a module whose logits become a decision": """
        class Net(nn.Module):
            @nn.compact
            def __call__(self, x):
                return nn.Dense(3)(x)


        @jax.jit
        def step(params, x, y):
            def loss(params):
                return jnp.mean(jnp.argmax(Net().apply(params, x), -1) == y)  # ! zero-gradient

            return jax.grad(loss)(params)
        """,
    "the parameters of the outer function": """
        @jax.jit
        def step(params, x):
            def loss(p):  # ! zero-gradient
                return jnp.mean((x @ params["w"]) ** 2)

            return jax.grad(loss)(params)


        grads = step({"w": jnp.ones((3, 2))}, jnp.ones((4, 3)))
        """,
    "rounded by a helper of another file": """
        def loss(params, x):  # ! zero-gradient
            return jnp.mean((x @ quantise(params["w"])) ** 2) + jnp.sum(params["b"])


        grads = jax.grad(loss)({"w": jnp.ones(3), "b": jnp.ones(2)}, jnp.ones((4, 3)))
        """,
    "distances of all pairs": """
        def energy(x):
            difference = x[:, None, :] - x[None, :, :]
            r = jnp.sqrt(jnp.sum(difference**2, axis=-1))  # ! infinite-derivative
            return jnp.sum(jnp.exp(-r))


        force = jax.grad(energy)(jnp.ones((4, 3)))
        """,
    "a counter of fori_loop": """
        @jax.jit
        def total(x):
            def add(i, acc):
                return acc + x[i]  # ! out-of-bounds-index

            return jax.lax.fori_loop(1, x.shape[0] + 1, add, 0.0)


        y = total(jnp.ones(5))
        """,
    "a test in vmap": """
        def clip(x):
            if x > 1:  # ! traced-if
                return x / 2
            return x


        y = jax.vmap(clip)(jnp.arange(4.0))
        """,
    "a mask in vmap": """
        def kept(x, mask):
            return x[~mask].sum()  # ! bool-mask-in-jit


        y = jax.vmap(kept)(jnp.ones((3, 2)), jnp.ones((3, 2), bool))
        """,
    "a guard of an angle": """
        def angle(x):
            c = jnp.cos(x)
            return jnp.where(jnp.abs(c) < 1.0, jnp.arccos(c), 0.0).sum()  # ! where-nan-gradient


        grads = jax.grad(angle)(jnp.ones(3))
        """,
    "None comes back as an array": """
        def total(xs):
            def body(carry, x):
                return (carry[0] + x, x), None

            return jax.lax.scan(body, (jnp.zeros(()), None), xs)  # ! scan-carry-type


        y = total(jnp.ones(3))
        """,
}

SILENT = {
    "a key that is None unless somebody gives it": """
        def generate(ids, length, key=None):
            def one(carry, _):
                last, key = carry
                key, sub = jax.random.split(key)
                return (last, key), jax.random.categorical(sub, last)

            return jax.lax.scan(one, (ids, key), None, length)
        """,
    "a straight-through estimator": """
        def loss(w, x):
            rounded = w + jax.lax.stop_gradient(quantise(w) - w)
            return jnp.mean((x @ rounded) ** 2)


        grads = jax.grad(loss)(jnp.ones(3), jnp.ones((4, 3)))
        """,
    "a metric beside the loss": """
        def loss(params, x, y):
            logits = x @ params
            return -jnp.mean(jax.nn.log_softmax(logits)[:, 0]), jnp.argmax(logits, -1) == y


        grads, hits = jax.grad(loss, has_aux=True)(jnp.ones((3, 2)), jnp.ones((4, 3)), 1)
        """,
    "a derivative that is written apart": """
        @jax.custom_vjp
        def rounded(x):
            return jnp.round(x)


        rounded.defvjp(lambda x: (rounded(x), None), lambda _, g: (g,))
        grads = jax.grad(lambda w: rounded(w).sum())(jnp.ones(3))
        """,
    "an entropy without exact zeros": """
        grads = jax.grad(lambda z: entropy(jax.nn.softmax(z)))(jnp.ones(3))
        """,
    "distances of two sets": """
        def energy(x, y):
            difference = x[:, None, :] - y[None, :, :]
            return jnp.sum(jnp.sqrt(jnp.sum(difference**2, axis=-1)))


        force = jax.grad(energy)(jnp.ones((4, 3)), jnp.zeros((5, 3)))
        """,
    "numbers that Equinox leaves alone": """
        @eqx.filter_jit
        def scale(x, factor):
            if factor > 1:
                return x * factor
            return x


        y = scale(jnp.ones(3), 2.0)
        """,
    "a static argument of an inner jit": """
        from functools import partial


        @partial(jax.jit, static_argnums=[1])
        def padded(x, width):
            if width // 2 > 0:
                x = jnp.pad(x, width)
            return x


        y = jax.jit(lambda x: padded(x, 4))(jnp.ones(3))
        """,
    "tests of types": """
        @jax.jit
        def floating(x):
            if not jnp.issubdtype(x.dtype, jnp.floating):
                x = x.astype(jnp.float32)
            if jnp.isscalar(x) or jnp.can_cast(x.dtype, jnp.float32):
                return x
            return x * 2


        y = floating(jnp.arange(3))
        """,
    "a test of what vjp traces": """
        def clip(x):
            if x > 1:
                return x / 2
            return x


        y, pull = jax.vjp(clip, 2.0)
        """,
}

IN_A_HELPER = {
    "infinite-derivative": """
        def loss(z, legal):
            return entropy(jax.nn.softmax(jnp.where(legal, z, -jnp.inf)))


        grads = jax.grad(loss)(jnp.ones(3), jnp.array([True, False, True]))
        """,
    "out-of-bounds-index": """
        y = lookup(jnp.ones((9, 2)), np.array([1, 9]))
        """,
    "traced-if": """
        y = jax.jit(lambda x: shrink(x * 2))(jnp.ones(3))
        """,
}


# Each loss rounds a parameter in one term, and uses it with a slope in the other.
OTHER_WAYS = """
    import jax
    import jax.numpy as jnp


    def by_values(params, x):
        penalty = sum(jnp.sum(v ** 2) for v in params.values())
        return jnp.mean(x @ jnp.round(params["w"])) + penalty


    def by_items(params, x):
        penalty = 0.0
        for k, v in params.items():
            penalty += jnp.sum(v ** 2)
        return jnp.mean(x @ jnp.round(params["w"])) + penalty


    def by_leaves(params, x):
        rest = sum(jnp.sum(v) for v in jax.tree.leaves(params))
        return jnp.mean(x @ jnp.round(params["w"])) + rest


    def by_map(params, x):
        sq = jax.tree.map(lambda v: v * v, params)
        return jnp.mean(x @ jnp.round(params["w"])) + jnp.sum(sq["w"])


    def by_copy(params, x):
        own = {**params, "z": 1}
        return jnp.mean(x @ jnp.round(params["w"])) + jnp.sum(own["w"])


    def by_star(params, x):
        def inner(w, b):
            return jnp.sum(w) + b
        return jnp.mean(x @ jnp.round(params["w"])) + inner(**params)


    def by_dict(params, x):
        own = dict(params)
        return jnp.mean(x @ jnp.round(params["w"])) + jnp.sum(own["w"])


    def by_list(ps, x):
        total = 0
        for p in ps:
            total = total + jnp.sum(p)
        w, b = ps
        return jnp.mean(x @ jnp.round(w)) + total


    def by_zip(ps, x):
        total = 0
        for p, q in zip(ps, ps):
            total = total + jnp.sum(p)
        return jnp.mean(x @ jnp.round(ps[0])) + total


    def by_append(params, x):
        out = []
        for k in params:
            out.append(jnp.sum(params[k]))
        return jnp.mean(x @ jnp.round(params["w"])) + jnp.stack(out).sum()


    def by_scan(params, x):
        def body(c, xs):
            return c + jnp.sum(params["w"]) * xs.sum(), None
        c, _ = jax.lax.scan(body, 0.0, x)
        return jnp.mean(x @ jnp.round(params["w"])) + c


    def by_concat(params, x):
        flat = jnp.concatenate([v.ravel() for v in params.values()])
        return jnp.mean(x @ jnp.round(params["w"])) + flat.sum()


    def by_vmap(params, x):
        y = jax.vmap(lambda r: r @ params["w"])(x)
        return jnp.mean(x @ jnp.round(params["w"])) + y.sum()


    def by_einsum(params, x):
        return jnp.mean(x @ jnp.round(params["w"])) + jnp.einsum("ij,j->", x, params["w"])


    def by_cond(params, x):
        y = jax.lax.cond(x.sum() > 0, lambda w: w.sum(), lambda w: -w.sum(), params["w"])
        return jnp.mean(x @ jnp.round(params["w"])) + y


    def by_at(params, x):
        z = jnp.zeros(3).at[0].set(params["w"][0])
        return jnp.mean(x @ jnp.round(params["w"])) + z.sum()


    def by_checkpoint(params, x):
        y = jax.checkpoint(lambda w: jnp.sum(w ** 2))(params["w"])
        return jnp.mean(x @ jnp.round(params["w"])) + y


    def by_while(params, x):
        y = jax.lax.fori_loop(0, 3, lambda i, c: c + params["w"][i], 0.0)
        return jnp.mean(x @ jnp.round(params["w"])) + y


    class M:
        def __init__(self, w): self.w = w
        def out(self, x): return x @ self.w


    def by_object(params, x):
        m = M(params["w"])
        return jnp.mean(x @ jnp.round(params["w"])) + m.out(x).sum()


    def by_where(params, x):
        return jnp.mean(x @ jnp.round(params["w"])) + jnp.where(x > 0, params["w"], 0).sum()


    def by_pad(params, x):
        return jnp.mean(x @ jnp.round(params["w"])) + jnp.pad(params["w"], (1, 1)).sum() 


    def by_split(params, x):
        a, b, c = jnp.split(params["w"], 3)
        return jnp.mean(x @ jnp.round(params["w"])) + a.sum()


    def by_grad(params, x):
        inner = jax.grad(lambda w: jnp.sum(w ** 3))(params["w"])
        return jnp.mean(x @ jnp.round(params["w"])) + inner.sum()


    def by_topk(params, x):
        v, i = jax.lax.top_k(params["w"], 2)
        return jnp.mean(x @ jnp.round(params["w"])) + v.sum()


    def by_softmax(params, x):
        return jnp.mean(x @ jnp.round(params["w"])) + jax.nn.log_softmax(params["w"])[0]


    def by_random(params, x):
        noise = jax.random.normal(jax.random.key(0), (3,))
        return jnp.mean(x @ jnp.round(params["w"])) + (noise * params["w"]).sum()


    def by_pow(params, x):
        return jnp.mean(x @ jnp.round(params["w"])) + params["w"].T.dot(params["w"])


    MAPPED = (
        by_values, by_items, by_leaves, by_map, by_copy, by_star, by_dict, by_append, by_scan,
        by_concat, by_vmap, by_einsum, by_cond, by_at, by_checkpoint, by_while, by_object, by_where,
        by_pad, by_split, by_grad, by_topk, by_softmax, by_random, by_pow,
    )
    for loss in MAPPED:
        jax.grad(loss)({"w": jnp.ones(3), "b": jnp.ones(())}, jnp.ones((4, 3)))
    for loss in (by_list, by_zip):
        jax.grad(loss)([jnp.ones(3), jnp.ones(())], jnp.ones((4, 3)))

"""


@pytest.mark.parametrize("name", IN_THE_PROGRAM)
def test_found(tmp_path: Path, name: str) -> None:
    text = code(HEAD) + code(IN_THE_PROGRAM[name])
    findings = lint_files(tmp_path, {"train.py": text, "helpers.py": code(HELPERS)}, _OWN)
    assert found(findings) == marks(text)


@pytest.mark.parametrize("name", SILENT)
def test_silent(tmp_path: Path, name: str) -> None:
    text = code(HEAD) + code(SILENT[name])
    findings = lint_files(tmp_path, {"train.py": text, "helpers.py": code(HELPERS)}, _OWN)
    assert found(findings) == []


@pytest.mark.parametrize("name", IN_A_HELPER)
def test_found_in_a_helper(tmp_path: Path, name: str) -> None:
    """At the place of the fault, and the chain shows who calls it."""
    text = code(HEAD) + code(IN_A_HELPER[name])
    findings = lint_files(tmp_path, {"train.py": text, "helpers.py": code(HELPERS)}, _OWN)
    (finding,) = findings
    assert (finding.name, Path(finding.path).name) == (name, "helpers.py")
    assert any(Path(place.path).name == "train.py" for place in finding.chain)


def test_a_derivative_flows_through_containers_and_transforms(tmp_path: Path) -> None:
    assert found(lint_files(tmp_path, {"train.py": code(OTHER_WAYS)}, ("zero-gradient",))) == []


_OWN = (
    "zero-gradient",
    "infinite-derivative",
    "where-nan-gradient",
    "out-of-bounds-index",
    "scan-carry-type",
    "traced-if",
    "bool-mask-in-jit",
)


def test_a_carry_shows_where_it_is_made(tmp_path: Path) -> None:
    text = code("""
        import jax
        import jax.numpy as jnp


        def body(carry, x):
            new = carry + jnp.float32(1.0)
            return new, None


        start = jnp.zeros((), jnp.bfloat16)
        end, _ = jax.lax.scan(body, start, jnp.ones(3))
    """)
    (finding,) = lint_files(tmp_path, {"train.py": text}, ("scan-carry-type",))
    places = {
        place.message: text.splitlines()[place.line - 1].split()[0] for place in finding.chain
    }
    assert places["goes in as made here"] == "start"
    assert places["comes back as made here"] == "new"
