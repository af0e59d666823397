"""Runs every example with other releases of JAX and writes docs/measured/releases/.

    python docs/releases.py PYTHON...     one for each release, with jax, flax, optax and orbax

Neither tool is needed there: what a page says of since when and until when is what the bad and the
good program did, run as they are. Releases that are not asked for keep what was measured.
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


def measure(python: str, wanted: list[Pair]) -> dict[str, Any]:
    """The file of one release: what each program did, by the digest of its pair."""
    told = subprocess.run([python, "-c", _VERSIONS], capture_output=True, text=True, check=True)
    codes = [plain(code) for pair in wanted for code in (pair.bad, pair.good)]
    shows = [pair.shows for pair in wanted for _ in range(2)]
    outcomes = run(python, [dict(code=c, shows=s) for c, s in zip(codes, shows, strict=True)])
    examples = {
        pair.digest: {"bad": outcomes[2 * n], "good": outcomes[2 * n + 1]}
        for n, pair in enumerate(wanted)
    }
    return {"measured_with": json.loads(told.stdout), "examples": examples}


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
    return line if len(line) <= _LONGEST else line[:_LONGEST].rsplit(" ", 1)[0] + " ..."


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = [pair for each in pairs().values() for pair in each]
    for python in sys.argv[1:]:
        told = measure(python, wanted)
        release = told["measured_with"]["jax"]
        print(release, flush=True)
        text = json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        (FOLDER / f"{release}.json").write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
