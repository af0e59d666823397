"""Which files a run reads: what makes a project, and what does not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gotcha_lint.files import workspace


@pytest.fixture(autouse=True)
def forgotten():
    """What a test finds to be a project is not remembered for the next."""
    workspace.root_of.cache_clear()
    yield
    workspace.root_of.cache_clear()


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def read(folder: Path) -> set[str]:
    files = workspace.project_files(str(folder))
    return {Path(path).relative_to(folder).as_posix() for path in files}


@pytest.mark.parametrize("working", ["home", ".", "home/project"])
@pytest.mark.parametrize("marker", ["train.py", "setup.cfg"])
def test_a_home_directory_is_no_project(tmp_path, monkeypatch, working, marker):
    """A script in it is read with the modules and packages beside it, not with all around."""
    home = tmp_path / "home"
    make(home, "train.py", "losses.py", "package/__init__.py", "scattered/other.py", marker)
    make(home / "project", "pyproject.toml", "own.py", "below/more.py")
    monkeypatch.setattr(workspace, "_no_projects", lambda: (str(home), "/nowhere"))
    monkeypatch.chdir(tmp_path / working)
    assert workspace.root_of(str(home)) == str(home)
    assert read(home) == {"train.py", "losses.py", "package/__init__.py"}
    assert workspace.root_of(str(home / "project" / "below")) == str(home / "project")
    assert read(home / "project") == {"own.py", "below/more.py"}


def test_projects_in_an_unmarked_directory_are_apart(tmp_path, monkeypatch):
    make(tmp_path, "a/a.py", "a/pyproject.toml", "b/b.py", "c.py")
    monkeypatch.chdir(tmp_path)
    assert workspace.root_of(str(tmp_path / "b")) == str(tmp_path)
    assert read(tmp_path) == {"c.py", "b/b.py"}


@pytest.mark.parametrize(
    "names",
    [("README.md",), ("requirements.txt", "src/README.md"), ("LICENSE", "src/README.md")],
)
def test_a_download_without_git_is_one_project(tmp_path, monkeypatch, names):
    """Read from anywhere: what stands at the top of nearly every repository tells its root."""
    monkeypatch.setattr(workspace, "_no_projects", lambda: (str(tmp_path), "/nowhere"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    project = tmp_path / "project-main"
    make(project, "train.py", "src/models/net.py", "src/step.py", *names)
    make(tmp_path, "README.md")  # of nothing: a scratch directory is no project
    assert workspace.root_of(str(project / "src" / "models")) == str(project)
    assert read(project) == {"train.py", "src/models/net.py", "src/step.py"}


def test_what_a_repository_has_at_its_top_ends_no_project(tmp_path, monkeypatch):
    make(tmp_path, "pyproject.toml", "README.md", "examples/requirements.txt", "examples/a.py")
    monkeypatch.chdir(tmp_path)
    assert workspace.root_of(str(tmp_path / "examples")) == str(tmp_path)
    assert read(tmp_path) == {"examples/a.py"}


def test_the_users_home_and_scratch_are_known():
    assert os.path.expanduser("~") in workspace._no_projects()
