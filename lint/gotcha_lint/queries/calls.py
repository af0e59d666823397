"""Calls that are written as such."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.analysis.sites import Body, Call


def plain_calls(body: Body) -> Iterator[Call]:
    """All calls but those that decorators make."""
    return (call for call in body.of(Call) if not call.decorator)
