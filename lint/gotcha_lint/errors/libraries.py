"""Errors of devices, files and the environment, of Flax and of Optax."""

from __future__ import annotations

from gotcha_lint.errors.known import Known, row
from gotcha_lint.facts.removed import KEYWORDS

_GONE = "|".join(sorted({name for names in KEYWORDS.values() for name in names}))
_LIBRARY = r"(?:jax|flax|optax)"
# What follows where a file of that name is imported in place of the library.
_NOT_HIDDEN = (
    rf"(?! \((?:consider renaming|most likely due to a circular|[^)\n]*[\\/]{_LIBRARY}\.py\)))"
)

ROWS: tuple[Known, ...] = (
    row(
        r"(?i:unbound axis name): (?P<argument>\S+?)\.?(?:\s|$)",
        "unbound-axis",
        "A collective names the axis {argument}, which no surrounding transform defines.",
        "Call it under jax.shard_map or vmap(axis_name=...).",
    ),
    row(
        r"requires a non-empty mesh in context",
        "sharding-constraint-no-mesh",
        "A PartitionSpec alone does not say which mesh it means.",
        "Call jax.set_mesh(mesh), or pass a NamedSharding.",
    ),
    row(
        r"Received incompatible devices for jitted computation",
        "incompatible-devices",
        "The arguments live on different sets of devices.",
        "Place them with jax.device_put and one sharding.",
    ),
    row(
        r"does not evenly divide the dimension size|IndivisibleError",
        "indivisible-batch",
        "A sharded dimension is not a multiple of the number of devices.",
        "Drop or pad the remainder of the batch.",
    ),
    row(
        r"Contracting dimensions are sharded and it is ambiguous",
        "mesh-axis-types",
        "The axes of jax.make_mesh are Explicit by default.",
        "jax.make_mesh(..., axis_types=(AxisType.Auto,) * n)",
    ),
    row(
        r"in_specs passed to shard_map: .{1,200} does not match the specs of the input",
        "mesh-axis-types",
        "An argument is sharded over an axis of a mesh whose axes are Explicit, the default.",
        "jax.make_mesh(..., axis_types=(AxisType.Auto,) * n), or in_specs as the argument has.",
    ),
    row(
        r"Unable to initialize backend '(?P<argument>\w+)'|"
        r"Backend '(?P<argument2>\w+)' failed to initialize|Unknown backend:? '?(?P<argument3>\w+)",
        "backend-missing",
        "This installation cannot use the platform {argument}.",
        "Install its plugin, or unset JAX_PLATFORMS; jax.devices() tells what there is.",
    ),
    row(
        r"failed to find a local CPU device to place the inputs on",
        "backend-missing",
        "jax.debug.print and other callbacks run on a CPU device, and JAX has none here.",
        "Name the CPU too: JAX_PLATFORMS=cuda,cpu.",
    ),
    row(
        r"Custom VJP bwd rule must produce",
        "custom-vjp-structure",
        "The backward function must return one gradient for each argument.",
        "Return a tuple as long as the arguments; None stands for zero.",
    ),
    row(
        # Python 3.13 says "Can't get".
        r"(?:pickle|get) local object '?(?P<argument>[\w.<>]+)"
        r"|cannot pickle '(?:Device|Mesh)\w*' object",
        "closure-pickled",
        "The training state holds functions or devices, which cannot be pickled.",
        "Save arrays (jax.device_get) and the configuration; rebuild the functions.",
    ),
    row(
        r"ArrayImpl is not JSON serializable",
        "array-in-json",
        "A JAX array is given to json.",
        "Convert it first: float(x) or x.tolist().",
    ),
    row(
        r"Object arrays cannot be loaded when allow_pickle=False",
        "tree-in-np-save",
        "np.save pickled a dict.",
        "Flatten the tree, or use Orbax.",
    ),
    row(
        r"Python int(?:eger)? (?P<argument>\d+) (?:too large to convert to|out of bounds for) int32"
        r"|An overflow was encountered while parsing an argument to a jitted computation",
        "int64-truncation",
        "{argument} needs 64 bits; JAX uses 32 unless jax_enable_x64 is set.",
        "Keep it on the host, or set jax_enable_x64 before the first array.",
    ),
    row(
        r"Unrecognized config option: (?P<argument>\w+)|property of 'Config' object has no setter",
        "unknown-config-option",
        "There is no such option, or it was assigned instead of updated.",
        'jax.config.update("jax_enable_x64", True)',
    ),
    row(
        r"Unknown flags? in XLA_FLAGS: (?P<argument>\S+)",
        "xla-flag-unknown",
        "This jaxlib does not know the flag {argument}.",
        "Remove it from XLA_FLAGS.",
    ),
    row(
        # Not where a file of the user's, such as flax.py, hides the library: Python says so.
        rf"module '(?P<module>{_LIBRARY}[\w.]*)' has no attribute '(?P<argument>\w+)'{_NOT_HIDDEN}|"
        rf"cannot import name '(?P<argument2>\w+)' from '(?P<module2>{_LIBRARY}[\w.]*)'"
        rf"{_NOT_HIDDEN}|"
        rf"No module named '(?P<argument3>{_LIBRARY}\.[\w.]+)'(?!; '\w+' is not a package)",
        "removed-api",
        "The installed release does not have this name; it may have been removed.",
        "Run gotcha-lint over the file: it knows the replacement of removed names.",
    ),
    row(
        rf"\b(?P<call>\w+)\(\) got an unexpected keyword argument '(?P<argument>{_GONE})'",
        "removed-api",
        "{call} no longer has the argument `{argument}`.",
        "Run gotcha-lint over the file: it knows what replaced it.",
    ),
    row(
        r"(?P<call>\w+) requires ndarray or scalar arguments, got <class '(?P<type>list|tuple)'>",
        "removed-api",
        "{call} no longer takes a {type}: it would make an array of every element, one by one.",
        "jnp.asarray(values), once; jnp.stack for a list of arrays.",
    ),
    row(
        r'needs PRNG for "(?P<argument>\w+)"',
        "linen-missing-dropout-rng",
        "A module draws random numbers and got no key for `{argument}`.",
        'model.apply(variables, x, rngs={{"{argument}": key}})',
    ),
    row(
        r"ScopeCollectionNotFound|ApplyScopeInvalidVariables\w+|Tried to access .{1,80} from"
        r" collection .{1,40} but the collection is empty",
        "linen-apply-params",
        "apply wants the dict of collections, not the parameters alone.",
        'model.apply({{"params": params}}, x)',
    ),
    row(
        r'Cannot update variable "(?P<argument>\w+)" in .{1,80} because collection "(?P<kind>\w+)"',
        "linen-mutable-tuple",
        "`{argument}` of the collection {kind} is updated, but the collection is not mutable.",
        'y, updates = model.apply(variables, x, mutable=["{kind}"])',
    ),
    row(
        r"SetAttributeFrozenModuleError|Can't set (?P<argument>\w+)=",
        "linen-set-attr",
        "A Linen module cannot be changed outside of setup.",
        "Return the value, or keep it in a variable collection.",
    ),
    row(
        r"assigned to static attribute '(?P<argument>\w+)'",
        "nnx-plain-list",
        "`{argument}` is a plain container of modules or arrays.",
        "self.{argument} = nnx.List([...])",
    ),
    row(
        r"Missing required argument `(?P<argument>wrt|grads)`",
        "nnx-optimizer-args",
        "The call of nnx.Optimizer lacks `{argument}`.",
        "nnx.Optimizer(model, tx, wrt=nnx.Param); optimizer.update(model, grads)",
    ),
    row(
        r"TypeError: ModelAndOptimizer\.(?P<argument>update)\(\) takes",
        "nnx-optimizer-args",
        "An nnx.ModelAndOptimizer holds the model: `{argument}` takes the gradients alone.",
        "optimizer.update(grads); or an nnx.Optimizer(model, tx, wrt=nnx.Param)",
    ),
    row(
        r"Cannot mutate (?P<argument>\w+) from a different trace level",
        "nnx-mutated-in-other-trace",
        "A traced function (jit, grad, scan) changes an nnx object ({argument}) that it did not "
        "get as an argument.",
        "Pass the module (and its rngs) as an argument to nnx.jit or nnx.grad; where the function "
        "makes it from a state: nnx.merge(..., copy=True).",
    ),
    row(
        r"FloatingPointError: invalid value \((?P<argument>nan|inf)\) encountered in (?P<call>\S+)",
        "non-finite-value where-nan-gradient norm-at-zero",
        "{call} gave {argument}.",
        "Keep its argument where it is defined (`jnp.maximum(x, tiny)`); where a `jnp.where` hides "
        "the result, guard the argument before the call. `gotcha-sanitize nan` names what it was "
        "given.",
    ),
)
