"""Asks the library: what a call gives, by `jax.eval_shape`; and which functions there are."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax import lax

from gotcha_lint.facts.avals.values import Aval, DType, Scalar

warnings.simplefilter("ignore")
jax.config.update(
    "jax_traceback_filtering", "off"
)  # a third of the time goes into tracebacks otherwise
PRIMES = dict(zip("abcdefgh", (3, 5, 7, 11, 13, 17, 19, 23), strict=False))
PRIMES2 = dict(
    zip("abcdefgh", (29, 23, 19, 17, 13, 11, 7, 5), strict=False)
)  # the other way round, for minima


@dataclass(frozen=True)
class P:
    """An array whose sizes are letters ("ab") or digits; `type` overrides the varied type."""

    dims: str
    type: str | None = None


class L:
    """A value computed from the sizes."""

    def __init__(self, fn):
        self.fn = fn


class Key:
    pass


K = Key()
KEY = jax.random.key(0)
NUMBERS = {"number bool": True, "number int": 2, "number float": 2.5, "number complex": 2j}


def dims(text, env):
    return tuple(env[ch] if ch in env else int(ch) for ch in text)


# ---------------------------------------------------------------- observing
def build(value, env, types, kind):
    """`types` is consumed left to right by the arrays that have no type of their own."""
    if isinstance(value, P):
        t = value.type or types.pop(0)
        if t in NUMBERS:
            return NUMBERS[t] if kind == "jax" else Scalar(t.split()[1], NUMBERS[t])
        dtype, weak = t.rstrip("*"), t.endswith("*")
        shape = dims(value.dims, env)
        return (
            jax.ShapeDtypeStruct(shape, dtype, weak_type=weak)
            if kind == "jax"
            else Aval(shape, dtype, weak)
        )
    if isinstance(value, Key):
        return KEY if kind == "jax" else Aval((), "key<fry>", False)
    if isinstance(value, L):
        return value.fn(env)
    if isinstance(value, DType):
        builtin = {"int": int, "float": float, "bool": bool, "complex": complex}
        return value if kind != "jax" else builtin.get(value.name, value.name)
    if isinstance(value, list):
        return [build(v, env, types, kind) for v in value]
    return value


def holes(value):
    if isinstance(value, P):
        return 0 if value.type else 1
    return sum(map(holes, value)) if isinstance(value, list) else 0


def count(call):
    return sum(map(holes, call[0])) + sum(map(holes, call[1].values()))


def realize(call, env, types, kind):
    types = list(types)
    args = [build(v, env, types, kind) for v in call[0]]
    return args, {k: build(v, env, types, kind) for k, v in call[1].items()}


def observe(fn, call, env, types):
    """("ok", [(shape, dtype, weak)], many) or ("error", text) or ("python", text)"""
    args, kwargs = realize(call, env, types, "jax")

    def is_struct(v):
        return isinstance(v, jax.ShapeDtypeStruct)

    leaves, tree = jax.tree_util.tree_flatten(
        (args, kwargs), is_leaf=lambda v: v is None or is_struct(v)
    )
    where = [i for i, v in enumerate(leaves) if is_struct(v)]
    seen = {}

    def run(*arrays):
        full = list(leaves)
        for i, a in zip(where, arrays, strict=False):
            full[i] = a
        args, kwargs = jax.tree_util.tree_unflatten(tree, full)
        out = fn(*args, **kwargs)
        flat = jax.tree_util.tree_leaves(out, is_leaf=lambda v: v is None)
        seen["python"] = [type(v).__name__ for v in flat if not isinstance(v, jax.Array)]
        seen["many"] = isinstance(out, (tuple, list))
        seen["nested"] = seen["many"] and any(isinstance(v, (tuple, list, dict)) for v in out)
        return out

    try:
        out = jax.eval_shape(run, *(leaves[i] for i in where))
    except Exception as error:  # whatever the library raises is a refusal
        return "error", type(error).__name__
    if seen["python"] or seen["nested"]:
        return "python", "nested" if seen["nested"] else seen["python"][0]
    flat = jax.tree_util.tree_leaves(out)
    return (
        "ok",
        [(tuple(v.shape), str(v.dtype), bool(getattr(v, "weak_type", False))) for v in flat],
        seen["many"],
    )


# ---------------------------------------------------------------- functions
OPERATORS = {
    "__add__": lambda self, other: self + other,
    "__radd__": lambda self, other: other + self,
    "__sub__": lambda self, other: self - other,
    "__mul__": lambda self, other: self * other,
    "__truediv__": lambda self, other: self / other,
    "__floordiv__": lambda self, other: self // other,
    "__mod__": lambda self, other: self % other,
    "__pow__": lambda self, other: self**other,
    "__matmul__": lambda self, other: self @ other,
    "__lt__": lambda self, other: self < other,
    "__eq__": lambda self, other: self == other,
    "__ne__": lambda self, other: self != other,
    "__le__": lambda self, other: self <= other,
    "__gt__": lambda self, other: self > other,
    "__ge__": lambda self, other: self >= other,
    "__and__": lambda self, other: self & other,
    "__or__": lambda self, other: self | other,
    "__xor__": lambda self, other: self ^ other,
    "__lshift__": lambda self, other: self << other,
    "__rshift__": lambda self, other: self >> other,
    "__neg__": lambda self: -self,
    "__abs__": lambda self: abs(self),
    "__invert__": lambda self: ~self,
    "T": lambda self: self.T,
    "mT": lambda self: self.mT,
    "real": lambda self: self.real,
    "imag": lambda self: self.imag,
    "at_set": lambda self, value: self.at[...].set(value),
    "at_add": lambda self, value: self.at[...].add(value),
}
HIGHER = set(
    [
        "cond",
        "scan",
        "while_loop",
        "fori_loop",
        "switch",
        "map",
        "associative_scan",
        "custom_root",
        "custom_linear_solve",
        "reduce",
        "reduce_window",
        "linear_solve",
        "apply_along_axis",
        "apply_over_axes",
        "vectorize",
        "frompyfunc",
        "piecewise",
        "fromfunction",
        "platform_dependent",
        "optimization_barrier",
        "select_n_tree",
        "jet",
        "checkpoint",
        "composite",
        "ufunc",
        "stop_gradient_tree",
        "infeed",
        "outfeed",
    ]
)


def modules():
    import jax.scipy.linalg
    import jax.scipy.ndimage
    import jax.scipy.signal
    import jax.scipy.special
    import jax.scipy.stats
    import optax

    found = {
        "jax.numpy": jnp,
        "jax.numpy.linalg": jnp.linalg,
        "jax.numpy.fft": jnp.fft,
        "jax.lax": lax,
        "jax.nn": jax.nn,
        "jax.random": jax.random,
        "jax.scipy.special": jax.scipy.special,
        "jax.scipy.linalg": jax.scipy.linalg,
        "jax.scipy.signal": jax.scipy.signal,
    }
    for name in (
        "norm",
        "uniform",
        "beta",
        "gamma",
        "expon",
        "bernoulli",
        "poisson",
        "laplace",
        "logistic",
        "cauchy",
        "t",
        "chi2",
        "pareto",
        "truncnorm",
        "multivariate_normal",
    ):
        found["jax.scipy.stats." + name] = getattr(jax.scipy.stats, name)
    found["optax.losses"] = optax.losses
    return found


class Fn:
    def __init__(self, name, obj):
        self.name, self.obj, self.leaf = name, obj, name.rpartition(".")[2]
        if type(obj).__name__ == "ufunc":
            self.params = [
                inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY)
                for n in ("x", "y", "z")[: obj.nin]
            ]
        else:
            self.params = list(inspect.signature(obj).parameters.values())
        self.params = [p for p in self.params if p.kind != p.VAR_KEYWORD]
        self.sig = [
            ("*" if p.kind == p.VAR_POSITIONAL else "") + p.name
            for p in self.params
            if p.kind != p.KEYWORD_ONLY
        ]
        self.kw = [p.name for p in self.params if p.kind == p.KEYWORD_ONLY]
        self.names = [p.name for p in self.params]
        self.required = [
            p.name
            for p in self.params
            if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL,)
        ]
        self.defaults = {
            p.name: p.default
            for p in self.params
            if p.default not in (p.empty, None)
            and isinstance(p.default, (bool, int, float, str, tuple))
        }
        self.only = {p.name for p in self.params if p.kind == p.POSITIONAL_ONLY}

    def call(self, given):
        """Named values as one call, positionally as far as possible."""
        args, kwargs, gap = [], {}, False
        for p in self.params:
            if p.name not in given:
                gap = True
            elif p.kind == p.VAR_POSITIONAL:
                args += given[p.name]
            elif p.kind == p.KEYWORD_ONLY or gap:
                kwargs[p.name] = given[p.name]
            else:
                args.append(given[p.name])
        return args, kwargs


def functions():
    """{name: Fn} and {alias: name}"""
    found, alias, seen, skipped = {}, {}, {}, []
    for module, m in modules().items():
        for leaf in sorted(dir(m)):
            obj = getattr(m, leaf, None)
            if (
                leaf.startswith("_")
                or not callable(obj)
                or isinstance(obj, type)
                or inspect.ismodule(obj)
            ):
                continue
            if (
                "Array" in leaf
                or leaf in ("einsum_path", "Partial")
                or not str(getattr(obj, "__module__", "jax")).startswith(("jax", "optax"))
            ):
                continue
            if type(obj).__name__ not in ("function", "ufunc", "PjitFunction") and not hasattr(
                obj, "__wrapped__"
            ):
                continue
            name = f"{module}.{leaf}"
            if id(obj) in seen:
                alias[name] = seen[id(obj)]
                continue
            seen[id(obj)] = name
            try:
                found[name] = Fn(name, obj)
            except (TypeError, ValueError):
                skipped.append(name)
    for leaf, obj in OPERATORS.items():
        found["jax.Array." + leaf] = Fn("jax.Array." + leaf, obj)
    for leaf in [
        "all",
        "any",
        "argmax",
        "argmin",
        "argsort",
        "astype",
        "clip",
        "conj",
        "conjugate",
        "copy",
        "cumprod",
        "cumsum",
        "diagonal",
        "dot",
        "flatten",
        "max",
        "mean",
        "min",
        "nonzero",
        "prod",
        "ravel",
        "repeat",
        "reshape",
        "round",
        "sort",
        "squeeze",
        "std",
        "sum",
        "swapaxes",
        "take",
        "trace",
        "transpose",
        "var",
        "view",
    ]:
        found["jax.Array." + leaf] = Fn(
            "jax.Array." + leaf, getattr(jax.Array, leaf, None) and _method(leaf)
        )
    return found, alias, skipped


def _method(leaf):
    declared = getattr(jax.Array, leaf)

    def run(self, *args, **kwargs):
        return getattr(self, leaf)(*args, **kwargs)

    run.__signature__ = inspect.signature(declared)
    return run
