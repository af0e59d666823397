"""`@pytest.mark.gotcha(contract="step.toml")`: the contract of one test, in a committed file.

It holds what the body of the test compiles, with JAX's caches cleared before it: what an earlier
test had compiled does not count, so the order of the tests does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from gotcha_sanitizer.run import contract
from gotcha_sanitizer.run.os_errors import in_words
from gotcha_sanitizer.run.record import Run
from gotcha_sanitizer.run.stream import as_json, avals
from gotcha_sanitizer.values.events import Explained
from gotcha_sanitizer.values.words import plural

WRITE = "--gotcha-write-contracts"


def keep(item: pytest.Item, name: str, body: Iterable[Explained]) -> None:
    """Fails the test where it breaks the contract; writes the contract where that was asked for.

    The file is beside that of the test.
    """
    file = item.path.parent / name
    found = contract.of(_run(body), str(item.config.rootpath))
    if item.config.getoption(WRITE):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(contract.write(found), "utf-8")
        return
    broken = [each.what for each in contract.compare(_agreed(file), found) if not each.allowed]
    if broken:
        head = f"gotcha: {file.name} is broken: {plural(len(broken), 'difference')}"
        pytest.fail("\n".join([head, *(f"  {what}" for what in broken)]), pytrace=False)


def _agreed(file: Path) -> contract.Contract:
    try:
        return contract.read(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        reason = in_words(error) if isinstance(error, OSError) else error
        pytest.fail(
            f"gotcha: no contract in {file.name} ({reason}): write it with `pytest {WRITE}`",
            pytrace=False,
        )


def _run(body: Iterable[Explained]) -> Run:
    """The run that these programs alone would be."""
    run = Run()
    for each in body:
        if (leaves := avals(each.program, run.avals)) is not None:
            run.add(leaves)
        run.add(as_json(each) or {})
    return run
