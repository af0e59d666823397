"""What classes of libraries give to those that extend them: the public names.

Read from `dir(...)` under Python 3.11, flax 0.12.8 and equinox 0.13.8.
"""

from __future__ import annotations

import unittest

_NNX = frozenset(
    ("eval", "iter_children", "iter_modules", "perturb", "set_attributes", "sow", "train")
)
_LINEN = frozenset(
    ("apply", "bind", "clone", "copy", "get_variable", "has_rng", "has_variable", "init",
     "init_with_output", "is_initializing", "is_mutable_collection", "lazy_init", "make_rng",
     "module_paths", "name", "param", "parent", "path", "perturb", "put_variable", "scope", "setup",
     "sow", "tabulate", "unbind", "variable", "variables")
)  # fmt: skip
_NAMED_TUPLE = frozenset(("count", "index", "_replace", "_asdict", "_fields", "_make"))

ATTRIBUTES = {
    "builtins.object": frozenset[str](),
    "abc.ABC": frozenset[str](),
    "typing.Generic": frozenset[str](),
    "typing.Protocol": frozenset[str](),
    "typing.NamedTuple": _NAMED_TUPLE,
    "equinox.Module": frozenset[str](),
    "flax.linen.Module": _LINEN,
    "flax.nnx.Module": _NNX,
    "flax.nnx.Pytree": frozenset[str](),
    "flax.struct.PyTreeNode": frozenset(("replace",)),
    "unittest.TestCase": frozenset(name for name in dir(unittest.TestCase) if name[0] != "_"),
}

OF_DECORATORS = {
    "dataclass": frozenset(("replace", "to_tuple", "from_tuple")),
    "final": frozenset[str](),
    "runtime_checkable": frozenset[str](),
}
"""Decorators by their last word: that of `dataclasses`, `flax.struct` and `chex` is one of them."""

OF_TYPES = frozenset(name for name in (*dir(type), "register") if not name.startswith("__"))
"""What each class itself has."""
