"""Transforms of JAX, and of libraries that follow them: jit, grad, vmap, remat, custom rules."""

from __future__ import annotations

import math
from dataclasses import replace

from gotcha_lint.domain.derivative import flow
from gotcha_lint.domain.freshness import aged, marked_deep, without_deep
from gotcha_lint.domain.sites import Site
from gotcha_lint.domain.tracers import as_tracer, without_tracers
from gotcha_lint.domain.value import (
    BOTTOM,
    NO_MARKS,
    NONE,
    UNKNOWN,
    Array,
    Atom,
    Constant,
    Library,
    Method,
    Number,
    Object,
    Sequence,
    Size,
    Tuple,
    Value,
    join,
    only,
)
from gotcha_lint.facts.ahead import COMPILER_OPTIONS, DUMP, LOOKS
from gotcha_lint.interpret.arrays import lead, on_device, strip, weaken
from gotcha_lint.interpret.call import Call, Model, alias, methods, model
from gotcha_lint.interpret.compiled import Inner, call_compiled, inlined, of_outsider, static_names
from gotcha_lint.interpret.contexts import CONCRETE
from gotcha_lint.interpret.effects import note, note_update
from gotcha_lint.interpret.events import Guard
from gotcha_lint.interpret.faults.derivatives import (
    check_loss,
    check_positions,
    check_result,
    check_rules,
    check_unread,
)
from gotcha_lint.interpret.faults.frozen import forget_frozen
from gotcha_lint.interpret.faults.jitted import REBUILDING, check_jit, check_stores
from gotcha_lint.interpret.faults.leaks import check_cached, check_gradient_store
from gotcha_lint.interpret.faults.losses import check_gradient, whole_leaf
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.heap import contents, mapping_of
from gotcha_lint.interpret.host import on_host, read
from gotcha_lint.interpret.keys import again, forget
from gotcha_lint.interpret.layers.linen import are_variables
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.models.compile_caches import cleared
from gotcha_lint.interpret.models.example_gradients import leave_program, mark_examples
from gotcha_lint.interpret.models.mapped_trees import (
    check_axes,
    check_sizes,
    leading_size,
    map_trees,
)
from gotcha_lint.interpret.replicated import as_gradient, is_checked
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.executables import LEFT, RUN, fate

WORDS = {
    "jax.jit": "jit",
    "flax.nnx.jit": "jit",
    "jax.pmap": "pmap",
    "jax.grad": "grad",
    "jax.value_and_grad": "value_and_grad",
    "jax.vmap": "vmap",
    "jax.checkpoint": "checkpoint",
    "jax.custom_jvp": "custom_jvp",
    "jax.custom_vjp": "custom_vjp",
    "jax.jacfwd": "jacfwd",
    "jax.jacrev": "jacrev",
    "jax.hessian": "hessian",
    "jax.linearize": "linearize",
    "jax.shard_map": "shard_map",
    "jax.experimental.checkify.checkify": "checkify",
}
alias(
    {
        "jax.experimental.pjit.pjit": "jax.jit",
        "jax.pjit": "jax.jit",
        "jax.api.jit": "jax.jit",
        "flax.nnx.pmap": "jax.pmap",
        "jax.experimental.maps.xmap": "jax.pmap",
        "flax.linen.jit": "jax.jit",
        "equinox.filter_pmap": "jax.pmap",
        "flax.nnx.vmap": "jax.vmap",
        "equinox.filter_vmap": "jax.vmap",
        "jax.remat": "jax.checkpoint",
        "jax.ad_checkpoint.checkpoint": "jax.checkpoint",
        "flax.nnx.remat": "jax.checkpoint",
        "haiku.remat": "jax.checkpoint",
        "haiku.vmap": "jax.vmap",
        "haiku.grad": "jax.grad",
        "haiku.value_and_grad": "jax.value_and_grad",
        "flax.linen.checkpoint": "flax.linen.remat",
        "equinox.filter_checkpoint": "jax.checkpoint",
        "jax.experimental.shard_map.shard_map": "jax.shard_map",
        "jax.jacobian": "jax.jacrev",
    }
)
COMPILING = ("jit", "pmap")
_FILTERING = {  # they leave out by themselves what is no array, or has no gradient
    "equinox.filter_jit": "jit",
    "flax.nnx.grad": "grad",
    "flax.nnx.value_and_grad": "value_and_grad",
    "equinox.filter_grad": "grad",
    "equinox.filter_value_and_grad": "value_and_grad",
}


def _transform(word: str, name: str) -> Model:
    def make(call: Call) -> Value:
        machine = call.engine
        args = list(call.args)
        keywords = dict(call.keywords)
        if not args:
            function = next((keywords.pop(k) for k in ("fun", "f", "func") if k in keywords), None)
            if function is None:
                site = machine.allocate("transform", call.span, "partial")
                site.info.update(
                    word="partial", inner=only(Library(name)), args=(), keywords=keywords
                )
                return only(Object(site, call.origin))
            args = [function]
        site = machine.allocate("transform", call.span, word)
        inner = _without(args[0], site)
        site.info.update(word=word, inner=inner, args=tuple(args[1:]), keywords=keywords)
        site.info["library"] = name
        site.info["rewraps"] = inner is not args[0]
        site.info["filters"] = name in _FILTERING
        site.info["spread"] = machine.path_is_spread(call.span)
        if word in ("grad", "value_and_grad"):
            check_result(call, site)
            check_unread(call, site)
        site.info["open"] = call.origin in machine.open
        if word in COMPILING:
            check_jit(machine, site, call.span)
        if word in REBUILDING:
            static, _ = static_names(machine, site, Inner(machine, inner))
            check_stores(machine, inner, word, static, name)
        return only(Object(site, call.origin))

    return make


_OF_FUNCTION = _transform("checkpoint", "flax.linen.remat")


@model("flax.linen.remat")
def linen_remat(call: Call) -> Value:
    """Of a method. The class that is made of a class is not followed."""
    atom = call.args[0].only if call.args else None
    if isinstance(atom, Object) and atom.site.kind == "class":
        return Value((), True, call.marks)
    return _OF_FUNCTION(call)


for _name, _word in (WORDS | _FILTERING).items():
    model(_name)(_transform(_word, _name))


def _without(inner: Value, site: Site) -> Value:
    """What a transform is of: in `f = jax.vmap(f)`, again and again, the `f` of the first turn."""
    atoms = [atom for atom in inner.atoms if not _leads_to(atom, site)]
    if len(atoms) == len(inner.atoms):
        return inner
    old = site.info.get("inner")
    if not atoms and isinstance(old, Value):
        return old
    return Value(atoms, inner.unknown or not atoms, inner.marks, inner.choice)


def _leads_to(atom: Atom, site: Site) -> bool:
    """Is the transform made of this one, at any depth?"""
    if not isinstance(atom, Object) or atom.site.kind != "transform":
        return False
    inner = atom.site.info.get("inner")
    below = inner.atoms if isinstance(inner, Value) else ()
    return atom.site is site or any(_leads_to(each, site) for each in below)


@methods("transform()")
def call_transform(call: Call) -> Value:
    """Calls what a transform made."""
    assert isinstance(call.on, Object)
    site = call.on.site
    info = site.info
    word: str = info["word"]
    inner: Value = info["inner"]
    machine = call.engine
    if word == "partial":
        return machine.call(
            inner, (*info["args"], *call.args), {**info["keywords"], **call.keywords}, call.span
        )
    if word in COMPILING:
        if machine.traced:
            return inlined(call, site)
        return leave_program(call_compiled(call, site))
    if word == "cache":
        return _call_cached(call, inner)
    if word in ("grad", "value_and_grad", "vmap"):
        around, machine.transform = machine.transform, machine.transform or word
        try:
            return _call_vmap(call, inner) if word == "vmap" else _call_grad(call, word, inner)
        finally:
            machine.transform = around
    if word in ("custom_jvp", "custom_vjp"):  # their derivative is written apart
        around, machine.differentiated = machine.differentiated, 0
        try:
            return machine.call_traced(inner, call.args, call.span, call.keywords)
        finally:
            machine.differentiated = around
    if word in ("jacfwd", "jacrev", "hessian"):
        _check_jacobian(call)
    around = machine.replicating
    if word == "shard_map":
        machine.replicating = int(is_checked(site))
    machine.per_device += word == "shard_map"
    args, keywords = call.args, call.keywords
    if word == "shard_map":
        more, named = of_outsider(site, Inner(machine, inner), len(args), {*keywords})
        args, keywords = (*map(as_tracer, args), *more), keywords | named
    try:
        out = machine.call_traced(inner, args, call.span, keywords)
    finally:
        machine.per_device -= word == "shard_map"
        machine.replicating = around
    if word == "checkify":
        return only(Tuple((UNKNOWN, out)))
    if word == "shard_map":
        return _of_shards(out if machine.traced else on_device(without_tracers(out)), 0)
    return out if word == "checkpoint" else UNKNOWN


def _of_shards(value: Value, depth: int) -> Value:
    """What the devices gave, as one: arrays of as many axes. Of other things nothing is known."""
    atoms: list[Atom] = []
    for atom in value.atoms:
        if isinstance(atom, Array):
            axes = None if atom.shape is None else tuple(Size() for _ in atom.shape)
            atoms.append(replace(atom, shape=axes, elements=None))
        elif isinstance(atom, Tuple) and depth < _SHARDED:
            items = tuple(_of_shards(item, depth + 1) for item in atom.items)
            atoms.append(replace(atom, items=items))
    return Value(atoms, value.unknown or len(atoms) < len(value.atoms), value.marks, value.choice)


def _call_cached(call: Call, inner: Value) -> Value:
    """A memoised function runs once for each argument, whatever loop calls it: what it makes is
    kept.
    """
    machine = call.engine
    around, machine.current = machine.current, NO_MARKS
    machine.guarded += 1
    assert isinstance(call.on, Object)
    try:
        out = machine.call(inner, call.args, call.keywords, call.span)
        check_cached(machine, call.on.site, out, call.span)
        return out
    finally:
        machine.guarded -= 1
        machine.current = around


def _option(call: Call, index: int, name: str) -> Value | None:
    """An option of the transform itself, given when it was made."""
    assert isinstance(call.on, Object)
    info = call.on.site.info
    given = info["args"]
    return given[index] if index < len(given) else info["keywords"].get(name)


def _is_number(value: Value) -> bool:
    """A Python number, or an array of one."""
    atom = value.only
    return isinstance(atom, (Constant, Number)) or (isinstance(atom, Array) and atom.shape == ())


def _is_seldom(machine: Machine, guard: Guard) -> bool:
    """Under `i == 3`, or under `i % 20 == 0` in a loop of a hundred iterations."""
    loops = machine.activation.loops_met
    turns = [loops.turns(loop) or Size() for loop in guard.marks & machine.current]
    return bool(guard.share) and any(t.high <= _SHOWN * guard.share for t in turns)


_SHOWN = 5  # iterations that show how far a demo is
# What mapping starts by itself, and more for each operation: of `jax.vmap(lambda x: x + 1)(x)` 0.25
# ms were measured, of four operations 0.59 ms, and of each without `vmap` 0.01 ms.
_OF_VMAP = 4
_MORE_UNDER_VMAP = 3


def _compiled_name(machine: Machine, callee: Value) -> str:
    """As a text, where the callable is what `jax.jit` made of a function; "" for all others."""
    atom = callee.only
    if not isinstance(atom, Object) or atom.site.info.get("word") not in COMPILING:
        return ""
    function = Inner(machine, callee).function
    return f"`{function.name}`" if function is not None and function.name.isidentifier() else "loss"


def _call_grad(call: Call, word: str, inner: Value) -> Value:
    """Outside of jit, a gradient runs operation by operation; its trace still needs tracers."""
    machine = call.engine
    if not all(map(_is_number, call.args)):
        seldom = any(_is_seldom(machine, guard) for guard in machine.guards)
        name = _compiled_name(machine, inner)  # else it is the slope at a number
        note_update(machine, "gradient", call.span, seldom, name)
    which = _option(call, 0, "argnums")
    check_positions(call, which)
    content = contents(machine, which) if which is not None else None
    before = machine.dispatches
    out = _loss_of(call, inner, which, content)
    machine.dispatch(machine.dispatches - before)  # each operation has its derivative
    if isinstance(content, Tuple):
        gradient = only(Tuple(tuple(_gradient(call, value.constant) for value in content.items)))
    else:
        gradient = _gradient(call, 0 if which is None else which.constant)
    has_aux = _option(call, 1, "has_aux")
    check_loss(call, out, has_aux)
    if word == "value_and_grad":
        return only(Tuple((on_device(out), gradient)))
    if has_aux is not None and has_aux.constant:
        pair = contents(machine, out)
        if isinstance(pair, Tuple) and len(pair.items) == 2:
            return only(Tuple((gradient, pair.items[1])))
        return only(Tuple((gradient, UNKNOWN)))
    return gradient


def _loss_of(
    call: Call, inner: Value, which: Value | None, content: Tuple | Sequence | None
) -> Value:
    """Runs the function, and looks at how its result follows from what is differentiated."""
    machine, args = call.engine, list(call.args)  # the others stay Python values
    positions = _positions(call, which, content)
    for position in positions:
        _check_whole(call, position)
        origin = (machine.path, call.span, position)
        args[position] = marked_deep(weaken(args[position]), frozenset((flow(origin),)))
    machine.differentiated += 1
    try:
        out = machine.call(inner, tuple(args), call.keywords, call.span)
    finally:
        machine.differentiated -= 1
    has_aux = _option(call, 1, "has_aux")
    pair = contents(machine, out)
    if has_aux is not None and isinstance(pair, Tuple) and len(pair.items) == 2:
        loss = pair.items[0]
    else:
        loss = out if has_aux is None or has_aux.constant is False else UNKNOWN
    known = Inner(machine, inner)
    for position in positions:
        check_gradient_store(machine, known.function, position + known.bound)
        check_gradient(
            machine, loss, (machine.path, call.span, position), known.function, known.parameters
        )
    return out


def _positions(call: Call, which: Value | None, content: Tuple | Sequence | None) -> list[int]:
    """Of the arguments that are differentiated."""
    count = len(call.args)
    chosen = (which,) if content is None else content.items if isinstance(content, Tuple) else ()
    numbers = [0 if value is None else value.constant for value in chosen]
    return [n % count for n in numbers if type(n) is int and -count <= n < count]


def _check_jacobian(call: Call) -> None:
    """Jacobians and second derivatives refuse whole numbers, as gradients do."""
    which = _option(call, 0, "argnums")
    content = contents(call.engine, which) if which is not None else None
    for position in _positions(call, which, content):
        _check_whole(call, position)


def _check_whole(call: Call, position: int) -> None:
    """Whole numbers have no gradient: JAX refuses them, unless `allow_int` is given."""
    assert isinstance(call.on, Object)
    given = call.on.site.info["keywords"]
    if "allow_int" in given or call.on.site.info["filters"]:
        return
    found = whole_leaf(call.engine, call.args[position], "")
    if found is not None:
        leaf, made = found
        told = (call.on.site.origin, "the argument is chosen here"), (made, "the integers")
        places = tuple((*at, text) for at, text in told if at is not None)
        remark(call.engine, "gradient of integers", call.span, leaf, places=places)


def _gradient(call: Call, index: object) -> Value:
    """The gradient has the tree and the types of the argument."""
    if isinstance(index, int) and index < len(call.args):
        return as_gradient(call, call.args[index], on_device(call.args[index]))
    return UNKNOWN


def _needed(machine: Machine, inner: Value) -> float:
    """How many positional arguments a function needs at least."""
    found = Inner(machine, inner)
    if found.function is None:
        return math.inf
    own = [p for p in found.function.parameters if p.kind == "pos" and p.name not in found.names]
    return sum(not p.has_default for p in own[found.bound :])


def _call_vmap(call: Call, inner: Value) -> Value:
    assert isinstance(call.on, Object)
    machine = call.engine
    axes = _option(call, 0, "in_axes")
    content = contents(machine, axes) if axes is not None else None
    mapped: list[Value] = []
    mark = frozenset((("mapped", call.origin),))  # has no value while it is mapped
    taken = NO_MARKS if machine.traced else mark
    size: Size | None = None
    plain = not call.on.site.info["filters"]  # of JAX itself
    if plain:
        check_axes(call, axes, _needed(machine, inner))
    over: list[int | None] = []
    shared: set[int] = set()

    def one_of_many(leaf: Value) -> Value:
        return marked_deep(strip(leaf), taken)

    for index, value in enumerate(call.args):
        if isinstance(content, Tuple) and index < len(content.items):
            chosen = content.items[index]
        else:
            chosen = axes if axes is not None and content is None else None
        atom = chosen.only if chosen is not None else None
        axis = atom.value if isinstance(atom, Constant) else 0
        is_sure = isinstance(atom, Constant) or axes is None
        over.append(axis if is_sure and isinstance(axis, int) else None)
        if axis is None:
            shared.add(index)
            mapped.append(value)
            continue
        size = size or leading_size(machine, value)
        if axis == 0:
            mapped.append(map_trees(machine, value, one_of_many, call.span, "one"))
        else:
            mapped.append(marked_deep(Value((), True, value.marks), taken))
    if plain:
        check_sizes(call, tuple(over))
    start, before = len(machine.events), machine.dispatches
    result = machine.call(inner, mapped, call.keywords, call.span)
    machine.dispatch(_OF_VMAP + _MORE_UNDER_VMAP * (machine.dispatches - before))
    again(
        machine, start, "vmap", call.span,
        lambda: machine.call(inner, mapped, call.keywords, call.span),
    )  # fmt: skip
    many = size or Size()

    def many_of_one(leaf: Value) -> Value:
        return without_deep(lead(leaf, many), mark)

    out = map_trees(machine, result, many_of_one, call.span, "stacked")
    return mark_examples(call, inner, shared, out)


@methods("transform")
def transform_method(call: Call) -> Value:
    """`jitted.lower(...).compile()`; the compiled object is called as the jitted one is."""
    if call.short == "lower":
        return only(Library("#lowered", call.origin)) if call.on is None else _lowered(call)
    if call.short == "clear_cache":
        return cleared(call)
    if call.short == "defvjp" and isinstance(call.on, Object):
        check_rules(call)
        return NONE
    if call.short in ("__wrapped__", "fun", "func"):
        assert isinstance(call.on, Object)
        return call.on.site.info["inner"]
    return UNKNOWN


def _lowered(call: Call) -> Value:
    """Lowering traces and draws nothing; the result keeps the function."""
    assert isinstance(call.on, Object)
    machine = call.engine
    inner = call.on.site.info["inner"]
    start = len(machine.events)
    machine.call_traced(inner, tuple(map(weaken, call.args)), call.span, call.keywords)
    forget(machine, start)
    site = machine.allocate("object", call.span, "lowered")
    static, _ = static_names(machine, call.on.site, Inner(machine, inner))
    given = frozenset((*range(len(call.args)), *(call.keywords.keys() - static)))
    site.info.update(name="lowered", inner=inner, of=call.on.site, given=given)
    return only(Object(site, call.origin))


@methods("object:lowered")
def lowered_method(call: Call) -> Value:
    if call.short != "compile":
        return UNKNOWN
    assert isinstance(call.on, Object)
    _note_ahead(call, call.on.site)
    site = call.engine.allocate("object", call.span, "compiled")
    site.info.update(name="compiled", inner=call.on.site.info["inner"])
    return only(Object(site, call.origin))


_SHARDED = 3  # tuples in tuples
AHEAD, WITH_OPTIONS = "ahead", "with options"


def _note_ahead(call: Call, lowered: Site) -> None:
    """The executable is not called: the function may be, and use what was compiled or not."""
    machine, jitted = call.engine, lowered.info["of"]
    function = machine.activation.function
    module = machine.modules.get(machine.path)
    if machine.traced or module is None or jitted.info.get("filters"):
        return
    end = fate(module, function, call.span, LOOKS)
    options = call.get(COMPILER_OPTIONS, "compiler_options")
    what = WITH_OPTIONS if end == LEFT and options is not None and _chooses(call, options) else ""
    if end != RUN:
        note(machine, AHEAD, what, call.span, owner=jitted, arguments=lowered.info["given"])


def _chooses(call: Call, options: Value) -> bool:
    """Options are written out, none of them for the sake of its files."""
    atom = options.only
    found = None if atom is None else mapping_of(call.engine, atom)
    keys = () if found is None or found.rest is not None else found.keys
    return bool(keys) and not any(DUMP in str(key) for key in keys)


@methods("object()")
def call_object(call: Call) -> Value:
    """A compiled executable takes one signature alone, so it never compiles again."""
    assert isinstance(call.on, Object)
    inner = call.on.site.info.get("inner")
    if inner is None:
        return Value((), True, call.marks)
    out = call.engine.call_traced(inner, tuple(map(weaken, call.args)), call.span, call.keywords)
    return on_device(out)


@model("functools.partial", "jax.tree_util.Partial", "functools.partialmethod")
def partial(call: Call) -> Value:
    if not call.args:
        return UNKNOWN
    site = call.engine.allocate("transform", call.span, "partial")
    site.info.update(
        word="partial", inner=call.args[0], args=call.args[1:], keywords=dict(call.keywords)
    )
    site.info["library"] = call.name
    return only(Object(site, call.origin))


@model("functools.cache", "functools.lru_cache", "cachetools.cached", "cachetools.func.lru_cache")
def cache(call: Call) -> Value:
    """`@cache`, `@lru_cache`, `@lru_cache(maxsize=...)`."""
    function = call.args[0].only if call.args else None
    if function is None or isinstance(function, Constant):
        site = call.engine.allocate("transform", call.span, "partial")
        inner = only(Library("functools.cache"))
        site.info.update(word="partial", inner=inner, args=(), keywords={})
        return only(Object(site, call.origin))
    site = call.engine.allocate("transform", call.span, "cache")
    site.info.update(word="cache", inner=call.args[0], args=(), keywords={})
    return only(Object(site, call.origin))


@model("functools.wraps")
def wraps(call: Call) -> Value:
    return only(Library("identity"))


@model(
    "jaxtyping.jaxtyped",
    "beartype.beartype",
    "typeguard.typechecked",
    "jax.profiler.annotate_function",
    "jax.named_scope",
    "jax.custom_batching.custom_vmap",
    "jax.custom_batching.sequential_vmap",
    "chex.assert_max_traces",
    "chex.chexify",
    "jax.sharding.auto_axes",
    "jax.sharding.explicit_axes",
)
def checked(call: Call) -> Value:
    """A decorator that checks or names the calls of a function, and calls it."""
    given = call.args[0] if call.args else None
    is_function = given is not None and isinstance(given.only, (Object, Method))
    return given if given is not None and is_function else only(Library("identity"))


@model(
    "identity",
    "jax.lax.stop_gradient",
    "jax.named_call",
    "flax.linen.compact",
    "flax.linen.nowrap",
    "typing.cast",
    "typing.no_type_check",
    "typing.overload",
    "typing.override",
)
def identity(call: Call) -> Value:
    if call.name == "typing.cast":
        return call.argument(1, "val")
    return call.argument(0, "x")


@model("abc.abstractmethod")
def abstract(call: Call) -> Value:
    """Unknown: what a subclass will do, where the method here does nothing."""
    given = call.argument(0, "funcobj")
    atom = given.only
    function = atom.site.info.get("function") if isinstance(atom, Object) else None
    steps = () if function is None else steps_of(function)
    return UNKNOWN if function and {step[0] for step in steps} <= _NOTHING else given


_NOTHING = {"const", "return", "expr"}


@model("jax.ensure_compile_time_eval", "jax.disable_jit")
def concrete(call: Call) -> Value:
    """A context in which arrays have their values."""
    return only(Library(CONCRETE, call.origin))


@model("jax.device_get", "jax.experimental.multihost_utils.process_allgather")
def device_get(call: Call) -> Value:
    """Waits for all arrays of a tree, and copies them to the host."""
    value = call.argument(0, "x")
    seen = read(call.engine, (value,), call.span, call.short)
    return on_host(call.engine, value, seen, call.span)


@model("jax.block_until_ready")
def block_until_ready(call: Call) -> Value:
    value = call.argument(0, "x")
    read(call.engine, (value,), call.span, "block_until_ready")
    return aged(value, call.engine.aged)


@model("jax.vjp", "jax.jvp", "jax.linear_transpose", "jax.eval_shape", "jax.make_jaxpr")
def traces_now(call: Call) -> Value:
    """Transforms that call the function at once."""
    machine = call.engine
    function = call.argument(0, "fun")
    if call.short == "make_jaxpr":
        return UNKNOWN
    if call.short == "jvp":
        content = contents(machine, call.argument(1, "primals"))
        args = content.items if isinstance(content, Tuple) else ()
        out = machine.call(function, tuple(map(weaken, args)), {}, call.span)
        return only(Tuple((out, out)))
    args = tuple(map(weaken, call.args[1:]))
    keywords = {name: value for name, value in call.keywords.items() if name != "has_aux"}
    start = len(machine.events)
    machine.lenient += call.short == "vjp"  # arrays keep their values there
    try:
        out = machine.call_traced(function, args, call.span, keywords)
    finally:
        machine.lenient -= call.short == "vjp"
    if call.short == "eval_shape":
        forget(machine, start)
        forget_frozen(machine, start)
        if are_variables(machine, out):  # their shapes
            return Value((), True, out.marks)
    return only(Tuple((on_device(out), UNKNOWN))) if call.short == "vjp" else out


@model("jax.pure_callback", "jax.debug.callback", "jax.experimental.io_callback", "jax.debug.print")
def callback(call: Call) -> Value:
    """Runs on the host: not traced."""
    machine = call.engine
    traced, machine.traced = machine.traced, 0
    machine.callback += 1
    try:
        if call.short != "print" and call.args:
            machine.call(call.args[0], [UNKNOWN] * max(len(call.args) - 1, 0), {}, call.span)
    finally:
        machine.traced = traced
        machine.callback -= 1
    out = BOTTOM
    return join(out, UNKNOWN)
