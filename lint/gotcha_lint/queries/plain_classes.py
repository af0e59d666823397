"""Classes of the project that JAX knows nothing of: neither they nor what derives from them."""

from __future__ import annotations

from functools import lru_cache

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.syntax import dotted, last_word, walk
from gotcha_lint.analysis.values import ClassId

_PLAIN_BASES = frozenset(
    ["object", "builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"]
)
_PLAIN_DECORATORS = frozenset(
    ["dataclasses.dataclass", "typing.final", "functools.total_ordering", "attr.s", "attrs.define"]
)
# Methods by which a class becomes a pytree, an array, or makes its subclasses one.
_TELLING = frozenset(
    ["tree_flatten", "flatten", "__jax_array__", "__init_subclass__", "__array__", "__getattr__"]
)
_PLAIN_METACLASSES = frozenset({"ABCMeta", "type"})


def is_plain(project: Project, model: FileModel, cid: ClassId) -> bool:
    """Surely no pytree: all its bases are known, and nothing registers it in this file."""
    family = {cid, *project.descendants(cid)}
    everyone = {above for one in family for above in project.ancestors(one)[0]}
    return all(_is_ordinary(project, one) for one in everyone) and not any(
        path == model.path and _is_special(model, number) for path, number in everyone
    )


def _is_ordinary(project: Project, cid: ClassId) -> bool:
    cls = project.cls(cid)
    names = {project.symbol(name, cid[0]).name or name for name in cls.decorators}
    return (
        names <= _PLAIN_DECORATORS
        and _TELLING.isdisjoint(cls.methods)
        and all(isinstance(base, int) or _is_known(project, base, cid[0]) for base in cls.bases)
    )


def _is_known(project: Project, base: str, path: str) -> bool:
    symbol = project.symbol(base, path)
    return symbol.kind == "class" or (symbol.kind == "external" and symbol.name in _PLAIN_BASES)


def _is_special(model: FileModel, number: int) -> bool:
    """It has a metaclass or bases that cannot be read, or a call registers it."""
    node = model.classes[number].node
    metaclasses = {last_word(arg.value) for arg in node.keywords}
    written = [arg.value.value if isinstance(arg.value, cst.Subscript) else arg.value
               for arg in node.bases]  # fmt: skip
    readable = all(dotted(base) is not None for base in written)
    decorators = [d.decorator.func if isinstance(d.decorator, cst.Call) else d.decorator
                  for d in node.decorators]  # fmt: skip
    readable = readable and all(dotted(one) is not None for one in decorators)
    return (
        not metaclasses <= _PLAIN_METACLASSES or not readable or node.name.value in _handed(model)
    )


@lru_cache(maxsize=4)
def _handed(model: FileModel) -> set[str]:
    """The names that calls of the file are given: `register_dataclass(Model, ...)`."""
    return {
        name
        for node in walk(model.tree)
        if type(node) is cst.Call and "register" in last_word(node.func)
        for arg in node.args
        if (name := dotted(arg.value))
    }
