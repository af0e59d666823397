"""Official documentation to read on: what JAX's own message names, and a few pages by subject."""

from __future__ import annotations

import re
from typing import NamedTuple

from pages.measured import Example

_URL = re.compile(r"https://[^\s)]+")
_JAX = "https://docs.jax.dev/en/latest/"


class Source(NamedTuple):
    """A page of documentation and the gotchas that it is about."""

    title: str
    url: str
    names: str


SOURCES = (
    Source(
        "JAX: Frequently asked questions",
        _JAX + "faq.html",
        "jit-of-bound-method stale-self stale-global stale-capture jit-method-no-static-self "
        "where-nan-gradient timing-without-wait use-after-donation",
    ),
    Source(
        "JAX: The Sharp Bits",
        _JAX + "notebooks/Common_Gotchas_in_JAX.html",
        "inplace-assignment discarded-update key-reuse split-discarded side-effect-in-jit "
        "host-random-in-jit traced-if traced-shape bool-mask-in-jit x64-set-too-late "
        "int64-truncation",
    ),
    Source(
        "JAX: Persistent compilation cache",
        _JAX + "persistent_compilation_cache.html",
        "compile-cache-unused",
    ),
    Source(
        "JAX: debugging flags",
        _JAX + "debugging/flags.html",
        "non-finite-value where-nan-gradient norm-at-zero",
    ),
    Source("JAX: Pseudorandom numbers", _JAX + "random-numbers.html", "constant-key-in-jit"),
    Source("JAX: Change log", _JAX + "changelog.html", "removed-api"),
    Source("JAX: jax.checkpoint", _JAX + "_autosummary/jax.checkpoint.html", "scan-without-remat"),
    Source("JAX: jax.make_mesh", _JAX + "_autosummary/jax.make_mesh.html", "mesh-axis-types"),
    Source(
        "Orbax: Checkpointers",
        "https://orbax.readthedocs.io/en/stable/api_reference/checkpoint.checkpointers.html",
        "checkpoint-not-awaited orbax-restore-without-target checkpoint-shapes-unchecked",
    ),
)


def section(name: str, own: str, shown: tuple[Example, ...]) -> str:
    """A list of links, those of the rule's docstring first; empty where none is known for sure."""
    texts = [own, *(each.error.get("message", "") for each in shown)]
    named = [url.rstrip(",.") for text in texts for url in _URL.findall(text)]
    known = {each.url: each.title for each in SOURCES}
    links = {url: known.get(url) or _title(url) for url in named}
    links |= {each.url: each.title for each in SOURCES if name in each.names.split()}
    return "\n".join(f"- [{title}]({url})" for url, title in links.items())


def _title(url: str) -> str:
    """The name that the address itself has: an exception, a function, an issue."""
    if issue := re.fullmatch(r"https://github\.com/([\w-]+/[\w-]+)/(?:issues|pull)/(\d+)", url):
        return f"{issue[1]}#{issue[2]}"
    return url.rpartition("#")[2].rpartition("/")[2].removesuffix(".html")
