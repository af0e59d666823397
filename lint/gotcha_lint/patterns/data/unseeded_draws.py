"""Draws of data from generators that no file seeds, beside keys of JAX (floor `patterns`; may).

By names: numpy's and Python's own generators, and those of torch and TensorFlow that shuffle or
change data. A call of anything that is called a seed, in any file, takes all draws for seeded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from gotcha_lint.facts.random import SAMPLERS
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.elsewhere import Elsewhere
from gotcha_lint.program.full_names import FullNames
from gotcha_lint.program.ir import Function, Instruction, Module, Span
from gotcha_lint.program.links import Links

_DRAWS = frozenset(
    ("rand", "randn", "randint", "random", "random_sample", "uniform", "normal", "choice",
     "permutation", "shuffle", "sample", "choices", "randrange", "gauss", "standard_normal",
     "binomial", "poisson", "beta", "exponential", "multinomial", "betavariate")
)  # fmt: skip
_OWN = {
    **dict.fromkeys((f"numpy.random.{draw}" for draw in _DRAWS), "numpy's generator"),
    **dict.fromkeys((f"random.{draw}" for draw in _DRAWS), "Python's generator"),
}
_NEW = frozenset(("numpy.random.default_rng", "numpy.random.RandomState", "random.Random"))
_TORCH = {
    "torch.utils.data.DataLoader": "generator",
    "torch.utils.data.random_split": "generator",
    **dict.fromkeys(
        (f"torch.{draw}" for draw in ("rand", "randn", "randint", "randperm", "normal",
                                      "multinomial", "bernoulli", "poisson")),
        "generator",
    ),
}  # fmt: skip
_IMAGES = "tensorflow.image.random_"
_SEEDS = ("seed", "set_seed", "seed_everything", "set_random_seed", "manual_seed", "seed_all",
          "setup_seed", "fix_seed", "set_seeds", "set_all_seeds", "set_global_seed", "init_seed",
          "fix_random_seed", "seed_worker", "set_seed_everywhere", "init_random_seeds",
          "init_fn_seed", "set_global_seeds")  # fmt: skip
_KEYS = ("PRNGKey", "random.key", "jr.key", "jrandom.key", "Rngs", "PRNGSequence")
_OF_JAX = ("jax.random.PRNGKey", "jax.random.key", "flax.nnx.Rngs", "haiku.PRNGSequence")


@dataclass(frozen=True, slots=True)
class Draw:
    """The first of a function; `source`: what it draws from."""

    span: Span
    source: str
    more: int = 0


def unseeded_draws(
    links: Links, module: Module, elsewhere: Elsewhere, frozen: Collection[Span]
) -> Iterator[tuple[Function, Draw]]:
    """`frozen`: draws while JAX traces, which give the same in each step."""
    names = FullNames(links)
    found: list[tuple[Function, list[Draw]]] = []
    keys = False
    for function in links.bodies(module):
        draws: list[Draw] = []
        chooses = False  # between JAX's generator and another one
        for i in steps_of(function):
            if i[0] != "call":
                continue
            if "seed" in links.word(function, i[2]).lower():
                return
            name = names.of_call(function, i)
            keys = keys or name in _OF_JAX
            chooses = chooses or name in SAMPLERS
            source = _source(links, function, i, name)
            if source and i[-1] not in frozen:
                draws.append(Draw(i[-1], source))
        if draws and not chooses:
            found.append((function, draws))
    if not found or elsewhere.calls(_SEEDS, module.path):
        return
    if keys or elsewhere.calls(_KEYS, module.path):
        for function, draws in found:
            yield function, Draw(draws[0].span, draws[0].source, len(draws) - 1)


def _source(links: Links, function: Function, call: Instruction, name: str) -> str:
    """Whose generator a call draws from without a seed; else ""."""
    given = {word for word, _ in call[4]}
    if None in given or any(star for star, _ in call[3]):
        return ""
    if name in _OWN:
        return _OWN[name]
    if name in _NEW:
        return "" if call[3] or given else "a generator without a seed"
    if name in _TORCH:
        shuffles = name != "torch.utils.data.DataLoader" or _is_true(links, function, call)
        return "torch's generator" if shuffles and _TORCH[name] not in given else ""
    if name.startswith(_IMAGES):
        return "" if "seed" in given else "TensorFlow's generator"
    return ""


def _is_true(links: Links, function: Function, call: Instruction) -> bool:
    """`shuffle=True`, without a sampler."""
    made = {word: links.makers(function).get(register) for word, register in call[4]}
    said = made.get("shuffle")
    return said is not None and said[:3:2] == ("const", True) and "sampler" not in made
