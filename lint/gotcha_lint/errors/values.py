"""Errors of arrays, keys, gradients, arguments and pytrees."""

from __future__ import annotations

from gotcha_lint.errors.known import Known, row

ROWS: tuple[Known, ...] = (
    row(
        r"RESOURCE_EXHAUSTED: Out of memory",
        "out-of-memory",
        "The device has no room for an array of this program.",
        "Donate the state, jax.checkpoint the layers, compute the loss in chunks, or shard.",
    ),
    row(
        r"do not support in-place item assignment",
        "inplace-assignment",
        "JAX arrays cannot be changed in place.",
        "x = x.at[i].set(value)",
    ),
    row(
        r"assignment destination is read-only",
        "inplace-assignment",
        "np.asarray of a JAX array gives a view that cannot be written.",
        "Take a copy with np.array(x).",
    ),
    row(
        r"The truth value of an array with more than one element is ambiguous",
        "array-truth-value",
        "Python asks an array with several elements for one truth value.",
        "Say which: x.any(), x.all(), or compare one element.",
    ),
    row(
        r"KeyReuseError|Previously-consumed key",
        "key-reuse",
        "A random key is used a second time and gives the same numbers again.",
        "key, sub = jax.random.split(key), and use sub once.",
    ),
    row(
        r"array with PRNGKey dtype cannot be converted",
        "key-not-numpy",
        "A typed random key is handed to NumPy.",
        "Save jax.random.key_data(key), and restore it with jax.random.wrap_key_data.",
    ),
    row(
        r"Gradient only defined for scalar-output functions\. Output was \(",
        "grad-missing-has-aux",
        "The differentiated function returns a tuple.",
        "Pass has_aux=True when the function returns (loss, extra).",
    ),
    row(
        r"only defined for scalar-output functions\. Output had shape: (?P<shape>\([^)]*\))",
        "grad-non-scalar",
        "The loss has the shape {shape}; a gradient needs a scalar.",
        "Reduce it with .mean() or .sum(); use jax.jacrev for more outputs.",
    ),
    row(
        r"Gradient only defined for scalar-output functions",
        "grad-non-scalar grad-missing-has-aux",
        "The differentiated function does not return a scalar.",
        "Return one scalar; has_aux=True for (loss, extra).",
    ),
    row(
        r"expected function with aux output to return a two-element tuple",
        "grad-missing-has-aux",
        "has_aux=True, but the function returns only the loss.",
        "Return (loss, extra), or drop has_aux.",
    ),
    row(
        r"requires at least 1 positional arguments to be passed by the caller",
        "grad-kwarg-only",
        "jax.grad differentiates positional arguments; it was called with keywords only.",
        "Pass the parameters positionally.",
    ),
    row(
        r"grad requires real- or complex-valued inputs.*?but got (?P<dtype>\w+)",
        "grad-int-input",
        "Something that is differentiated has the dtype {dtype}: often a step counter among the"
        " parameters.",
        "Keep integers out of the differentiated argument.",
    ),
    row(
        r"grad requires real-valued outputs.*?but got (?P<dtype>\w+)",
        "grad-int-output",
        "The loss has the dtype {dtype}.",
        "Return a floating point loss; counting and argmax have no gradient.",
    ),
    row(
        r"Non-hashable static arguments.*?object of type <class '(?P<type>[^']+)'>",
        "unhashable-static-argument",
        "A static argument must be hashable; a {type} is not.",
        "Pass a tuple or a frozen dataclass, or make the argument a normal one.",
    ),
    row(
        r"invalid argnames (?P<argument>\{[^}]*\}) in (?P<option>\w+)",
        "unknown-static-name",
        "{option} names {argument}, which the function does not have.",
        "Correct the name.",
    ),
    row(
        r"has (?P<option>static_argnums|donate_argnums)=(?P<argument>\S+?),?,? but only accepts",
        "unknown-static-name",
        "{option} names the place {argument}, which the function does not have.",
        "Count the arguments again, or name them: static_argnames, donate_argnames.",
    ),
    row(
        r"where must be None or a boolean array",
        "float-where-mask",
        "`where=` is a mask of numbers.",
        "Give the comparison itself, or mask.astype(bool).",
    ),
    row(
        r"Error interpreting argument to .*?of type <class '(?P<type>[^']+)'>"
        r" and was passed to the function at path (?P<argument>self)\b",
        "jit-method-no-static-self",
        "jit on a method gets `self`, which is not an array.",
        "Jit a function of the arrays it needs, or register the class as a pytree.",
    ),
    row(
        r"Error interpreting argument to .*?of type <class '(?P<type>[^']+)'>"
        r" and was passed to the function at path (?P<argument>\S+?)\.?(?:\s|$)",
        "unregistered-pytree",
        "A {type} is handed to a jitted function; only arrays and registered containers can be.",
        "Make the argument static, or register the class (jax.tree_util.register_dataclass).",
    ),
    row(
        r"returned a value of type <class '(?P<type>[^']+)'>(?: at \S+)?, which is not a valid JAX",
        "unregistered-pytree",
        "A traced function returns a {type}.",
        "Return arrays and registered containers only.",
    ),
    row(
        r"donate the same buffer twice|previously donated in the same call",
        "donated-twice",
        "One buffer reaches the call twice, and at least once it is donated.",
        "Copy one of them: jax.tree.map(jnp.copy, params).",
    ),
    row(
        r"Array has been deleted|deleted or donated",
        "use-after-donation",
        "An array is used after it was donated.",
        "Use the returned one, or copy it before the call (jnp.copy).",
    ),
    row(
        r"transformation that requires the current value of parameters",
        "update-without-params",
        "This optimizer needs the parameters.",
        "tx.update(grads, opt_state, params)",
    ),
    row(
        r"Comparator raised exception while sorting pytree dictionary keys",
        "mixed-dict-keys",
        "A dict in a pytree mixes keys that cannot be compared, such as int and str.",
        "Use keys of one type.",
    ),
    row(
        r"pytree structure error: different numbers of pytree children at key path\s+"
        r"[^\n]*?\btree\b(?P<place>[^\n]*)\n"
        r".*symmetric difference on key sets is\s+(?P<argument>[^\n]+)",
        "tree-map-structure",
        "At `tree{place}` only one of the two trees has this key: {argument}.",
        "Build both from one model: compare jax.tree.structure of both.",
    ),
    row(
        r"pytree structure error: different types at key path\s+"
        r"[^\n]*?\btree\b(?P<argument>[^\n]*)\n"
        r".*?<class '(?:[^'\n]*\.)?(?P<first>\w+)'>.*?<class '(?:[^'\n]*\.)?(?P<second>\w+)'>",
        "tree-map-structure general-type-first",
        "At `tree{argument}` the first tree has type `{first}` and the other `{second}`.",
        "Build both in the same way: compare jax.tree.structure of both.",
    ),
    row(
        r"pytree structure error: different lengths of (?P<kind>\w+) at key path\s+"
        r"[^\n]*?\btree\b(?P<argument>[^\n]*)\n"
        r".*?of length (?P<first>\d+),.*?of length (?P<second>\d+)",
        "tree-map-structure",
        "At `tree{argument}` the first tree has a {kind} of {first} and the other one of {second}.",
        "Build both in the same way: compare jax.tree.structure of both.",
    ),
    row(
        r"pytree structure error",
        "tree-map-structure general-type-first",
        "Two trees have different containers or keys.",
        "Compare jax.tree.structure of both; build both in the same way.",
    ),
)
