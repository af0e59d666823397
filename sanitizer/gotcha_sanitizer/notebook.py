"""`%load_ext gotcha_sanitizer.notebook`: tells what each cell ran into; `%gotcha` shows the report.

Places are cell numbers. A cell that is run again makes its functions again: that is no storm.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from typing import Any

from gotcha_sanitizer.explain import crashes
from gotcha_sanitizer.option_text import parse
from gotcha_sanitizer.reporters.text import block
from gotcha_sanitizer.run import session
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.words import cells, plural, seconds

_NAME = re.compile(r"<ipython-input-(\d+)-")


class Notebook:
    """One shell's extension; the shell calls its methods before and after each cell."""

    def __init__(self, shell: Any, watched: session.Session) -> None:
        self.shell = shell
        self.session = watched
        self._known: dict[str, int] = {}  # finding -> its count when it was last shown
        self._files: dict[str, set[str]] = defaultdict(set)  # a cell's text -> files it ran as
        self._compiled = (0, 0.0)
        self._again = False

    def before(self, info: Any) -> None:
        """A cell is about to run."""
        self.session.guard("notebook", self._before, info)

    def after(self, result: Any) -> None:
        """A cell has run; what it raised is in `result`."""
        self.session.guard("notebook", self._after, result)

    def _before(self, info: Any) -> None:
        earlier = self._files.get(info.raw_cell)
        self._again = bool(earlier)
        if earlier:
            self.session.history.forget(earlier)
        self._compiled = self._spent()

    def _after(self, result: Any) -> None:
        self._number(result)
        error = getattr(result, "error_in_exec", None)
        if error is not None and (found := crashes.explain(error)) is not None:
            self.session.emit(found.as_fact(self.session.now()))
            self._known |= {f.id: f.count for f in self.session.run.problems}
            print(found.as_text("gotcha: "), end="")
            return
        if new := self._new():
            print(f"gotcha: {plural(len(new), 'finding')}")
            for finding in new:
                print("\n".join(block(finding, self.session.options, colour=False)))
        elif self._again and (more := self._spent()[0] - self._compiled[0]):
            took = seconds(self._spent()[1] - self._compiled[1])
            print(f"gotcha: cell re-run: {plural(more, 'program')} compiled again, {took}")

    def _new(self) -> list[Finding]:
        """Findings that are new, or worse than when they were last shown."""
        found = self.session.run.problems
        new = [f for f in found if f.count > self._known.get(f.id, 0)]
        self._known |= {f.id: f.count for f in found}
        return new

    def _number(self, result: Any) -> None:
        """Learns which cell a file name stands for."""
        names = getattr(self.shell.compile, "_filename_map", {})
        cells.update(names)
        text = getattr(getattr(result, "info", None), "raw_cell", None)
        number = result.execution_count or self.shell.execution_count
        if text is not None:
            self._files[text] |= {name for name, its in names.items() if its == number}
        for row in self.session.run.rows.values():
            if found := _NAME.match(row.path):
                cells.setdefault(row.path, int(found[1]))

    def _spent(self) -> tuple[int, float]:
        run = self.session.run
        return run.count("programs"), sum(row.total for row in run.rows.values())


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext`."""
    options = os.environ.get("GOTCHA_OPTIONS", "")
    watched = session.start(parse(f"{options}:quiet=1"))
    notebook = Notebook(shell, watched)
    shell.events.register("pre_run_cell", notebook.before)
    shell.events.register("post_run_cell", notebook.after)
    shell.register_magic_function(
        lambda line: print(watched.report() or "gotcha: nothing was compiled so far"),
        magic_name="gotcha",
    )
    _loaded[id(shell)] = notebook


def unload_ipython_extension(shell: Any) -> None:
    """Called by `%unload_ext`."""
    if (notebook := _loaded.pop(id(shell), None)) is not None:
        shell.events.unregister("pre_run_cell", notebook.before)
        shell.events.unregister("post_run_cell", notebook.after)
        notebook.session.stop()


_loaded: dict[int, Notebook] = {}
