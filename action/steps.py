"""What the steps of action.yml do: `steps.py lint` and `steps.py compare`.

Inputs come as environment variables, so no text of a pull request is ever part of a command. A step
leaves the exit code of the tool in its output `code`; the last step of the action ends with it.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

MARK = "<!-- gotcha: the comparison of two runs -->"
_MOST_RULES = 20
_PAGES = 10  # of comments that are looked through, 100 on each
_CRASHED = 2  # exit codes from here on are no verdict on the code


def lint(env: Mapping[str, str]) -> int:
    """Findings as SARIF, as annotations, and a table in the summary of the job."""
    sarif = Path(env["RUNNER_TEMP"], "gotcha.sarif")
    options = [*shlex.split(env["GOTCHA_ARGS"]), "--", *shlex.split(env["GOTCHA_PATHS"])]
    form = ["--output-format", "sarif", "-o", str(sarif)]
    code = _tool("gotcha_lint", *form, *options).returncode
    _set(env, "code", code)
    if code >= _CRASHED:
        return code
    # The second run reads the cache of the first. Its text is the annotations, or a list to read.
    shown = "github" if env["GOTCHA_ANNOTATIONS"] == "true" else "concise"
    _tool("gotcha_lint", "--output-format", shown, *options)
    names = [result["ruleId"] for run in _read(sarif)["runs"] for result in run["results"]]
    _set(env, "sarif", sarif)
    _set(env, "findings", len(names))
    _summary(env, _table(names))
    return 0


def _table(names: Sequence[str]) -> str:
    if not names:
        return "**gotcha:** no findings\n"
    lines = [f"**gotcha:** {len(names)} finding{'s' * (len(names) > 1)}", "", "| gotcha | count |"]
    lines.append("| --- | ---: |")
    counts = Counter(names).most_common()
    lines += [f"| {name} | {count} |" for name, count in counts[:_MOST_RULES]]
    if len(counts) > _MOST_RULES:
        lines.append(f"| {len(counts) - _MOST_RULES} more | |")
    return "\n".join(lines) + "\n"


def compare(env: Mapping[str, str]) -> int:
    """What the change does to compiling: in the summary, and in one comment that is updated."""
    records = env["GOTCHA_BEFORE"], env["GOTCHA_AFTER"]
    more = ["--fail-on-more"] if env["GOTCHA_FAIL_ON_MORE"] == "true" else []
    done = _tool(
        "gotcha_sanitizer.cli", "diff", "--format", "markdown", *more, *records, quiet=True
    )
    _set(env, "code", done.returncode)
    if done.returncode >= _CRASHED:
        return done.returncode
    data = _tool("gotcha_sanitizer.cli", "diff", "--format", "json", *records, quiet=True)
    _set(env, "compiles", json.loads(data.stdout)["compiles"])
    _summary(env, done.stdout)
    number = _pull_request(env)
    if env["GOTCHA_COMMENT"] == "true" and number is not None:
        try:
            comment(env, number, f"{MARK}\n{done.stdout}")
        except (urllib.error.URLError, OSError) as error:
            # A pull request of a fork has a token that may only read.
            print(f"::warning title=gotcha::the comment could not be written: {error}")
    return 0


def comment(env: Mapping[str, str], number: int, body: str) -> None:
    """Writes the comment of this action, or changes the one that is there."""
    issues = f"{env['GITHUB_API_URL']}/repos/{env['GITHUB_REPOSITORY']}/issues"
    for page in range(1, _PAGES + 1):
        found = _ask(env, f"{issues}/{number}/comments?per_page=100&page={page}")
        for each in found:
            if each["body"].startswith(MARK):
                _ask(env, f"{issues}/comments/{each['id']}", "PATCH", {"body": body})
                return
        if len(found) < 100:
            break
    _ask(env, f"{issues}/{number}/comments", "POST", {"body": body})


def _ask(env: Mapping[str, str], url: str, method: str = "GET", data: object = None) -> Any:
    request = urllib.request.Request(
        url,
        method=method,
        data=None if data is None else json.dumps(data).encode(),
        headers={
            "Authorization": f"Bearer {env['GOTCHA_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def _pull_request(env: Mapping[str, str]) -> int | None:
    event = _read(Path(env["GITHUB_EVENT_PATH"]))
    return event.get("pull_request", {}).get("number")


def _tool(module: str, *args: str, quiet: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs one of our tools; with `quiet` its output is for us, and not for the log."""
    sys.stdout.flush()
    command = [sys.executable, "-P", "-m", module, *args]
    return subprocess.run(command, text=True, stdout=subprocess.PIPE if quiet else None)


def _read(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


def _set(env: Mapping[str, str], name: str, value: object) -> None:
    with open(env["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
        file.write(f"{name}={value}\n")


def _summary(env: Mapping[str, str], text: str) -> None:
    with open(env["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
        file.write(text + "\n")


if __name__ == "__main__":
    steps = {"lint": lint, "compare": compare}
    raise SystemExit(steps[sys.argv[1]](os.environ))
