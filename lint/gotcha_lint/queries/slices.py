"""Slices in a subscript."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.values import Kind, Value


def traced_slice(value: Value) -> bool:
    return value.kind is Kind.STATIC and value.of == "slice" and value.tracer and not value.maybe


def slices(node: cst.Subscript) -> list[cst.CSTNode]:
    return [part.slice for part in node.slice if isinstance(part.slice, cst.Slice)]
