"""Names that say nothing: who goes by `params` or `train_step` is not helped."""

from __future__ import annotations

import libcst as cst

from benchmarks.planted.program import Program

NAMES = {
    "accuracy": "hits",
    "average": "trail",
    "batch": "piece",
    "eval_step": "look",
    "grads": "slopes",
    "images": "grids",
    "labels": "kinds",
    "layers": "blocks",
    "logits": "scores",
    "loss": "cost",
    "loss_fn": "objective",
    "losses": "costs",
    "metrics": "facts",
    "next_token": "draw",
    "opt_state": "memory",
    "optimizer": "engine",
    "params": "theta",
    "reconstruct": "redo",
    "squared_error": "misfit",
    "state": "carry",
    "step": "advance",
    "step_fn": "advance_fn",
    "tokens": "cells",
    "train_step": "move",
    "tx": "rule",
    "updates": "deltas",
}


def vary(program: Program) -> Program:
    files = {
        path: cst.parse_module(text).visit(_Renamer()).code for path, text in program.files.items()
    }
    return program._replace(files=files)


class _Quoted(cst.CSTTransformer):
    """Parameters that a `jit` is told of by their names."""

    def leave_SimpleString(
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.SimpleString:
        name = updated_node.evaluated_value
        other = NAMES.get(name) if isinstance(name, str) else None
        return updated_node.with_changes(value=f'"{other}"') if other else updated_node


class _Renamer(cst.CSTTransformer):
    """Variables and functions; attributes, keywords and what a class declares keep their names."""

    def __init__(self) -> None:
        self._in_class = [False]
        self._kept: set[cst.Name] = set()

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._in_class.append(True)

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        self._in_class.pop()
        return updated_node

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        if self._in_class[-1]:
            self._kept.add(node.name)
        self._in_class.append(False)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self._in_class.pop()
        return updated_node

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self._kept.add(node.attr)

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword:
            self._kept.add(node.keyword)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        if original_node.keyword and original_node.keyword.value.endswith("_argnames"):
            return cst.ensure_type(updated_node.visit(_Quoted()), cst.Arg)
        return updated_node

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        if self._in_class[-1] and isinstance(node.target, cst.Name):
            self._kept.add(node.target)

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return bool(node.relative)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        if original_node in self._kept:
            return updated_node
        return updated_node.with_changes(value=NAMES.get(updated_node.value, updated_node.value))
