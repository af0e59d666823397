"""Facts about JAX itself (0.10 to 0.12)."""

from __future__ import annotations

from gotcha_lint.facts import Fact, Transform

LIBRARIES = {"jax", "jaxlib"}
# Options of `jit`, `pmap` and similar transforms that name static arguments.
STATIC_OPTIONS = ("static_argnames", "static_argnums", "static_broadcasted_argnums")


def _each(names: str, fact: Fact, prefix: str) -> dict[str, Fact]:
    return {f"{prefix}{name}": fact for name in names.split()}


ARRAY = Fact("array")
STATIC = Fact("static")
JIT = Fact("function", Transform("jit"))
PMAP = Fact("function", Transform("pmap"))
SHARD_MAP = Fact("function", Transform("shard_map"))
GRAD = Fact("grads", Transform("grad"))
VALUE_AND_GRAD = Fact("grads", Transform("value_and_grad"))
VMAP = Fact("function", Transform("vmap"))
CHECKPOINT = Fact("function", Transform("checkpoint"))
CUSTOM = Fact("function", Transform("custom"))


def _control(role: str, positions: tuple[int, ...], names: tuple[str, ...]) -> Fact:
    return Fact(role, Transform(role, positions, names, gives="result"))


ROWS: dict[str, Fact] = {
    "jax.jit": JIT,
    "jax.pmap": PMAP,
    "jax.shard_map": SHARD_MAP,
    "jax.grad": GRAD,
    "jax.value_and_grad": VALUE_AND_GRAD,
    "jax.hessian": Fact("function", Transform("grad")),
    "jax.jacfwd": Fact("function", Transform("grad")),
    "jax.jacrev": Fact("function", Transform("grad")),
    "jax.vmap": VMAP,
    "jax.checkpoint": CHECKPOINT,
    "jax.custom_vjp": CUSTOM,
    "jax.custom_jvp": CUSTOM,
    "jax.custom_gradient": CUSTOM,
    "jax.named_call": Fact("function", Transform("inline")),
    "jax.linearize": Fact("tree", Transform("jvp", gives="result")),
    "jax.jvp": Fact("tree", Transform("jvp", gives="result")),
    "jax.vjp": Fact("tree", Transform("grad", gives="result")),
    "jax.eval_shape": Fact("shapes", Transform("eval_shape", gives="result")),
    "jax.make_jaxpr": Fact("function", Transform("make_jaxpr")),
    "jax.closure_convert": Fact("tree", Transform("closure_convert", gives="result")),
    "jax.lax.scan": _control("scan", (0,), ("f",)),
    "jax.lax.while_loop": _control("while", (0, 1), ("cond_fun", "body_fun")),
    "jax.lax.fori_loop": _control("fori", (2,), ("body_fun",)),
    "jax.lax.cond": _control("cond", (1, 2), ("true_fun", "false_fun")),
    "jax.lax.switch": _control("switch", (1,), ("branches",)),
    "jax.lax.map": _control("map", (0,), ("f",)),
    "jax.lax.associative_scan": _control("associative_scan", (0,), ("fn",)),
    "jax.lax.custom_root": _control("custom", (0, 2, 3), ("f", "solve", "tangent_solve")),
    "jax.pure_callback": ARRAY,
    "jax.experimental.io_callback": ARRAY,
    "jax.block_until_ready": Fact("same", effect="wait"),
    "jax.effects_barrier": Fact("none", effect="wait"),
    "jax.device_get": Fact("host-tree", effect="wait"),
    "jax.experimental.multihost_utils.process_allgather": Fact("host-tree", effect="wait"),
    "jax.make_array_from_process_local_data": Fact("array"),
    "jax.make_array_from_callback": ARRAY,
    "jax.experimental.pallas.pallas_call": Fact("function", Transform("pallas", names=("kernel",))),
    "jax.experimental.pallas.kernel": Fact("function", Transform("pallas", names=("body",))),
    "jax.random.key": Fact("key"),
    "jax.random.PRNGKey": Fact("key"),
    "jax.random.wrap_key_data": Fact("key"),
    "jax.random.clone": Fact("key"),
    "jax.random.split": Fact("keys", key=0),
    "jax.random.fold_in": Fact("key"),
    "jax.random.key_impl": STATIC,
    "jax.nn.initializers": Fact(""),
    "jax.lax.axis_size": STATIC,
    "jax.lax.stop_gradient": Fact("same"),
    "jax.lax.with_sharding_constraint": Fact("same"),
    "jax.lax.psum": Fact("same"),
    "jax.lax.pmean": Fact("same"),
    "jax.lax.pmax": Fact("same"),
    "jax.lax.pmin": Fact("same"),
    "jax.lax.pcast": Fact("same"),
    "jax.lax.pvary": Fact("same"),
    "jax.lax.all_gather": Fact("same"),
    "jax.lax.optimization_barrier": Fact("same"),
    "jax.numpy.load": Fact(""),  # of an archive: what holds arrays of numpy
    "jax.numpy.save": Fact("none", effect="io"),
    "jax.numpy.savez": Fact("none", effect="io"),
}
ROWS |= _each(
    "shape ndim size result_type promote_types issubdtype dtype finfo iinfo broadcast_shapes "
    "uint16 uint64 "
    "complex64 complex128 isscalar iscomplexobj isdtype can_cast einsum_path ix_ index_exp s_ "
    "set_printoptions printoptions get_printoptions ndarray generic ufunc "
    "integer floating inexact number signedinteger unsignedinteger complexfloating dtypes",
    STATIC,
    "jax.numpy.",
)
ROWS["jax.numpy.vectorize"] = Fact("function", Transform("vmap", names=("pyfunc",)))
ROWS["jax.numpy.apply_along_axis"] = Fact(
    "array", Transform("vmap", names=("func1d",), gives="result")
)
ROWS |= _each(
    "GatherDimensionNumbers ScatterDimensionNumbers ConvDimensionNumbers Precision "
    "broadcast_shapes RandomAlgorithm DotDimensionNumbers conv_dimension_numbers padtype_to_pads "
    "GatherScatterMode dtype convert_element_type_p",
    STATIC,
    "jax.lax.",
)
_SAMPLERS = (
    "uniform normal randint bernoulli permutation choice categorical truncated_normal gumbel "
    "exponential gamma beta laplace dirichlet poisson cauchy multivariate_normal orthogonal "
    "rademacher t ball bits logistic loggamma maxwell pareto rayleigh weibull_min geometric "
    "binomial chisquare f double_sided_maxwell generalized_normal lognormal triangular wald "
    "multinomial"
)
ROWS |= _each(_SAMPLERS, Fact("array", key=0), "jax.random.")

DRAWS_LOGITS = frozenset({"jax.random.categorical"})  # by their second argument
LARGEST = frozenset({"jax.numpy.argmax", "jax.lax.argmax"})
# What keeps a value away from such a place.
GUARDS = frozenset(
    f"jax.{name}"
    for name in [
        "numpy.where",
        "numpy.select",
        "numpy.clip",
        "numpy.maximum",
        "numpy.fmax",
        "numpy.exp",
        "numpy.nan_to_num",
        "numpy.cosh",
        "nn.softplus",
        "nn.sigmoid",
        "nn.softmax",
        "lax.select",
        "lax.clamp",
        "lax.max",
        "lax.exp",
    ]
)

ALIASES = {
    "jax.tree_util.tree_map": "jax.tree.map",
    "jax.tree_map": "jax.tree.map",
    "jax.tree_util.tree_map_with_path": "jax.tree.map_with_path",
    "jax.tree_util.tree_leaves": "jax.tree.leaves",
    "jax.tree_leaves": "jax.tree.leaves",
    "jax.tree_util.tree_flatten": "jax.tree.flatten",
    "jax.tree_util.tree_unflatten": "jax.tree.unflatten",
    "jax.tree_util.tree_structure": "jax.tree.structure",
    "jax.tree_util.tree_reduce": "jax.tree.reduce",
    "jax.tree_util.tree_all": "jax.tree.all",
    "jax.pjit": "jax.jit",
    "jax.experimental.pjit.pjit": "jax.jit",
    "jax.api.jit": "jax.jit",
    "jax.experimental.maps.xmap": "jax.pmap",  # gone from jax 0.5: names axes, and compiles
    "jax._src.api.jit": "jax.jit",
    "jax.remat": "jax.checkpoint",
    "jax.ad_checkpoint.checkpoint": "jax.checkpoint",
    "jax.ad_checkpoint.remat": "jax.checkpoint",
    "jax.experimental.shard_map.shard_map": "jax.shard_map",
    "jax.jacobian": "jax.jacrev",
    "jax.experimental.host_callback.call": "jax.pure_callback",
    "jax.interpreters.xla.DeviceArray": "jax.Array",
    "jax.numpy.ndarray": "jax.Array",
    "jax.numpy.DeviceArray": "jax.Array",
    "jax.lax.pcast": "jax.lax.pcast",
    "jax.lax.linalg": "jax.numpy.linalg",
    "jax.scipy": "jax.numpy",
    "jax.extend.random": "jax.random",
}

# What the other functions of a module return.
MODULES = {
    "jax.numpy.": ARRAY,
    "jax.nn.": ARRAY,
    "jax.nn.initializers.": Fact("initializer"),
    "jax.lax.": ARRAY,
    "jax.ops.": ARRAY,
    "jax.image.": ARRAY,
    "jax.random.": ARRAY,
}
