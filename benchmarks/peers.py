"""The linters that ours is compared with: installing them, and how each is called."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements-peers.txt"

# Four rules that semgrep can express; what they say does not matter here, only that they search.
SEMGREP_RULES = """\
rules:
  - id: jit-in-loop
    languages: [python]
    severity: WARNING
    message: jit in a loop
    patterns:
      - pattern-inside: "for $X in $Y:\\n    ...\\n"
      - pattern: jax.jit(...)
  - id: numpy-in-jit
    languages: [python]
    severity: WARNING
    message: numpy in jit
    patterns:
      - pattern-inside: "@jax.jit\\ndef $F(...):\\n    ...\\n"
      - pattern: np.$G(...)
  - id: print-in-jit
    languages: [python]
    severity: WARNING
    message: print in jit
    patterns:
      - pattern-inside: "@jax.jit\\ndef $F(...):\\n    ...\\n"
      - pattern: print(...)
  - id: key-twice
    languages: [python]
    severity: WARNING
    message: a key used twice
    pattern: "$A = jax.random.$F($K, ...)\\n...\\n$B = jax.random.$G($K, ...)\\n"
"""


@dataclass(frozen=True)
class Peer:
    """One way of calling one tool; `{tree}` and `{scratch}` in the arguments are filled in."""

    label: str
    tool: str
    arguments: tuple[str, ...]
    share: int = 1
    """It sees one file in `share`: the slow ones are compared per line."""
    rounds: int = 5
    packages: tuple[str, ...] = ()
    codes: frozenset[int] = frozenset({0, 1})
    tree: str = "mid"
    note: str = ""

    @property
    def requirements(self) -> tuple[str, ...]:
        return self.packages or (self.tool,)


_RUFF = ("check", "--isolated", "--quiet", "--exit-zero")
_SEMGREP = ("scan", "--quiet", "--metrics", "off", "--disable-version-check", "--no-git-ignore")
PEERS: tuple[Peer, ...] = (
    Peer("ruff F,B", "ruff", (*_RUFF, "--no-cache", "--select", "F,B", "{tree}")),
    Peer("ruff ALL", "ruff", (*_RUFF, "--no-cache", "--select", "ALL", "{tree}")),
    Peer(
        "ruff F,B warm",
        "ruff",
        (*_RUFF, "--cache-dir", "{scratch}/ruff", "--select", "F,B", "{tree}"),
        note="the first round fills its cache",
    ),
    Peer(
        "semgrep, 4 rules",
        "semgrep",
        (*_SEMGREP, "--max-target-bytes", "0", "--config", "{scratch}/semgrep.yaml", "{tree}"),
        rounds=3,
    ),
    Peer(
        "jaxlint",
        "jaxlint",
        ("check", "--jobs", "1", "{tree}"),
        rounds=3,
        tree="jaxlint",
        note="without the files that end its whole run (`{'a': 1, **x}`, keyword-only defaults)",
    ),
    Peer(
        "flake8 + bugbear",
        "flake8",
        ("--isolated", "--jobs", "1", "--exit-zero", "{tree}"),
        rounds=3,
        packages=("flake8", "flake8-bugbear"),
    ),
    Peer("fixit", "fixit", ("--quiet", "lint", "{tree}"), share=12, rounds=2),
    Peer(
        "pylint",
        "pylint",
        ("--jobs", "1", "--rcfile", os.devnull, "--recursive", "y", "{tree}"),
        share=12,
        rounds=2,
        codes=frozenset(range(32)),
        note="in an environment without the projects' dependencies: it infers less than at home",
    ),
    Peer(
        "torchfix",
        "torchfix",
        ("--jobs", "1", "--select", "ALL", "{tree}"),
        share=12,
        rounds=2,
        tree="torchfix",
        note="every file ends with `# torch` here: it skips files without that word",
    ),
)


class Missing(Exception):
    """A peer could not be installed; the message says why."""


def wanted() -> dict[str, str]:
    """The pinned requirement of each distribution."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    pins = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return {pin.partition("==")[0]: pin for pin in pins}


def install(peer: Peer, folder: Path) -> Path:
    """The peer's program, installed on the first call."""
    home = folder / peer.tool
    stamp = home / "pinned.txt"
    pins = [wanted()[name] for name in peer.requirements]
    program = home / "bin" / peer.tool
    if stamp.exists() and stamp.read_text(encoding="utf-8").split() == pins:
        return program
    _call([sys.executable, "-m", "venv", "--clear", str(home)])
    # Wheels only: installing a peer builds and runs nothing.
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    _call([*pip, "--disable-pip-version-check", "--only-binary", ":all:", *pins])
    if not program.exists():
        raise Missing(f"{' '.join(pins)} brings no program {peer.tool}")
    stamp.write_text("\n".join(pins), encoding="utf-8")
    return program


def _call(command: Sequence[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=900)
    except subprocess.CalledProcessError as error:
        lines = [line for line in error.stderr.splitlines() if line.startswith("ERROR")]
        why = (lines or error.stderr.splitlines() or ["no reason given"])[-1]
        raise Missing(why) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Missing(type(error).__name__) from error


def ends_jaxlint(raw: bytes) -> bool:
    """A syntax list with a gap (`None`) after its first node, which jaxlint does not survive."""
    try:
        tree = ast.parse(raw)
    except (SyntaxError, ValueError):
        return True
    lists = (
        value
        for node in ast.walk(tree)
        for _, value in ast.iter_fields(node)
        if isinstance(value, list) and value and isinstance(value[0], ast.AST)
    )
    return any(not isinstance(each, ast.AST) for value in lists for each in value)
