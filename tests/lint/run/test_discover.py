"""Which files a run looks at."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gotcha_lint.config.settings import DEFAULT_EXCLUDES, Overrides, SettingsFinder
from gotcha_lint.files.discover import MissingPath, Walk, discover

Find = Callable[..., list[str]]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Makes empty files (or files with a text) below the working directory."""
    monkeypatch.chdir(tmp_path)

    def make(*paths: str, **texts: str) -> Path:
        for path in paths:
            name, _, text = path.partition("=")
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        return tmp_path

    return make


def find(*paths: str, force: bool | None = None) -> list[str]:
    warnings: list[str] = []
    finder = SettingsFinder(Overrides(force_exclude=force))
    files = discover(paths or (".",), finder, warnings.append)
    assert warnings == []
    return files


def test_python_and_notebooks_sorted(tree: Callable[..., Path]) -> None:
    tree("b.py", "a/z.pyi", "a/b.ipynb", "a.py", "readme.md", "a/x.pyc", "a-b/c.py")
    assert find() == ["a/b.ipynb", "a/z.pyi", "a-b/c.py", "a.py", "b.py"]


def test_paths_are_shown_as_the_user_wrote_them(tree: Callable[..., Path]) -> None:
    root = tree("src/a.py")
    assert find("./src/") == ["src/a.py"]
    assert find("src/../src") == ["src/../src/a.py"]
    assert find(str(root / "src")) == [str(root / "src/a.py")]


@pytest.mark.parametrize("name", DEFAULT_EXCLUDES)
def test_default_excludes(tree: Callable[..., Path], name: str) -> None:
    tree(f"{name}/a.py", f"deep/{name}/b.py", "c.py")
    assert find() == ["c.py"]


def test_an_excluded_directory_is_walked_when_it_is_named(tree: Callable[..., Path]) -> None:
    tree("build/a.py", "build/build/b.py")
    assert find("build") == ["build/a.py"]
    assert find("build", force=True) == []


def test_exclude_and_extend_exclude(tree: Callable[..., Path]) -> None:
    tree("gotcha.toml=extend-exclude = ['gen', '*_pb2.py', 'src/old/']")
    tree("gen/a.py", "a_pb2.py", "src/old/b.py", "old/c.py", "venv/d.py", "e.py")
    assert find() == ["e.py", "old/c.py"]
    assert find("src/old") == ["src/old/b.py"]
    tree("gotcha.toml=exclude = ['e.py']")
    assert "venv/d.py" in find()
    assert "e.py" not in find()


def test_named_files_are_always_linted(tree: Callable[..., Path]) -> None:
    tree("gotcha.toml=extend-exclude = ['a.py']", "a.py", ".venv/b.py", ".gitignore=c.py", "c.py")
    tree("script")
    named = ("a.py", ".venv/b.py", "c.py", "script")
    assert sorted(find(*named)) == sorted(named)
    assert find(*named, force=True) == ["script"]


def test_force_exclude_of_the_file(tree: Callable[..., Path]) -> None:
    tree("gotcha.toml=force-exclude = true\nextend-exclude = ['gen/']", "gen/a.py", "b.py")
    assert find("gen/a.py", "b.py", "gen") == ["b.py"]


def test_a_project_inside_a_directory_called_build(tree: Callable[..., Path]) -> None:
    root = tree("build/project/gotcha.toml=force-exclude = true", "build/project/a.py")
    os.chdir(root / "build/project")
    assert find("a.py") == ["a.py"]
    assert find() == ["a.py"]


def test_gitignore(tree: Callable[..., Path]) -> None:
    tree(".gitignore=out/\n*.tmp.py\n# c.py\n\n!keep.tmp.py\n/top.py")
    tree("out/a.py", "b.tmp.py", "keep.tmp.py", "c.py", "top.py", "sub/top.py")
    tree("sub/.gitignore=local.py\n!special.tmp.py", "sub/local.py", "sub/special.tmp.py")
    assert find() == ["c.py", "keep.tmp.py", "sub/special.tmp.py", "sub/top.py"]
    tree("gotcha.toml=respect-gitignore = false")
    assert len(find()) == 8


def test_gitignore_above_the_named_directory(tree: Callable[..., Path]) -> None:
    tree(".git/HEAD", ".gitignore=skip.py\ngen/", ".git/info/exclude=mine.py")
    tree("src/skip.py", "src/mine.py", "src/a.py", "gen/b.py")
    assert find("src") == ["src/a.py"]
    assert find("gen") == ["gen/b.py"]
    assert find("gen", "src/skip.py", force=True) == []


def test_gitignore_stops_at_the_repository(tree: Callable[..., Path]) -> None:
    tree(".gitignore=*.py", "repo/.git/HEAD", "repo/a.py")
    assert find("repo") == ["repo/a.py"]


def test_exclude_file_of_a_worktree(tree: Callable[..., Path]) -> None:
    tree("main/.git/info/exclude=mine.py", "main/.git/worktrees/w/commondir=../..\n")
    tree("w/.git=gitdir: ../main/.git/worktrees/w\n", "w/mine.py", "w/a.py")
    assert find("w") == ["w/a.py"]


def test_git_agrees(tree: Callable[..., Path]) -> None:
    root = tree(".gitignore=a*/**/x.py\n\\#odd.py\n[bc].py\n!c.py\nd.py/\n**/e.py")
    tree("aa/x.py", "ab/n/x.py", "#odd.py", "b.py", "c.py", "d.py", "m/e.py", "m/f.py")
    subprocess.run(["git", "init", "-q", str(root)], check=True, capture_output=True)
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "--others", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    )
    expected = [line for line in listed.stdout.splitlines() if line.endswith(".py")]
    assert sorted(find()) == sorted(expected)


def test_a_pattern_that_git_could_not_read_either(tree: Callable[..., Path]) -> None:
    tree(".gitignore=!\nb.py\n", "a.py", "b.py")
    assert find() == ["a.py"]


def test_each_file_once(tree: Callable[..., Path]) -> None:
    root = tree("a/b.py")
    assert find("a", "a/b.py", "./a", str(root)) == ["a/b.py"]


def test_links(tree: Callable[..., Path]) -> None:
    root = tree("z/real.py", "outside.txt")
    (root / "a.py").symlink_to(root / "z/real.py")
    (root / "loop").symlink_to(root)
    (root / "z/up").symlink_to("..")
    (root / "broken.py").symlink_to(root / "none")
    assert find() == ["z/real.py"]
    assert find("a.py") == ["a.py"]
    assert find("loop/z") == ["loop/z/real.py"]


def test_a_directory_called_like_a_file(tree: Callable[..., Path]) -> None:
    tree("x.py/a.py", "y.py/readme")
    assert find() == ["x.py/a.py"]
    assert find("x.py") == ["x.py/a.py"]


def test_pipes_are_not_opened(tree: Callable[..., Path]) -> None:
    root = tree("a.py")
    os.mkfifo(root / "pipe.py")
    assert find() == ["a.py"]


def test_a_missing_path_is_named(tree: Callable[..., Path]) -> None:
    tree("a.py")
    with pytest.raises(MissingPath, match=r"'none\.py', 'also none'"):
        find("a.py", "none.py", "also none")


def test_an_unreadable_directory_is_a_warning(
    tree: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree("a/x.py", "b/y.py")
    scan = os.scandir

    def refusing(path: str) -> object:
        if path.endswith("a"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    warnings: list[str] = []
    assert Walk(SettingsFinder(), warnings.append).files(["."]) == ["b/y.py"]
    assert warnings == ["'a' cannot be read: Permission denied"]


def test_a_name_that_is_not_utf8(tree: Callable[..., Path]) -> None:
    root = tree("a.py")
    Path(os.fsdecode(os.fsencode(root) + b"/\xff.py")).touch()
    assert find() == ["a.py", "\udcff.py"]


def test_many_levels(tree: Callable[..., Path]) -> None:
    tree("/".join(["d"] * 300) + "/a.py")
    assert len(find()) == 1
