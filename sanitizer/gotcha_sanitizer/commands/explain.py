"""`gotcha-sanitize explain recompile`: what a gotcha is, also one that only a run shows."""

from __future__ import annotations

import sys

import click

from gotcha_lint import explain, terminal
from gotcha_lint.registry import rules
from gotcha_lint.selection import did_you_mean


@click.command()
@click.argument("name")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
def command(name: str, color: str) -> None:
    """Explain a gotcha: why it is one, and what to write instead."""
    from gotcha_sanitizer.catalogue import names
    from gotcha_sanitizer.rule_texts import rule_text

    rule = rule_text(name)
    if rule is None:
        close = did_you_mean(name, {*names(), *rules()})
        raise click.UsageError(f'no gotcha is called "{name}"{close}')
    colour = terminal.wants_colour(color, sys.stdout)
    terminal.out(explain.explain(rule, width=terminal.width(sys.stdout), colour=colour))
