"""Facts about random keys that are not a row of the table."""

from __future__ import annotations

# Methods and functions that keep what they are given, or show it, and draw nothing.
KEEPS = frozenset(
    {
        *("append", "extend", "add", "insert", "put", "set", "setdefault", "update", "replace"),
        *("save", "dump", "dumps", "write", "serialize", "restore", "store", "to_state_dict"),
        *("from_state_dict", "from_bytes", "to_bytes", "device_put", "put_nowait", "send", "push"),
        *("log", "info", "debug", "warning", "error", "print", "format", "join", "get", "pop"),
        *("create", "key_data", "wrap_key_data", "block_until_ready", "copy", "deepcopy", "index"),
        *("register", "record", "assert_equal", "assertEqual", "shape", "freeze", "unfreeze"),
        *("replicate", "shard", "broadcast", "partial", "register_buffer", "fold_in"),
    }
)
# Packages whose functions draw from no key, but for those that are known to.
NO_DRAWS = ("jax.", "numpy.", "builtins.", "orbax.", "logging.", "absl.", "chex.", "pickle.", "os.")
# Packages whose classes draw their weights from the key that they are given.
LAYERS = ("equinox.nn.",)
# Names of what counts from 0: parameters, fields of a state.
COUNTERS = frozenset({"step", "epoch", "i", "idx", "index", "count", "iteration", "it"})
# Words of names that mostly hold keys; the key of a dict has such a name, too.
KEY_WORDS = frozenset({"key", "rng", "subkey", "prngkey"})
# Methods of distributions (distrax, tensorflow_probability) that draw with `seed=key`.
SAMPLES = frozenset(
    {"sample", "sample_and_log_prob", "_sample_n", "experimental_sample_and_log_prob"}
)
# One key for several arrays keeps their rows together.
ALIGNED = frozenset({"jax.random.permutation", "jax.random.shuffle", "jax.random.choice"})
# What draws numbers: the public functions of `jax.random` (0.10.2) whose first parameter is `key`.
SAMPLERS = frozenset(
    "jax.random." + name
    for name in (
        *("ball", "bernoulli", "beta", "binomial", "bits", "categorical", "cauchy", "chisquare"),
        *("choice", "dirichlet", "double_sided_maxwell", "exponential", "f", "gamma"),
        *("generalized_normal", "geometric", "gumbel", "laplace", "loggamma", "logistic"),
        *("lognormal", "maxwell", "multinomial", "multivariate_normal", "normal", "orthogonal"),
        *("pareto", "permutation", "poisson", "rademacher", "randint", "rayleigh", "shuffle", "t"),
        *("triangular", "truncated_normal", "uniform", "wald", "weibull_min"),
    )
)
# Functions that are given a key for its shape only.
SHAPE_ONLY = frozenset({"initialize_carry", "init", "lazy_init", "eval_shape", "tabulate"})


def is_init_function(name: str = "") -> bool:
    """`init_fn`, `projection_init_fn`: makes weights from a key, and asks inputs for their shape.

    `hk.transform(f).init` is often kept under such a name.
    """
    words = name.lower().split("_")
    return "init" in words and words[-1] in ("fn", "fun", "func")


# Project functions with such words in their names reuse a key on purpose: the same change for
# several views of a sample, the same draws at every evaluation.
SAME_ON_PURPOSE = (
    *("crop", "augment", "flip", "shift", "shuffle", "permut", "mask"),
    *("eval", "generate", "predict", "valid", "exemplar"),
    *("_kernel", "feature_map", "random_features"),  # both sides of a product need the same ones
)
# A function of such a name may be given the key of the training: its numbers change nothing there.
EVALUATES = ("eval", "valid", "rescore", "plot", "visuali")
# A whole run, which starts from the same numbers as the one that it is compared with.
RUNS = frozenset({"train", "fit", "run", "filter"})
# Comments that say that equal numbers are meant, or that nothing is drawn.
SAME_SEED = ("same seed", "same key", "same rng", "same random", "common random")
SAME_SEED += ("fixed key", "fixed rng", "fixed seed", "dummy key", "dummy rng", "unused key")
# What stands over several runs of different methods.
COMPARES = ("comparison of", "compare ", "comparing ")
# One that reads data from somewhere shuffles with its key, if it uses it at all.
LOADS = ("load_", "read_", "fetch_")
LOADED = ("data", "set", "split", "batches")
# Comments that say that the values of arrays do not matter.
DUMMY_COMMENTS = ("dummy", "placeholder", "fake data", "fake input", "fake batch")
WAITS = frozenset({"jax.block_until_ready"})
# Functions that take each element from one of their arguments, by the first.
SELECTS = frozenset({"jax.numpy.where", "jax.lax.select", "jax.lax.select_n"})
SUMS = frozenset({"jax.numpy.sum"})
# What shows a value to the reader, and what only checks it.
SHOWS = frozenset({"print", "pprint", "display"})
CHECKS = frozenset({"allclose", "assert_allclose", "array_equal", "assert_array_equal"})
# What asks an array for its shape or type only.
SHAPES = frozenset({"shape", "dtype", "ndim", "size", "sharding"})
TYPES = frozenset({"type", "len", "shape", "zeros_like", "ones_like", "empty_like"})
