"""jmp, the mixed precision of DeepMind: a policy names three types and casts trees to them."""

from __future__ import annotations

from dataclasses import replace

from gotcha_lint.domain.value import UNKNOWN, Array, Library, Object, Value, constant, only
from gotcha_lint.facts.halves import HALVES
from gotcha_lint.interpret.call import Call, family, methods, model
from gotcha_lint.interpret.models.tree import tree_map
from gotcha_lint.interpret.promotion import dtypes_of, is_inexact

_FIELDS = ("param", "compute", "output")
_SHORT = {"bf16": "bfloat16", "f16": "float16", "f32": "float32", "full": "float32"}
_SHORT["half"] = "bfloat16"  # on a TPU; float16 elsewhere
_CAST = "jmp.#cast."


@model("jmp.Policy")
def policy(call: Call) -> Value:
    return _policy(call, [call.argument(i, f"{n}_dtype") for i, n in enumerate(_FIELDS)])


@model("jmp.get_policy")
def named_policy(call: Call) -> Value:
    """`params=float32,compute=bfloat16`, or one type for all."""
    name = call.argument(0, "policy_name").constant
    if not isinstance(name, str):
        return UNKNOWN
    parts = [part.strip().partition("=") for part in name.split(",") if "=" in part]
    chosen = {key[:1]: value.strip() for key, _, value in parts}
    own = chosen.get("p", "float32") if parts else name
    computed = chosen.get("c", own)
    types = (own, computed, chosen.get("o", computed))
    return _policy(call, [constant(_SHORT.get(each, each)) for each in types])


def _policy(call: Call, types: list[Value]) -> Value:
    site = call.engine.allocate("policy", call.span)
    site.info.update(zip(_FIELDS, types, strict=True))
    return only(Object(site, call.origin), call.marks)


@methods("policy")
def cast(call: Call) -> Value:
    """`policy.cast_to_compute(tree)`: its floating leaves get that type."""
    assert isinstance(call.on, Object)
    names = dtypes_of(call.on.site.info.get(call.short.rpartition("_")[2]))
    name = names[0]
    if len(names) > 1 or name is None or name not in HALVES or not call.args:
        return Value((), True, call.marks)
    function = only(Library(_CAST + name))
    return tree_map(replace(call, name="jax.tree.map", args=(function, call.args[0])))


@family(_CAST)
def cast_leaf(call: Call) -> Value:
    leaf = call.args[0]
    atom = leaf.only
    if isinstance(atom, Array) and atom.dtype is not None and not is_inexact(atom.dtype):
        return leaf
    sure = isinstance(atom, Array) and atom.dtype is not None
    shape = atom.shape if isinstance(atom, Array) else None
    half = Array(call.short, False, shape, "device", call.origin)
    return Value((half,), not sure, leaf.marks)
