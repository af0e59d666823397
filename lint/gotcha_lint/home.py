"""Where the project is published. Until it is, nothing links to an address that does not exist."""

from __future__ import annotations

# The address of the repository, without a slash at its end; empty while there is none. Findings,
# SARIF, the language server and the README of the wheel follow it.
HOME = ""


def page_url(name: str, home: str = HOME) -> str:
    """The page of a gotcha on the web; empty without a home."""
    return f"{home}/blob/main/docs/gotchas/{name}.md" if home else ""


def more(name: str) -> str:
    """The command that prints the page of a gotcha; it needs no network."""
    return f"gotcha-lint --explain {name}"


def install(extra: str) -> str:
    """How to add the libraries of an extra, from a checkout: no index has the project yet."""
    return f"the extra `{extra}`: pip install '.[{extra}]' in a checkout"
