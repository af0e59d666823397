"""Names of modules, and the files that imports mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from gotcha_lint.program.project import Project

TREE = (
    "src/pack/__init__.py",
    "src/pack/core.py",
    "src/pack/sub/__init__.py",
    "src/pack/sub/deep.py",
    "src/pack/jax/__init__.py",
    "scripts/train.py",
    "scripts/helpers.py",
    "scripts/train.ipynb",
    "other/train.py",
    "other/use.py",
    "other/stub.pyi",
    "plain/inner/leaf.py",
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    paths = [tmp_path / name for name in TREE]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    # Empty ones are not always among the files of a run
    chosen = [path for path in paths if not path.match("sub/__init__.py")]
    return Project([str(path) for path in chosen], frozenset({"jax"}))


@pytest.mark.parametrize(
    ("path", "root", "name", "is_package"),
    [
        ("src/pack/__init__.py", "src", "pack", True),
        ("src/pack/core.py", "src", "pack.core", False),
        ("src/pack/sub/deep.py", "src", "pack.sub.deep", False),
        ("scripts/train.py", "scripts", "train", False),
        ("scripts/train.ipynb", "scripts", "train", False),
        ("plain/inner/leaf.py", "plain/inner", "leaf", False),
    ],
)
def test_names(
    project: Project, tmp_path: Path, path: str, root: str, name: str, is_package: bool
) -> None:
    found = project.files[str(tmp_path / path)]
    assert (found.root, found.name) == (str(tmp_path / root), name)
    assert found.is_package is is_package


@pytest.mark.parametrize(
    ("importer", "level", "module", "found"),
    [
        ("scripts/train.py", 0, "helpers", "scripts/helpers.py"),
        ("scripts/helpers.py", 0, "train", "scripts/train.py"),
        ("other/use.py", 0, "train", "other/train.py"),
        ("other/use.py", 0, "stub", "other/stub.pyi"),
        ("other/use.py", 0, "helpers", None),
        ("scripts/train.py", 0, "pack.core", "src/pack/core.py"),
        ("scripts/train.py", 0, "pack", "src/pack/__init__.py"),
        ("scripts/train.py", 0, "jax", None),
        ("src/pack/core.py", 1, "sub.deep", "src/pack/sub/deep.py"),
        ("src/pack/sub/deep.py", 2, "core", "src/pack/core.py"),
        ("src/pack/sub/deep.py", 2, "", "src/pack/__init__.py"),
        ("src/pack/__init__.py", 1, "core", "src/pack/core.py"),
        ("src/pack/core.py", 0, "numpy", None),
    ],
)
def test_imports(
    project: Project, tmp_path: Path, importer: str, level: int, module: str, found: str | None
) -> None:
    wanted = None if found is None else str(tmp_path / found)
    assert project.find(module, str(tmp_path / importer), level) == wanted


def test_a_module_is_a_member_of_its_package(project: Project, tmp_path: Path) -> None:
    importer = str(tmp_path / "src/pack/sub/deep.py")
    core = str(tmp_path / "src/pack/core.py")
    assert project.member("pack", "core", importer) == core
    assert project.member("", "core", importer, level=2) == core
    assert project.member("pack", "f", importer) is None


def test_a_package_comes_before_a_module_of_its_name(tmp_path: Path):
    paths = [str(tmp_path / name) for name in ("a/prices.py", "a/prices/__init__.py", "a/use.py")]
    project = Project([*paths, str(tmp_path / "a/__init__.py")])
    assert project.find("a.prices", paths[2]) == paths[1]
    assert project.find("prices", paths[2], level=1) == paths[1]
