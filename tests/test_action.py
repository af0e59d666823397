"""action.yml: it follows the documented grammar, and its steps run as the runner would run them.

The API of GitHub is a server on this machine. The public schema is in tests/test_installers.py.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
FAULTY = "import jax.numpy as jnp\n\nx = jnp.zeros(3)\nx.at[0].set(1.0)\n"
# The documented keys: those of the file, of an input, of an output, of a step; and the colours.
KEYS = {
    "file": {"name", "author", "description", "inputs", "outputs", "runs", "branding"},
    "input": {"description", "required", "default", "deprecationMessage"},
    "output": {"description", "value"},
    "step": {"id", "name", "if", "env", "continue-on-error"},
    "run": {"run", "shell", "working-directory"},
    "uses": {"uses", "with"},
}
COLORS = {"white", "black", "yellow", "blue", "green", "orange", "red", "purple", "gray-dark"}
_EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")


class GitHub(HTTPServer):
    """The comments of one pull request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.comments: list[dict[str, Any]] = []
        self.tokens: set[str | None] = set()
        self.refuses = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answer(BaseHTTPRequestHandler):
    server: GitHub  # type: ignore[assignment]

    def do_GET(self) -> None:
        assert self.path.startswith("/repos/me/mine/issues/7/comments?"), self.path
        self._send(200, self.server.comments)

    def do_POST(self) -> None:
        assert self.path == "/repos/me/mine/issues/7/comments", self.path
        if self.server.refuses:
            return self._send(403, {})
        self.server.comments.append({"id": len(self.server.comments), **self._body()})
        return self._send(201, {})

    def do_PATCH(self) -> None:
        number = int(self.path.removeprefix("/repos/me/mine/issues/comments/"))
        self.server.comments[number] |= self._body()
        self._send(200, {})

    def _body(self) -> dict[str, Any]:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def _send(self, code: int, data: object) -> None:
        self.server.tokens.add(self.headers["Authorization"])
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(data).encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def github() -> Iterator[GitHub]:
    server = GitHub()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()


@dataclass
class Job:
    """Runs the steps of the action in a folder. `python`: instead of the step that installs."""

    folder: Path
    api: str = "http://127.0.0.1:9"
    python: str = sys.executable
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    log: str = ""
    summary: str = ""

    def run(self, **inputs: str) -> int:
        """The exit code of the job."""
        given = {name: str(each.get("default", "")) for name, each in ACTION["inputs"].items()}
        assert inputs.keys() <= given.keys()
        given |= inputs
        given["token"] = "secret"
        for step in ACTION["runs"]["steps"]:
            if "run" not in step or not self._holds(step.get("if", ""), given):
                continue
            if step["id"] == "install" and self.python:
                self.outputs["install"] = {"python": self.python}
                continue
            if (code := self._step(step, given)) != 0:
                return code
        return 0

    def _step(self, step: Mapping[str, Any], given: Mapping[str, str]) -> int:
        extra = self.folder.parent / "runner"
        extra.mkdir(exist_ok=True)
        output, summary, event = extra / "output", extra / "summary", extra / "event.json"
        output.write_text("")
        summary.touch()
        event.write_text(json.dumps({"pull_request": {"number": 7}}))
        values = {name: self._filled(text, given) for name, text in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder / self._filled(step.get("working-directory", "."), given),
            env=os.environ
            | {
                "RUNNER_TEMP": str(extra),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(summary),
                "GITHUB_EVENT_PATH": str(event),
                "GITHUB_API_URL": self.api,
                "GITHUB_REPOSITORY": "me/mine",
                "XDG_CACHE_HOME": str(extra / "cache"),
            }
            | values,
            capture_output=True,
            text=True,
            timeout=600,
        )
        self.log += done.stdout + done.stderr
        self.summary = summary.read_text("utf-8")
        pairs = (line.partition("=") for line in output.read_text("utf-8").splitlines())
        self.outputs[step["id"]] = {name: value for name, _, value in pairs}
        return done.returncode

    def _value(self, name: str, given: Mapping[str, str]) -> str:
        match name.split("."):
            case ["inputs", key]:
                return given[key]
            case ["steps", step, "outputs", key]:
                return self.outputs.get(step, {}).get(key, "")
            case ["github", "action_path"]:
                return str(ROOT)
        raise AssertionError(f"not known here: {name}")

    def _filled(self, text: str, given: Mapping[str, str]) -> str:
        return _EXPRESSION.sub(lambda found: self._value(found[1], given), text)

    def _holds(self, condition: str, given: Mapping[str, str]) -> bool:
        for part in filter(None, condition.split(" && ")):
            name, operator, literal = part.split(" ")
            equal = self._value(name, given) == literal.strip("'")
            if equal != (operator == "=="):
                return False
        return True


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("")
    (folder / "train.py").write_text(FAULTY)
    return folder


def _record(file: Path, lengths: str) -> None:
    """A record of a run, in the sanitizer's own words."""
    program = file.with_suffix(".py")
    program.write_text(
        "import jax, numpy\n\nstep = jax.jit(lambda x: 2 * x)\n"
        f"for n in {lengths}:\n    step(numpy.ones(n))\n"
    )
    run = ["-m", "gotcha_sanitizer.cli", "run", "--quiet", "--log-path", str(file), str(program)]
    subprocess.run([sys.executable, *run], check=True, timeout=300)


def test_findings_are_annotations_and_fail_the_job_at_its_end(project: Path) -> None:
    job = Job(project)
    assert job.run() == 1
    assert "::error title=discarded-update,file=train.py,line=4," in job.log
    assert job.outputs["lint"]["findings"] == "1"
    sarif = json.loads(Path(job.outputs["lint"]["sarif"]).read_text("utf-8"))
    assert sarif["runs"][0]["results"][0]["ruleId"] == "discarded-update"
    assert "| discarded-update | 1 |" in job.summary


def test_options_and_paths_are_those_of_the_command_line(project: Path) -> None:
    (project / "of model.py").write_text("import jax\n")
    job = Job(project)
    assert job.run(paths="'of model.py'", args="--all") == 0
    assert job.outputs["lint"]["findings"] == "0"
    assert "no findings" in job.summary
    assert Job(project).run(args="--ignore discarded-update", annotations="false") == 0


def test_a_mistake_in_the_configuration_is_no_finding(project: Path) -> None:
    (project / "gotcha.toml").write_text("selct = []\n")
    job = Job(project)
    assert job.run() == 2
    assert "findings" not in job.outputs["lint"]
    assert 'did you mean "select"' in job.log


def test_an_input_is_never_a_command(project: Path) -> None:
    job = Job(project)
    assert job.run(paths="$(touch broken) `touch broken` ; touch broken") == 2
    assert not (project / "broken").exists()


def test_the_comparison_is_one_comment_that_is_kept_current(project: Path, github: GitHub) -> None:
    _record(project / "before.jsonl", "(2, 2)")
    _record(project / "after.jsonl", "(2, 3, 4)")
    github.comments.append({"id": 0, "body": "of somebody else"})
    inputs = {"paths": "", "before": "before.jsonl", "after": "after.jsonl"}
    job = Job(project, github.url)
    assert job.run(**inputs) == 0
    assert job.outputs["compare"] == {"code": "0", "compiles": "2"}
    assert "adds 2 compiles" in job.summary
    other, own = github.comments
    assert "adds 2 compiles" in own["body"]
    assert github.tokens == {"Bearer secret"}

    swapped = inputs | {"before": "after.jsonl", "after": "before.jsonl"}
    assert Job(project, github.url).run(**swapped, **{"fail-on-more": "true"}) == 0
    assert "saves 2 compiles" in own["body"]
    assert github.comments == [other, own]

    # A token that may only read, and a verdict: the job fails for the verdict alone.
    github.comments.clear()
    github.refuses = True
    job = Job(project, github.url)
    assert job.run(**inputs, **{"fail-on-more": "true"}) == 1
    assert "::warning title=gotcha::the comment could not be written" in job.log


def test_it_follows_the_grammar_of_actions() -> None:
    assert ACTION.keys() <= KEYS["file"] and ACTION.keys() >= {"name", "description", "runs"}
    assert ACTION["branding"]["color"] in COLORS
    for kind, required in (("input", "description"), ("output", "value")):
        for name, each in ACTION[f"{kind}s"].items():
            assert re.fullmatch(r"[A-Za-z_][\w-]*", name)
            assert required in each and each.keys() <= KEYS[kind], name
            assert all(isinstance(value, str) for value in each.values()), name
    assert ACTION["runs"].keys() == {"using", "steps"} and ACTION["runs"]["using"] == "composite"
    steps = ACTION["runs"]["steps"]
    assert len({step["id"] for step in steps}) == len(steps)
    for step in steps:
        kind = "run" if "run" in step else "uses"
        assert step.keys() <= KEYS["step"] | KEYS[kind], step["id"]
        if kind == "run":
            assert step["shell"] == "bash"  # a step of a composite action must name its shell
        else:
            assert re.fullmatch(r"[\w-]+/[\w-]+(/[\w-]+)*@[\w.]+", step["uses"])
    # Earlier steps alone have outputs.
    for index, step in enumerate(steps):
        named = set(re.findall(r"steps\.(\w+)\.outputs", json.dumps(step)))
        assert named <= {earlier["id"] for earlier in steps[:index]}, step["id"]


def test_every_input_is_used_and_every_output_exists() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    for name in ACTION["inputs"]:
        assert f"inputs.{name}" in text
    steps = {step["id"] for step in ACTION["runs"]["steps"]}
    for output in ACTION["outputs"].values():
        (name,) = _EXPRESSION.findall(output["value"])
        assert name.split(".")[1] in steps
    # Inputs reach the shell as variables only.
    assert not any("${{" in step.get("run", "") for step in ACTION["runs"]["steps"])


@pytest.mark.slow
def test_it_installs_into_an_environment_of_its_own(project: Path) -> None:
    job = Job(project, python="")
    assert job.run(python=sys.executable) == 1
    assert job.outputs["install"]["python"].startswith(str(project.parent))
    assert "::error title=discarded-update" in job.log
