"""Are the shapes of what is put into a tree looked at, here or by who calls?"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import FileModel, Function
from gotcha_lint.analysis.sites import Body, Call, Discard
from gotcha_lint.analysis.syntax import (
    children,
    dotted,
    last_word,
    literal,
    names_in,
    target_names,
    walk,
)
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.paths import is_test
from gotcha_lint.rule import Example, Report, Rule

# Function -> where the target stands among its arguments.
_RESTORES = {
    "flax.serialization.from_bytes": (0, "target"),
    "flax.serialization.from_state_dict": (0, "target"),
    "flax.nnx.replace_by_pure_dict": (0, "state"),
    "flax.training.checkpoints.restore_checkpoint": (1, "target"),
    "orbax.checkpoint.PyTreeCheckpointer.restore": (1, "item"),
}

# Those that are given a dict -> where it stands.
_GIVEN = {
    "flax.serialization.from_state_dict": (1, "state"),
    "flax.nnx.replace_by_pure_dict": (1, "pure_dict"),
}
_IN_PLACE = frozenset({"flax.nnx.replace_by_pure_dict"})


class CheckpointShapesUnchecked(Rule):
    """Loads parameters into a model without looking at their shapes.

    ## What happens
    The stored shapes win silently, and the stored dtypes too: a checkpoint of a model with other
    sizes loads without an error, and layers that the target lacks are dropped. The program runs
    with another model than it was written for, or fails far away with a shape error.
    `flax.serialization.from_bytes` and `PyTreeCheckpointer.restore(item=...)` both do this;
    `StandardCheckpointer` compares and raises.

    ## Instead
    Compare the restored tree with the target, or restore with `StandardCheckpointer` and an
    abstract target made by `jax.eval_shape`. Keep the model's settings with its weights.

    ## Not reported
    Dicts that were made of the same tree, `from_state_dict(tree, change(to_state_dict(tree)))`, a
    target that is one number, and loads behind a check that this function or its callers call.

    ## References
    https://github.com/google/flax/issues/2436
    """

    severity = "warning"
    preview = True
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                from flax.serialization import from_bytes, to_bytes


                def load(target, data):
                    return from_bytes(target, data)  # ! checkpoint-shapes-unchecked


                saved = to_bytes({"w": jnp.ones((4, 2))})
                try:
                    params = load({"w": jnp.zeros((4, 8))}, saved)
                except ValueError:
                    params = None
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax.serialization import from_bytes, to_bytes


                def load(target, data):
                    loaded = from_bytes(target, data)
                    if jax.tree.map(jnp.shape, loaded) != jax.tree.map(jnp.shape, target):
                        raise ValueError("the checkpoint is of a model of another size")
                    return loaded


                saved = to_bytes({"w": jnp.ones((4, 2))})
                try:
                    params = load({"w": jnp.zeros((4, 8))}, saved)
                except ValueError:
                    params = None
            """,
            shows="params is not None",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        calls = [call for call in site.of(Call) if call.name in _RESTORES and _has_target(call)]
        calls = [call for call in calls if not _is_in_memory(site, call)]
        if not calls or _looks_at_shapes(site) or is_test(site.model.path) or _is_handler(site):
            return
        thrown = {id(discard.node) for discard in site.of(Discard)}
        for call in calls:
            kept = call.name in _IN_PLACE or id(call.node) not in thrown
            if kept and "restore_args" not in call.kwargs:
                word = call.name.rpartition(".")[2]
                yield Report(
                    call.node,
                    f"`{word}` takes whatever shapes are stored: a checkpoint of another model "
                    "loads silently; "
                    "compare the shapes with the target's",
                )


def _has_target(call: Call) -> bool:
    position, name = _RESTORES[call.name]
    if "name" in call.kwargs:  # a part of a tree, in the handler of a class of its own
        return False
    target = call.arg(position, name)
    return target is not None and target.kind not in (Kind.NONE, Kind.CLASS)


def _is_in_memory(body: Body, call: Call) -> bool:
    """What is given was computed from the target itself, or the target is a mere count."""
    target = call.arg_node(*_RESTORES[call.name])
    given = call.arg_node(*_GIVEN[call.name]) if call.name in _GIVEN else None
    if target is None or given is None:
        return _is_number(body, target)
    return body.only_traced or _goes_back(body, target, given)


def _is_handler(body: Body) -> bool:
    """How a class of its own is restored: its caller has the whole checkpoint."""
    return "from_state_dict" in body.function.name


def _looks_at_shapes(body: Body) -> bool:
    """The function mentions shapes or a check of structures, or it is kept by a check."""
    if _mentions_shapes(body.function) or _calls_a_check(body.model, body.function):
        return True
    callers = [site for site in body.usage.callers.get(body.id, ()) if not is_test(site[0])]
    return bool(callers) and all(
        path == body.model.path and _calls_a_check(body.model, body.model.functions[number])
        for path, number in callers
    )


def _calls_a_check(model: FileModel, function: Function) -> bool:
    """`raise_on_mismatch(target, restored)`"""
    return any(
        _only_raises(called) and any(map(_mentions_shapes, (called, *_called_by(model, called))))
        for called in _called_by(model, function)
    )


def _called_by(model: FileModel, function: Function) -> Iterator[Function]:
    """The functions of the file's own that it calls by their names."""
    names = {
        node.func.value
        for node in walk(function.node)
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name)
    }
    return (one for one in model.functions[1:] if one.cls is None and one.name in names)


def _only_raises(function: Function) -> bool:
    """It gives nothing back: what it is called for is to stop the program."""
    nodes = list(walk(function.node, into_functions=False))
    gives = any(isinstance(node, cst.Return) and node.value is not None for node in nodes)
    return not gives and any(isinstance(node, cst.Raise | cst.Assert) for node in nodes)


def _mentions_shapes(function: Function) -> bool:
    words = (node.value for node in walk(function.node) if isinstance(node, cst.Name))
    return any("shape" in word or "assert_trees" in word for word in words)


_CONVERSIONS = frozenset({"to_state_dict", "to_pure_dict"})
_LOADING = ("restore", "load", "read", "open", "from_bytes", "fetch")
_NUMBERS = frozenset({"asarray", "array", "int", "float", "int32", "float32"})


def _goes_back(body: Body, target: cst.BaseExpression, given: cst.BaseExpression) -> bool:
    """`from_state_dict(tree, change(to_state_dict(tree)))`: nothing in it was stored anywhere."""
    params = {param.name for param in body.function.params}
    assigned = list(_assigned(body.function.node))
    tree, waiting, seen, own = dotted(target), [given], set[str](), False
    while waiting:
        nodes = list(_outside_conversions(waiting.pop()))
        if any(map(_loads, nodes)):
            return False
        own = own or any(_converted(node) == tree for node in nodes)
        names = {node.value for node in nodes if isinstance(node, cst.Name)} - seen
        seen |= names
        waiting += [value for name, value in assigned if name in names]
        if not names.isdisjoint(params):
            return False
    return own


def _is_number(body: Body, target: cst.BaseExpression | None) -> bool:
    """A count, `jnp.asarray(0)`, by itself or under a name: it has no shape to be wrong."""
    if not isinstance(target, cst.Name):
        return _live_is_number(target)
    found = [value for name, value in _assigned(body.function.node) if name == target.value]
    return bool(found) and _live_is_number(found[0])


def _live_is_number(node: cst.CSTNode | None) -> bool:
    match node:
        case cst.Call(func=func, args=[arg]) if last_word(func) in _NUMBERS:
            return _live_is_number(arg.value)
    return isinstance(literal(node), int | float)


def _assigned(function: cst.CSTNode) -> Iterator[tuple[str, cst.BaseExpression]]:
    """Each name with what is put into it: by an assignment, a loop, an item, an `update`."""
    for node in walk(function, into_functions=False):
        match node:
            case cst.Assign(targets=targets, value=value):
                yield from ((name, value) for t in targets for name in names_in(t.target))
            case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
                yield from ((name, value) for name in names_in(target))
            case cst.For(target=target, iter=value):
                yield from ((name.value, value) for name in target_names(target))
            case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=attr), args=args):
                if attr.value == "update":
                    yield from ((name, arg.value) for arg in args)


def _outside_conversions(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The parts of an expression, without the trees that are made dicts in it."""
    yield node
    if not _converted(node):
        for child in children(node):
            yield from _outside_conversions(child)


def _converted(node: cst.CSTNode) -> str:
    """The tree that `to_state_dict(tree)`, `nnx.to_pure_dict(tree)`, `tree.to_pure_dict()` read."""
    if isinstance(node, cst.Call) and last_word(node.func) in _CONVERSIONS:
        tree = node.args[0].value if node.args else getattr(node.func, "value", None)
        return dotted(tree) or "?"
    return ""


def _loads(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and any(word in last_word(node.func) for word in _LOADING)
