from collections.abc import Iterator

import libcst as cst

from gotcha_lint.interpret.faults.called import PLAIN_CONTAINER
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree

_SINCE, _NEEDS = (0, 12), (0, 7)  # of Flax, and the oldest JAX that it runs on
_WRAPPERS = {"list": "List", "dict": "Dict"}


class NnxPlainList(Rule):
    """Keeps modules in a plain list, dict or tuple.

    ## What happens
    Since Flax 0.12 a plain container is static data and must not hold arrays: `ValueError: Found
    data on value of type '<class 'list'>' assigned to static attribute 'layers' of Pytree type`. A
    list that is filled later fails at the end of `__init__`.

    ## Instead
    `nnx.List([...])` and `nnx.Dict({...})`, which are part of the model; for others
    `nnx.data(...)`.

    ## Not reported
    Attributes that the class annotates (`layers: list = nnx.data()`), classes with `pytree=False`,
    containers of functions, numbers and names. Code that asks for `nnx.List` or for a version, or
    is for an older Flax (`target-flax`).
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                from flax import nnx


                class Model(nnx.Module):
                    def __init__(self, rngs):
                        self.layers = [nnx.Linear(3, 3, rngs=rngs)]  # ! nnx-plain-list


                model = Model(nnx.Rngs(0))
            """,
            good="""
                from flax import nnx


                class Model(nnx.Module):
                    def __init__(self, rngs):
                        self.layers = nnx.List([nnx.Linear(3, 3, rngs=rngs)])


                model = Model(nnx.Rngs(0))
            """,
            raises="Found data on value of type",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        new = self.options.has_reached("flax", _SINCE) and self.options.has_reached("jax", _NEEDS)
        for fault in programs.faults.of(PLAIN_CONTAINER) if new else ():
            name, kind = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`{name}` is a plain {kind} that holds modules or arrays: Flax takes it for "
                f"static data and raises; use `nnx.{_WRAPPERS.get(kind, 'data')}`",
                hint=_WRAPPERS.get(kind, ""),
            )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        nnx = file.alias("flax.nnx")
        match statement:
            case cst.SimpleStatementLine(body=[cst.Assign(value=given)]):
                if hint and nnx != "flax.nnx":
                    change = Change(given, before=f"{nnx}.{hint}(", after=")")
                    return Rewrite(f"make it an `nnx.{hint}`", (change,))
        return None
