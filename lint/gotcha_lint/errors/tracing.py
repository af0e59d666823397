"""Errors of tracing: what Python asks of a value that is not known yet."""

from __future__ import annotations

from gotcha_lint.errors.known import Known, row

ROWS: tuple[Known, ...] = (
    row(
        r"The size argument of (?P<call>[\w.]+) must be statically|"
        r"first argument of (?P<call2>[\w.]+)\(\)\. To make .{1,80}? concrete value for the size",
        "bool-mask-in-jit",
        "The number of results depends on values, which a traced program does not know.",
        "Pass size= (and fill_value=), or compute with a mask and jnp.where.",
    ),
    row(
        r"It arose in the (?P<call>[\w.]+) argument '?(?P<argument>\w+)",
        "traced-shape",
        "{call} needs a Python number for `{argument}`: it decides a shape.",
        "Pass it as a static argument (static_argnames), or derive it from an array's .shape.",
    ),
    row(
        r"The problem arose with the `\w+` function|occurred in the \w+\(\) method",
        "host-cast-of-tracer",
        "A traced value is turned into a Python number; it has no value while tracing.",
        "Return the array and convert it outside, or use x.astype(...) inside.",
    ),
    row(
        r"occurred in the __reduce__ method",
        "closure-pickled",
        "A traced value is pickled.",
        "Save outside the jitted function, after jax.device_get.",
    ),
    row(
        r"TracerBoolConversionError|Attempted boolean conversion of traced array",
        "traced-if",
        "Python's `if`, `while`, `assert`, `and`, `or`, `not`, min or max asks a traced array"
        " for its truth value.",
        "Use jnp.where or jax.lax.cond; an argument that is the same for many calls can be"
        " static (static_argnames).",
    ),
    row(
        r"TracerIntegerConversionError|The __index__\(\) method was called on traced array",
        "traced-shape",
        "A traced value is used as a Python integer: in range(), as a list index, as a shape.",
        "Make the argument static (static_argnames), or use jax.lax.fori_loop, jnp.take,"
        " jax.lax.dynamic_slice.",
    ),
    row(
        r"TracerArrayConversionError|__array__\(\) was called on traced array",
        "host-cast-of-tracer",
        "A NumPy function or a NumPy array's index got a traced array.",
        "Call the function of the same name in jax.numpy; turn the indexed array into a jnp array.",
    ),
    row(
        r"NonConcreteBooleanIndexError|Array boolean indices must be concrete",
        "bool-mask-in-jit",
        "A boolean mask would give an array whose length depends on values.",
        "Use jnp.where(mask, x, fill), or reductions with where=; .at[mask] needs the same.",
    ),
    row(
        r"UnexpectedTracerError|Encountered an unexpected tracer|Leaked trace ",
        "leaked-tracer",
        "A traced value was kept (in a list, a global, an attribute) after its trace ended.",
        "Return the value from the traced function instead of storing it.",
    ),
    row(
        r"Shapes must be 1D sequences of concrete values|Slice entries must be static integers",
        "traced-shape",
        "A shape or a slice bound is a traced value.",
        "Make it static (static_argnames), or use jax.lax.dynamic_slice with a fixed size.",
    ),
    row(
        r"parameters to jaxpr equations must have __hash__ and __eq__",
        "traced-shape",
        "A count or shape, such as that of jax.random.split, is a traced value.",
        "Make it static (static_argnames).",
    ),
    row(
        r"ConcretizationTypeError|Abstract tracer value encountered where concrete value",
        "host-cast-of-tracer traced-shape",
        "Python needs a value that is not known while tracing.",
        "Keep it an array, or make the argument static (static_argnames).",
    ),
    row(
        r"unsupported format string passed to \w*Tracer\.__format__",
        "side-effect-in-jit",
        "A traced value is formatted as a number.",
        'Use jax.debug.print("{{x}}", x=x), or format the returned value outside.',
    ),
    row(
        r"unhashable type: '\w*Tracer'",
        "traced-container-key",
        "A traced value is used as a key of a dict or a member of a set.",
        "Use jnp.take on an array, or jax.lax.switch.",
    ),
    row(
        r"Reverse-mode differentiation does not work for lax\.while_loop",
        "grad-of-while",
        "A loop with a bound that is only known at run time cannot be differentiated backwards.",
        "Use jax.lax.scan, or a fori_loop with static bounds.",
    ),
    row(
        r"carry input and carry output must have equal types"
        r"(?:.{0,80}?The input carry (?:component )?(?P<argument>\S+) has type (?P<before>\S+)"
        r" but the corresponding output carry component has type (?P<after>\S+?),?\s"
        r"|.{0,2000}?)",
        "scan-carry-type",
        "The loop's state changes its shape or dtype from one step to the next.",
        "Give the initial carry the dtype and shape that the body returns.",
    ),
)
