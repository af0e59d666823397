from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.faults.remarks import DICT_TEST
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class DictTestMissesFrozendict(Rule):
    """Walks a tree with `isinstance(x, dict)` and takes everything else for an array.

    ## What happens
    A `FrozenDict` and an `nnx.State` are mappings, but no dicts. They fall through to the leaf
    branch, where `np.asarray(FrozenDict(...))` gives an array of the keys' names, `dtype='<U5'`.
    The weights are gone, without an error.

    ## Instead
    `jax.tree.map` knows every container; or test for `collections.abc.Mapping`.

    ## Not reported
    Nested functions that only get plain dicts, such as `nnx.to_pure_dict` gives.
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import flax
                import jax.numpy as jnp
                import numpy as np


                def to_numpy(tree):
                    if isinstance(tree, dict):  # ! dict-test-misses-frozendict
                        return {k: to_numpy(v) for k, v in tree.items()}
                    return np.asarray(tree)


                saved = to_numpy(flax.core.freeze({"dense": jnp.ones((2, 2))}))
            """,
            good="""
                import flax
                import jax
                import jax.numpy as jnp
                import numpy as np


                def to_numpy(tree):
                    return jax.tree.map(np.asarray, tree)


                saved = to_numpy(flax.core.freeze({"dense": jnp.ones((2, 2))}))
            """,
            shows="getattr(saved, 'dtype', None) == '<U5'",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(DICT_TEST):
            yield Foreseen(
                (fault.path, fault.span),
                "a `FrozenDict` or an `nnx.State` is not a `dict`: it falls through to "
                f"`{fault.text[0]}`, which makes an array of its keys; use `jax.tree.map`",
            )
