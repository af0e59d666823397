"""Runs every example with other releases of JAX and writes docs/measured/releases/.

    python docs/releases.py PYTHON...     one for each release, with jax, flax, optax and orbax

Neither tool is needed there: what a page says of since when and until when is what the bad and the
good program did, run as they are. Only examples that are new or changed are run; releases that
are not asked for keep what was measured.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from measuring.capture import DEVICES, without_paths
from measuring.programs import ROOT, Pair, pairs, plain

FOLDER = ROOT / "docs" / "measured" / "releases"
RUNNER = ROOT / "docs" / "measuring" / "bare.py"
_LONGEST = 160  # characters of an error that are kept
_VERSIONS = """
import json, sys
from importlib.metadata import version
names = {name: version(name) for name in ("jax", "flax", "optax")}
print(json.dumps({"python": "{}.{}".format(*sys.version_info)} | names))
"""


def versions(python: str) -> dict[str, str]:
    told = subprocess.run([python, "-c", _VERSIONS], capture_output=True, text=True, check=True)
    return json.loads(told.stdout)


def measure(python: str, wanted: list[Pair]) -> dict[str, Any]:
    """What each program did, by the digest of its pair."""
    codes = [plain(code) for pair in wanted for code in (pair.bad, pair.good)]
    shows = [pair.shows for pair in wanted for _ in range(2)]
    outcomes = run(python, [dict(code=c, shows=s) for c, s in zip(codes, shows, strict=True)])
    return {
        pair.digest: {"bad": outcomes[2 * n], "good": outcomes[2 * n + 1]}
        for n, pair in enumerate(wanted)
    }


def run(python: str, programs: list[dict[str, str]]) -> list[dict[str, Any]]:
    settings = {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": DEVICES}
    plain_environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "programs.json"), Path(folder, "results.json")
        source.write_text(json.dumps(programs), "utf-8")
        command = [python, str(RUNNER), str(source), str(target)]
        environment = plain_environment | settings
        subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        results = json.loads(target.read_text("utf-8"))
    return [each | {"error": _short(each["error"])} for each in results]


def _short(error: str) -> str:
    line = re.sub(r" at 0x[0-9a-f]+", "", without_paths(error).strip().partition("\n")[0])
    line = re.sub(rf"{re.escape(tempfile.gettempdir())}/tmp\w+/", "", line)  # of bare.py
    return line if len(line) <= _LONGEST else line[:_LONGEST].rsplit(" ", 1)[0] + " ..."


def update(python: str, known: dict[str, Pair]) -> str:
    """Writes the file of a release, keeping what it has of today's examples; gives its name."""
    environment = versions(python)
    path = FOLDER / f"{environment['jax']}.json"
    old = json.loads(path.read_text("utf-8")) if path.exists() else {}
    same = old.get("measured_with") == environment
    examples = {d: told for d, told in old["examples"].items() if d in known} if same else {}
    examples |= measure(python, [pair for digest, pair in known.items() if digest not in examples])
    file = {"measured_with": environment, "examples": examples}
    path.write_text(json.dumps(file, indent=1, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")
    return path.stem


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    known = {pair.digest: pair for each in pairs().values() for pair in each}
    for python in sys.argv[1:]:
        print(update(str(Path(python).absolute()), known), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
