"""What is wrong with an operation for what it is given, and what is known of its result.

Called after the models of libraries, methods and operators. Each check looks at values that are
known: where a type, a shape or an index is unknown it is silent.
"""

from __future__ import annotations

from dataclasses import replace

from gotcha_lint.domain import affine
from gotcha_lint.domain.derivative import POLE, after_step, flows_in, last_step
from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.tracers import as_tracer
from gotcha_lint.domain.value import (
    Array,
    Constant,
    Elements,
    Library,
    Number,
    Object,
    Sequence,
    Size,
    Symbol,
    Tuple,
    Value,
    as_affine,
)
from gotcha_lint.facts.numbers import REDUCTIONS
from gotcha_lint.facts.optax import INTEGER_LABELS
from gotcha_lint.facts.slopes import INFINITE_SLOPES
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.derivative import after_operation, kept, pole
from gotcha_lint.interpret.effects import note_update
from gotcha_lint.interpret.elements import (
    COUNT,
    DIFFERENCE,
    IGNORED,
    INSERTED,
    NORM,
    REPEATED,
    ROOTED,
    SELF,
    SHIFTED,
    SPREAD,
    SQUARED_DIFFERENCES,
    after_function,
    after_operator,
    elements_of,
    identity_of,
    ignoring,
    is_ignored,
    marked,
    with_elements,
)
from gotcha_lint.interpret.faults.growing import note_growth
from gotcha_lint.interpret.faults.half_precision import (
    after_square,
    check_function,
    check_method,
    check_operator,
    follow,
)
from gotcha_lint.interpret.faults.operand_shapes import check_operands
from gotcha_lint.interpret.faults.remarks import NUMBER_MASK, remark
from gotcha_lint.interpret.faults.softmax import check_log, check_logits
from gotcha_lint.interpret.faults.transfers import check_join, put_on_device, reshaped
from gotcha_lint.interpret.indexing import is_slice
from gotcha_lint.interpret.layers.mutable import check_argument
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.program.array_updates import SLICE_UPDATES, array_update
from gotcha_lint.program.data_flow import steps_of

WIDE = frozenset(("float64", "int64", "uint64", "complex128"))
_NAMES = {"double": "float64", "cdouble": "complex128", "int_": "int64", "float_": "float64"}
_ASKING = frozenset(
    ("issubdtype", "finfo", "iinfo", "dtype", "promote_types", "result_type", "can_cast", "isdtype",
     "shape", "ndim", "size", "isscalar", "iscomplexobj", "isrealobj")
)  # fmt: skip
_ARRAY_FAMILIES = ("jax.numpy.", "jax.nn.", "jax.lax.", "jax.random.")
_MEANS = frozenset(("mean", "std", "var"))  # divide by how many the mask selects
_SMALL, _MARGIN = 1e-3, 0.1  # bounds so near to zero, or to one, are there for its sake
_AT_ONE = frozenset(f"`{name}`" for name, at in INFINITE_SLOPES.items() if {-1, 1} & {*at})
_ZERO_AT_ZERO = frozenset(("`sqrt`", "`norm`", "`std`", "`**`", "`cbrt`"))
_INFINITE = frozenset(("`log`", "`log2`", "`log10`", "`rsqrt`", "`/`"))  # their values, at zero
INFINITE = "infinite"


def after_call(call: Call, out: Value) -> Value:
    """After a function of a library."""
    name = call.name
    check_logits(call)
    check_argument(call)
    check_function(call)
    if name in INTEGER_LABELS:
        return _scored(call, out)
    if name == "numpy.repeat":
        return with_elements(out, Elements(made=REPEATED))
    if name.startswith("numpy."):
        return marked(call, out)
    if not name.startswith("jax."):
        return out
    if name.startswith("jax.numpy.") and call.short in _ASKING:
        return out  # it follows from the shape or the type alone
    check_join(call)
    out = put_on_device(call, out)
    out = reshaped(call, call.args[0], out) if call.args else out
    if name.startswith(_ARRAY_FAMILIES):
        _requested_type(call)
        _refused(call)
        if call.engine.callback and not call.engine.traced and call.short not in _ASKING:
            remark(call.engine, "callback", call.span, call.short)
        if call.short in ("zeros", "zeros_like"):
            call.engine.zeros.add(call.origin)
        out = after_function(call.engine, call.short, call.args, out)
        out = marked(call, out)
        if call.short == "take_along_axis":
            out = _scored(call, out)
        if (
            call.short == "softmax" and "where" in call.keywords
        ):  # what is left out is zero, or anything
            out = with_elements(out, Elements(made="chosen"))
        follow(call.engine, call.args, out)
        after_square(call, out)
        out = _of_zeros(call.engine, call.args, out)
        if call.engine.differentiated and call.short in _KEEPS_ZEROS:
            _stays_zero(call.engine, call.args[:2], out)
        _float_mask(call)
        _averaged(call, call.args)
        check_log(call)
        _taken(call)
        note_growth(call)
        if call.short in SLICE_UPDATES and not call.engine.traced and _is_replaced(call):
            note_update(call.engine, "array", call.span)
        if call.engine.traced and not call.engine.lenient and _is_computed(call):
            out = as_tracer(out)
        if isinstance(out.only, Tuple):  # what the whole follows from, each part does
            out = kept(call.engine, out, out)
        if call.engine.differentiated and not (call.short == "norm" and "ord" in call.keywords):
            out = _derivative(call.engine, call.short, call.args, out, call.span)
    return out


def _is_computed(call: Call) -> bool:
    """Does it give a new array? An array that is one already stays what it is."""
    if call.short not in ("asarray", "array"):
        return call.short not in _ASKING
    given = call.args[0].only if call.args else None
    return not isinstance(given, (Array, Symbol)) and given is not None


def after_method(call: Call, out: Value) -> Value:
    """After a method of an array."""
    array = call.on
    if not isinstance(array, Array) or array.place == "host":
        return out
    machine, name = call.engine, call.name
    me = Value((array,), False, call.receiver.marks)
    if name == "astype":
        _requested_type(call)
    _float_mask(call)
    _averaged(call, (me, *call.args))
    check_method(call, me)
    follow(machine, (me, *call.args), out)
    if name.startswith("at."):
        _scattered(call, array)
        if name == "at.set" and call.args and (ignored := ignoring(call.args[0])) is not None:
            out = with_elements(out, ignored)
        if call.short != "get" and not machine.traced and _is_replaced(call):
            note_update(machine, "array", call.span)
        return out
    out = after_function(machine, call.short, (me, *call.args), out)
    if machine.differentiated:
        out = _derivative(machine, call.short, (me, *call.args), out, call.span)
    return out


def after_binary(
    machine: Machine, operator: str, x: Value, y: Value, out: Value, span: Span
) -> Value:
    """After an operator on arrays."""
    out = after_operator(operator, x, y, out)
    check_operands(machine, operator, x, y, span)
    if machine.differentiated and operator in ("Mult", "Pow"):
        _stays_zero(machine, (x, y) if operator == "Mult" else (x,), out)
    _wraps(machine, operator, x, y, span)
    check_operator(machine, operator, x, y, out, span)
    if operator == "Div":
        _divides(machine, y, span)
    if machine.differentiated and operator == "Sub" and elements_of(out) is None:
        given = (x.constant, y.constant)
        if not any(isinstance(each, (int, float)) for each in given):
            out = with_elements(out, Elements(made=DIFFERENCE))
    if machine.differentiated:
        out = _with_infinite(operator, x, y, out)
        if operator == "Div" and not out.marks:
            out = _of_data(out, y, "`/`")
    if machine.differentiated and out.marks:
        if operator == "FloorDiv":
            out = after_operation(machine, out, "floor_divide", span)
        elif operator == "Div":
            out = _singular(machine, out, y, "`/`", span)
        elif operator == "Pow" and _is_fraction(y):
            out = _singular(machine, out, x, "`**`", span)
        else:
            out = after_operation(machine, out, operator, span)
    return out


# Types

_TAKE_ARRAYS = frozenset(
    ("mean", "sum", "max", "min", "std", "var", "prod", "any", "all", "argmax", "argmin", "median",
     "cumsum", "sqrt", "exp", "log", "abs", "square", "tanh", "dot", "matmul", "maximum", "minimum",
     "sort", "argsort", "isnan", "isfinite", "clip", "round", "sign", "transpose", "reshape",
     "squeeze", "ravel", "expand_dims", "where", "take", "diff", "flip", "roll", "nanmean",
     "quantile", "percentile", "count_nonzero", "norm", "tile", "repeat", "add", "multiply",
     "subtract", "divide", "power", "unique", "nonzero", "outer", "broadcast_to", "swapaxes")
)  # fmt: skip
OVERFLOW = "overflow"
_PAST_INT32 = 2**31
_LARGEST_POWER = 1000  # larger ones are not computed
_FLOATING = frozenset(
    ("exp", "log", "sqrt", "rsqrt", "tanh", "sin", "cos", "logistic", "erf", "log1p", "expm1",
     "floor", "ceil", "round", "cbrt", "lgamma")
)  # fmt: skip


def _refused(call: Call) -> None:
    """`jnp.mean([x, y])`, `lax.rsqrt(3)`: a `TypeError`."""
    atom = call.args[0].only if call.args else None
    if call.name.startswith("jax.numpy.") and call.short in _TAKE_ARRAYS:
        is_list = isinstance(atom, Object) and atom.site.kind == "list"
        if is_list or isinstance(atom, (Tuple, Sequence)):
            remark(call.engine, "refused", call.span, call.short, "list" if is_list else "tuple")
    elif call.name.startswith("jax.lax.") and call.short in _FLOATING:
        whole = isinstance(atom, (Constant, Number)) and atom.type in ("int", "bool")
        if whole or (isinstance(atom, Array) and (atom.dtype or "").startswith(("int", "uint"))):
            remark(call.engine, "refused", call.span, call.short, "whole number")


def _requested_type(call: Call) -> None:
    """A type of 64 bits is named; without the option, JAX takes the one of 32 bits."""
    wide = ""
    if call.short in WIDE and call.name.startswith("jax.numpy."):
        wide = call.short
    elif call.short not in _ASKING:
        given = call.keywords.get("dtype")
        wide = _wide(given, True) if given is not None else ""
        for value in () if wide else call.args:
            wide = wide or _wide(value, False)
        if call.name == "astype" and call.args:
            wide = wide or _wide(call.args[0], True)
    if wide:
        remark(call.engine, "wide type", call.span, wide, call.short)


def _wide(value: Value, texts: bool) -> str:
    atom = value.only
    if isinstance(atom, Library) and atom.name.startswith(("jax.numpy.", "numpy.")):
        name = atom.name.rpartition(".")[2]
        name = _NAMES.get(name, name) if atom.name.startswith("jax.") else name
        return name if name in WIDE else ""
    if texts and isinstance(atom, Constant) and atom.value in WIDE and atom.origin is not None:
        return str(atom.value)
    return ""


def _dtype(value: Value) -> str | None:
    atom = value.only
    return atom.dtype if isinstance(atom, Array) and not atom.weak else None


def _wraps(machine: Machine, operator: str, x: Value, y: Value, span: Span) -> None:
    """`a - b` of two arrays of unsigned bytes; `256 ** jnp.arange(5)`."""
    if operator == "Pow":
        _overflows(machine, x, y, span)
    if operator != "Sub":
        return
    a, b = _dtype(x), _dtype(y)
    if a == b and a in ("uint8", "uint16") and identity_of(x) != identity_of(y):
        remark(machine, "wraps", span, a)


def _overflows(machine: Machine, x: Value, y: Value, span: Span) -> None:
    """A power of whole numbers whose largest is known: 32 bits hold less, and it wraps around."""
    base, exponent = _greatest(x), _greatest(y)
    if base is None or exponent is None or not 0 < exponent < _LARGEST_POWER:
        return
    arrays = [atom for atom in (x.only, y.only) if isinstance(atom, Array)]
    if any(atom.dtype != "int32" or atom.place != "device" for atom in arrays):
        return
    reached = base**exponent
    if arrays and base > 1 and reached >= _PAST_INT32:
        remark(machine, OVERFLOW, span, str(reached))


def _greatest(value: Value) -> int | None:
    """The largest element of whole numbers that count up, or a whole number that is known."""
    known = elements_of(value)
    if known is not None:
        last = known.last
        return last[1] if last is not None and affine.is_constant(last) else None
    number = value.constant
    return number if type(number) is int else None


def _of_zeros(machine: Machine, args: tuple[Value, ...], out: Value) -> Value:
    """The norm of zeros is zero. Joins forget what was made as zeros: only in straight code."""
    known = elements_of(out)
    if (
        known is None
        or known.made not in (NORM, SPREAD)
        or not args
        or not _is_of_zeros(machine, args[0])
    ):
        return out
    function = machine.activation.function
    if any(i[0] in ("if", "for", "while", "try") for i in steps_of(function)):
        return out
    places = [atom.origin for atom in args[0].atoms if isinstance(atom, Array)]
    first, last = function.line, function.end_line
    own = all(p is not None and p[0] == machine.path and first <= p[1][0] <= last for p in places)
    return with_elements(out, replace(known, zeros=True)) if own or function.is_module else out


def _float_mask(call: Call) -> None:
    """`jnp.sum(x, where=weights)`: the mask must be boolean."""
    mask = call.keywords.get("where")
    name = call.name if call.name.startswith("jax.") else f"array.{call.short}"
    if mask is None or name not in REDUCTIONS:
        return
    atom = mask.only
    dtype = atom.dtype if isinstance(atom, Array) else getattr(atom, "type", None)
    if dtype not in (None, "bool", "NoneType"):
        origin = getattr(atom, "origin", None)
        places = () if origin is None else ((*origin, "the mask"),)
        remark(call.engine, NUMBER_MASK, call.span, str(dtype), call.short, places=places)
    elif call.short in _MEANS and not mask.is_none and mask.constant is not True:
        remark(call.engine, "division", call.span, COUNT, maybe=True)


def _is_replaced(call: Call) -> bool:
    """`x = x.at[i].set(v)`, of an array that outlives the turn."""
    known = call.engine.array_updates
    key = call.engine.activation.function, call.span
    if key not in known:
        known[key] = array_update(*key) is not None
    return known[key]


def _divides(machine: Machine, by: Value, span: Span) -> None:
    """By a norm, a deviation or a number of selected elements, without a guard."""
    known = elements_of(by)
    if known is not None and known.made == SHIFTED and not machine.differentiated:
        remark(machine, "norm", span, "the norm in the divisor", maybe=True)
    if known is None or known.low > 0:
        return
    kind = SPREAD if known.made == NORM else known.made
    if isinstance(kind, tuple):  # in a gradient
        kind = SPREAD if kind[0] == "singular" and kind[2] in ("`norm`", "`std`") else ""
    if kind in (SPREAD, COUNT):
        remark(machine, "division", span, kind, maybe=not known.zeros)


def _scattered(call: Call, array: Array) -> None:
    """`counts.at[i].set(x)` of a whole number array and floating values."""
    if call.short == "get" or not call.args or array.dtype is None or "int" not in array.dtype:
        return
    given = call.args[0].only
    number = given.value if isinstance(given, Constant) and type(given.value) is float else None
    if number is not None or (isinstance(given, Array) and "float" in (given.dtype or "")):
        made = array.origin
        places = () if made is None else ((*made, f"made as {array.dtype} here"),)
        whole = "" if number is None or number % 1 else str(number)
        text = array.dtype, call.short, whole
        remark(call.engine, "scattered", call.span, *text, places=places)


# Shapes


def check_index(
    machine: Machine, array: Array, key: Value, span: Span, write: bool = False
) -> None:
    """`array[key]` or `array.at[key]` beyond the end."""
    if array.shape is None or array.place == "host" or machine.per_device:
        return
    atom = key.only
    parts = atom.items if isinstance(atom, Tuple) and not is_slice(key) else (key,)
    for position, part in enumerate(parts):
        if position >= len(array.shape):
            return
        one = part.only
        if part.is_none or is_slice(part) or isinstance(one, Library):
            if not is_slice(part):
                return
            continue
        if isinstance(one, Array) and one.dtype == "bool":
            return
        _check_part(machine, array.shape[position], part, position, span, write)


def _check_part(
    machine: Machine, size: Size, part: Value, axis: int, span: Span, write: bool
) -> None:
    atom = part.only
    end = as_affine(size)
    if end is None or size.ragged or (size.constant == 0):
        return
    last, low, word, seldom = None, None, "", False
    if isinstance(atom, Constant) and type(atom.value) is int:
        last, low, word = affine.constant(atom.value), atom.value, str(atom.value)
    elif isinstance(atom, Array) and atom.elements is not None and atom.elements.last is not None:
        # A look-up beyond all edges gives the last row, as it may be meant; a histogram loses it.
        last, seldom = atom.elements.last, atom.elements.made == INSERTED and not write
    elif isinstance(atom, Number) and atom.affine is not None:
        last = _largest(machine, atom)
    elif isinstance(atom, Symbol):
        last, word = affine.symbol(atom), "n"
    tested = any(not guard.of_loop for guard in machine.guards)
    if last is None or (tested and isinstance(atom, (Number, Symbol))):
        return  # `if i + 1 < n:` before it may keep a counter within
    over = affine.add(last, end, -1)
    if over is None or over[0]:
        return
    beyond = over[1] >= 0
    below = low is not None and size.constant is not None and low < -size.constant
    if beyond or below:
        remark(
            machine, "out of bounds", span, word, _text(size), str(axis), "write" if write else "",
            maybe=tested or seldom,
        )  # fmt: skip


def _largest(machine: Machine, number: Number) -> affine.Affine | None:
    """The largest value that an index reaches in a loop over a range."""
    form = number.affine
    if form is None or len(form[0]) != 1 or form[0][0][1] != 1:
        return None
    steps = machine.ranges.get(form[0][0][0])
    if steps is None:
        return None
    start, stop, step = steps
    if step == affine.constant(-1) and start is not None:  # the first one
        return affine.add(start, affine.constant(form[1]))
    if step != affine.constant(1) or stop is None:
        return None
    return affine.add(stop, affine.constant(form[1] - 1))


def _text(size: Size) -> str:
    return str(size.constant) if size.constant is not None else "n"


def _taken(call: Call) -> None:
    """`jnp.take(table, indices, axis=0)`"""
    if call.name != "jax.numpy.take" or len(call.args) < 2 or call.engine.per_device:
        return
    array, axis = call.args[0].only, call.get(2, "axis")
    mode = call.keyword("mode")
    if not isinstance(array, Array) or array.shape is None or axis is None or mode is not None:
        return
    if axis.constant == 0 and array.shape:
        _check_part(call.engine, array.shape[0], call.args[1], 0, call.span, False)


# Derivatives and logarithms


def _scored(call: Call, out: Value) -> Value:
    """The losses of labels of which some are marked to be left out."""
    labels = call.get(1, "indices" if call.short == "take_along_axis" else "labels")
    known = elements_of(labels) if labels is not None else None
    if known is None or not is_ignored(known) or "where" in call.keywords:
        return out
    atom = labels.only if labels is not None else None
    places = () if atom is None or atom.origin is None else (atom.origin,)
    return with_elements(out, Elements(made=(IGNORED, known.made[1], call.origin, places)))


def _averaged(call: Call, args: tuple[Value, ...]) -> None:
    """A mean of losses, where those of the labels to be left out count like the others."""
    if call.short not in ("mean", "sum", "average") or not args:
        return
    known = elements_of(args[0])
    if known is None or not is_ignored(known) or len(known.made) < _LOSSES:
        return
    made = known.made
    if _MASKS.isdisjoint(call.keywords):
        places = tuple((*place, "the labels") for place in made[3])
        remark(call.engine, "ignored labels", call.span, str(made[1]), at=made[2], places=places)


_LOSSES = 4  # parts of what is known of losses; of labels there are fewer
_MASKS = frozenset(("where", "weights", "*", "**"))


def _is_fraction(value: Value) -> bool:
    number = value.constant
    return isinstance(number, float) and number < 1 and number != int(number)


def _derivative(
    machine: Machine, name: str, args: tuple[Value, ...], out: Value, span: Span
) -> Value:
    if not args:
        return out
    if not out.marks:
        return _of_data(out, args[0], f"`{name}`")
    known = elements_of(args[0])
    if name == "sqrt" and known is not None and known.made in ROOTED and not known.zeros:
        found = pole(machine, out, args[0], span, f"{_norm(machine, args[0])} `sqrt`")
        return _candidate(found, args[0], "`sqrt`", span, machine)
    if name in INFINITE_SLOPES:
        if name == "power" and not (len(args) > 1 and _is_fraction(args[1])):
            return out
        return _singular(machine, out, args[0], f"`{name}`", span)
    if name in ("norm", "std") and (name == "std" or len(args) == 1):
        itself = name == "norm" and known is not None and known.made == SELF
        how = "" if itself else f"{_norm(machine, args[0], name)} "
        found = pole(machine, out, args[0], span, f"{how}`{name}`")
        return _candidate(found, args[0], f"`{name}`", span, machine)
    if name in ("divide", "true_divide") and len(args) > 1:
        return _singular(machine, out, args[1], "`/`", span)
    if name == "where" and len(args) == 3:
        return _guarded(machine, args, out, span)
    return after_operation(machine, out, name, span)


def _singular(machine: Machine, out: Value, operand: Value, word: str, span: Span) -> Value:
    """Its derivative is infinite where the operand is zero: is it zero somewhere?"""
    if not flows_in(operand.marks):
        return _of_data(out, operand, word)
    known = elements_of(operand)
    if known is not None and known.clamped:
        points = INFINITE_SLOPES.get(word.strip("`"), (0,))
        if known.low in points or known.high in points:
            return pole(machine, out, operand, span, word)
    if word in _AT_ONE:
        return _candidate(out, operand, word, span, machine)
    if known is not None and (known.low > 0 or known.high < 0):
        return out
    if (known is not None and known.zeros) or _is_of_zeros(machine, operand):
        return pole(machine, out, operand, span, word)
    return _candidate(out, operand, word, span, machine)


def _of_data(out: Value, operand: Value, word: str) -> Value:
    """`log(x)`, `w / x` of data: infinite where they are zero, and so is the slope for a factor."""
    known, asked, atom = elements_of(operand), identity_of(operand), out.only
    if word not in _INFINITE or asked is None or not isinstance(atom, Array):
        return out
    if known is not None and (known.low > 0 or known.high < 0):
        return out
    if atom.elements is not None and atom.elements.made:
        return out
    how = "singular" if flows_in(out.marks) else INFINITE
    return with_elements(out, Elements(made=(how, frozenset((asked,)), word)))


def _with_infinite(operator: str, x: Value, y: Value, out: Value) -> Value:
    """Sums and products of what is infinite somewhere: a factor that trains has such a slope."""
    pairs = ((x, y), (y, x)) if operator in ("Add", "Sub", "Mult") else ()
    current = elements_of(out)
    for one, other in pairs if current is None or not current.made else ():
        known = elements_of(one)
        made = known.made if known is not None else ""
        if isinstance(made, tuple) and made[0] == INFINITE:
            is_slope = operator == "Mult" and flows_in(other.marks)
            return with_elements(
                out, Elements(made=("undefined" if is_slope else INFINITE, *made[1:]))
            )
    return out


def _is_of_zeros(machine: Machine, operand: Value) -> bool:
    """An array that starts as zeros, as parameters may.

    Where it is that or something computed, as after `cond`, it need not be zero when this runs.
    """
    atoms = operand.atoms if not operand.unknown else ()
    zeros = [atom for atom in atoms if isinstance(atom, Array) and atom.origin in machine.zeros]
    return bool(zeros) and len(zeros) == len(atoms)


_KEEPS_ZEROS = frozenset(("sum", "square", "abs", "ravel", "reshape", "transpose", "multiply"))


def _stays_zero(machine: Machine, operands: tuple[Value, ...], out: Value) -> None:
    """What is multiplied with zeros is zero, and so are their squares and their sum."""
    atom = out.only
    if not isinstance(atom, Array) or atom.origin is None:
        return
    if any(_is_of_zeros(machine, each) or _is_zero_product(machine, each) for each in operands):
        machine.zero_products.add(atom.origin)


def _is_zero_product(machine: Machine, value: Value) -> bool:
    return getattr(value.only, "origin", None) in machine.zero_products


def _norm(machine: Machine, operand: Value, name: str = "sqrt") -> str:
    """Is it zero at the start, or where two values are equal; or only where a vector is zero?"""
    if _is_of_zeros(machine, operand) or _is_zero_product(machine, operand):
        return "zero norm"
    known = elements_of(operand)
    equal = known is not None and known.made in (DIFFERENCE, SQUARED_DIFFERENCES)
    return "equal norm" if equal or name == "std" else "norm"


def _candidate(out: Value, operand: Value, word: str, span: Span, machine: Machine) -> Value:
    """Remembers the operand: a test of it says that it is zero somewhere."""
    asked = identity_of(operand)
    if asked is None or not flows_in(operand.marks):
        return out
    atom = out.only
    if not isinstance(atom, Array):
        return out
    known = elements_of(operand)
    made_of = known.made[1] if known is not None and known.made[:1] == ("of",) else None
    itself = atom.origin if word in _ZERO_AT_ZERO else None
    names = frozenset(name for name in (asked, made_of, itself) if name is not None)
    made = ("singular", names, word)
    return with_elements(out, replace(atom.elements or Elements(), made=made))


def _guarded(machine: Machine, args: tuple[Value, ...], out: Value, span: Span) -> Value:
    """`where(x > 0, sqrt(x), 0)`: the branch that is not taken still has its derivative."""
    test = elements_of(args[0])
    if test is None or not isinstance(test.made, tuple) or test.made[0] != "compared":
        return out
    for branch in args[1:]:
        known = elements_of(branch)
        made = known.made if known is not None else None
        if not isinstance(made, tuple) or made[0] not in ("singular", "undefined"):
            continue
        _, asked, at = test.made
        if not asked.isdisjoint(made[1]) and at == (made[2] in _AT_ONE):
            out = _hidden(machine, out, branch, span, f"guarded {made[2]}")
    return out


def _hidden(machine: Machine, out: Value, branch: Value, span: Span, word: str) -> Value:
    """The pole of a branch, such as that of a norm, is reached for certain: a test says so."""
    flows = flows_in(branch.marks)
    known = {mark for mark in flows if (end := last_step(mark)) is not None and end[0] == POLE}
    step = (POLE, machine.origin(span), word)
    again = {(*mark[:2], (*mark[2][:-1], step)) for mark in known}
    marks = out.marks | again | after_step(flows - known, step)
    return Value(out.atoms, out.unknown, marks, out.choice)


def after_compare(
    machine: Machine, operator: str, x: Value, y: Value, out: Value, span: Span
) -> Value:
    """A comparison has no derivative; with zero, it says that the other side is zero somewhere."""
    if not machine.differentiated:
        return out
    if out.marks:
        out = after_operation(machine, out, operator, span)
    for value, bound in ((x, y), (y, x)):
        number = bound.constant
        if not isinstance(number, (int, float)):
            continue
        at = 0 if abs(number) <= _SMALL else 1 if 1 - _MARGIN <= abs(number) <= 1 else None
        known = elements_of(value)
        made = known.made if known is not None else None
        below = made[1] if isinstance(made, tuple) and made[0] == "of" else None
        asked = frozenset(each for each in (identity_of(value), below) if each is not None)
        if at is not None and asked:
            return with_elements(out, Elements(made=("compared", asked, at)))
    return out
