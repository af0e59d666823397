"""The pinned JAX projects that the benchmarks read: fetching, checking, unpacking.

Nothing of a project is ever run. `pip download` would build the metadata of a source distribution,
which runs its setup code; so pip's own index machinery is asked only where the pinned file lies
(whatever index the user configured), the file is checked against its recorded sha256, and the
sources are taken out of the archive.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PINNED = HERE / "ecosystem.json"
RESULTS = HERE / "results"
DEFAULT_CACHE = Path("~/.cache/gotcha-ecosystem")
ARCHIVES = ".archives"
# What a linter reads, and the file that marks a project's root. Weights and figures stay packed.
KEPT = (".py", ".pyi", ".ipynb", "pyproject.toml")


class FetchError(Exception):
    """A pinned file could not be had, or is not the one that was pinned."""


@dataclass(frozen=True)
class Project:
    """One pinned release of a project, by the one file of it that is read."""

    name: str
    version: str
    role: str
    """`library` or `trainer` (has training loops that people run)."""
    kind: str
    """`sdist`, or `wheel` where there is no source distribution."""
    file: str
    sha256: str

    @property
    def folder(self) -> str:
        return f"{self.name}-{self.version}"


def pinned(only: Iterable[str] = ()) -> list[Project]:
    """The projects of `ecosystem.json`, or those named in `only`."""
    rows = json.loads(PINNED.read_text(encoding="utf-8"))["projects"]
    projects = [Project(**row) for row in rows]
    wanted = set(only)
    unknown = wanted - {project.name for project in projects}
    if unknown:
        raise SystemExit(f"not in {PINNED.name}: {', '.join(sorted(unknown))}")
    return [project for project in projects if not wanted or project.name in wanted]


def pin(requirements: Iterable[str], role: str) -> None:
    """Look up `name==version` (or `name`: the newest) and record it in `ecosystem.json`."""
    rows = {project.name: project for project in pinned()} if PINNED.exists() else {}
    index = Index()
    for requirement in requirements:
        name, _, version = requirement.partition("==")
        rows[name] = index.choose(name, version, role)
    projects = [asdict(rows[name]) for name in sorted(rows)]
    PINNED.write_text(json.dumps({"projects": projects}, indent=1) + "\n", encoding="utf-8")


class Index:
    """The user's package index, asked through pip.

    The one place that needs pip's private modules: no public command gives a source distribution
    without running its build.
    """

    def __init__(self) -> None:
        # pip has no types and may be missing (uv's environments have none): said only when needed.
        try:
            from pip._internal.commands import create_command
        except ImportError as error:
            raise FetchError("fetching needs pip in this environment") from error
        command: Any = create_command("download")
        options, _ = command.parse_args(["--no-deps", "--ignore-requires-python", "-q", "any"])
        with command.main_context():
            self._session: Any = command.get_default_session(options)
        self._finder: Any = command._build_package_finder(
            options, self._session, ignore_requires_python=True
        )

    def choose(self, name: str, version: str, role: str) -> Project:
        """Pin one file: the source distribution, for its examples, else the pure wheel."""
        found = self._finder.find_all_candidates(name)
        if version:
            found = [each for each in found if str(each.version) == version]
        if not found:
            raise FetchError(f"{name} {version}: no source distribution and no pure wheel")
        final = [each for each in found if not each.version.is_prerelease] or found
        newest = max(each.version for each in final)
        best = min((each.link for each in final if each.version == newest), key=_wheel_last)
        kind = "wheel" if best.is_wheel else "sdist"
        return Project(name, str(newest), role, kind, best.filename, str(best.hash))

    def download(self, project: Project, target: Path) -> None:
        """Write the pinned file to `target`, which exists only when its sha256 was right."""
        for each in self._finder.find_all_candidates(project.name):
            if each.link.filename == project.file:
                break
        else:
            raise FetchError(f"{project.file} is not offered by the index")
        answer = self._session.get(each.link.url_without_fragment, stream=True)
        answer.raise_for_status()
        part = target.with_name(target.name + ".part")
        with part.open("wb") as out:
            shutil.copyfileobj(answer.raw, out)
        if digest(part) != project.sha256:
            part.unlink()
            raise FetchError(f"{project.file} has another sha256 than the pinned one")
        os.replace(part, target)


def _wheel_last(link: Any) -> bool:
    return bool(link.is_wheel)


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(projects: Iterable[Project], cache: Path) -> Iterator[tuple[Project, Path | str]]:
    """Each project with its unpacked folder, or with why it could not be had."""
    archives = cache / ARCHIVES
    archives.mkdir(parents=True, exist_ok=True)
    index: Index | None = None
    for project in projects:
        folder = cache / project.folder
        archive = archives / project.file
        try:
            if not folder.is_dir():
                if not archive.exists():
                    index = index or Index()
                    index.download(project, archive)
                elif digest(archive) != project.sha256:
                    raise FetchError(f"{archive} is not the pinned file (sha256): remove it")
                unpack(archive, folder)
            yield project, folder
        # pip raises its own and its vendored libraries' errors for a network that fails.
        except Exception as error:
            yield project, f"{type(error).__name__}: {error}"


def unpack(archive: Path, folder: Path) -> None:
    """Take the sources out of an archive; `folder` appears whole or not at all."""
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".unpack-") as name:
        scratch = Path(name) / "sources"
        scratch.mkdir()
        if archive.suffix in (".whl", ".zip"):
            _unzip(archive, scratch)
        else:
            _untar(archive, scratch)
        entries = list(scratch.iterdir())
        # A source distribution holds one folder, `name-version`: not worth a level.
        single = len(entries) == 1 and entries[0].is_dir() and archive.suffix != ".whl"
        top = entries[0] if single else scratch
        mark_root(top)
        os.replace(top, folder)


def mark_root(folder: Path) -> None:
    """Make a folder the root of a project, as its repository is: wheels hold no such file.

    Without one a linter would look for the root above, in whatever holds the cache.
    """
    (folder / "pyproject.toml").touch()


def _unzip(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder, [each for each in packed.namelist() if each.endswith(KEPT)])


def _untar(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as packed:
        members = [each for each in packed if each.isfile() and each.name.endswith(KEPT)]
        packed.extractall(folder, members, filter="data")


def sources(folder: Path, suffixes: tuple[str, ...] = (".py",)) -> list[Path]:
    """The source files under a folder, in a fixed order."""
    return sorted(each for each in folder.rglob("*") if each.suffix in suffixes and each.is_file())


def write_result(name: str, data: dict[str, Any]) -> None:
    """Keep a benchmark's numbers where they are committed."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    (RESULTS / name).write_text(text, encoding="utf-8")


def line_count(files: Iterable[Path]) -> int:
    return sum(file.read_bytes().count(b"\n") for file in files)
