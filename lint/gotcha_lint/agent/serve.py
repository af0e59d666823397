"""The server: the protocol's side of `answers`, on standard input and output."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from gotcha_lint import __version__
from gotcha_lint.agent import answers
from gotcha_lint.config.options import UsageError
from gotcha_lint.config.settings import ConfigError

_ONE_AT_A_TIME = threading.Lock()  # calls come in threads, and the analysis keeps memos
_STACK = 64 << 20  # bytes: LibCST parses on the stack of its thread
_INSTRUCTIONS = """\
Finds the pitfalls of compiled training code in JAX. After a change of JAX code call `lint` on the
changed files and mend what it reports; `explain` has the correct pattern. `why` and `compiles`
answer questions about code without running it. Give a JAX traceback to `explain_error`, and the
record of a run (GOTCHA_SANITIZE=1 GOTCHA_OPTIONS=log_path=run.jsonl) to `run_report`."""
_TOOLS = (
    answers.lint,
    answers.why,
    answers.compiles,
    answers.explain_error,
    answers.run_report,
    answers.explain,
)


def server() -> MCPServer:
    """With one tool for each function; all of them only read."""
    made = MCPServer(
        "gotcha-lint", instructions=_INSTRUCTIONS, version=__version__, log_level="ERROR"
    )
    for function in _TOOLS:
        reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
        made.tool(annotations=reads, structured_output=True)(_told(function))
    return made


def _told(function: Callable[..., Any]) -> Callable[..., Any]:
    """A wrong argument is an answer that the agent reads, in the words of the command line."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            with _ONE_AT_A_TIME:
                return function(*args, **kwargs)
        except UsageError as error:
            raise ToolError(str(error)) from error
        except ConfigError as error:
            raise ToolError("; ".join(error.problems)) from error

    return call


def serve() -> int:
    """Serves until the input ends."""
    threading.stack_size(_STACK)
    server().run("stdio")
    return 0
