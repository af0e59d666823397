"""The heavy parts behind the command line, imported when they are needed; tests put fakes here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gotcha_lint.config.selection import RuleText
    from gotcha_lint.config.settings import Settings

    Progress = Callable[[int, int], None] | None


class Tools:
    """The engine and the rules."""

    @property
    def rules(self) -> Mapping[str, RuleText]:
        from gotcha_lint import registry

        return registry.rules()

    def lint(
        self,
        files: Sequence[str],
        settings_for: Callable[[str], Settings],
        *,
        jobs: int,
        screen: bool,
        overlay: Mapping[str, bytes],
        progress: Progress,
        cached: bool = True,
        named: Collection[str] = (),
    ) -> Any:
        """The report of `engine.lint`; `cached`: what earlier runs have found counts.

        `named`: the files that the user named one by one.
        """
        from gotcha_lint import engine
        from gotcha_lint.memo import cache

        return engine.lint(
            files,
            settings_for,
            jobs=jobs,
            screen=screen,
            overlay=overlay,
            progress=progress,
            named=named,
            cache=cache.Cache(cache.default_folder()) if cached else None,
        )

    def compiles(
        self,
        files: Sequence[str],
        settings_for: Callable[[str], Settings],
        *,
        screen: bool,
        overlay: Mapping[str, bytes],
    ) -> Any:
        """The rows of `--compiles`, and the failures."""
        from gotcha_lint import engine
        from gotcha_lint.views.compiles import rows

        return rows(engine.workspace(files, settings_for, overlay, screen), files)

    def why(
        self,
        path: str,
        line: int,
        settings_for: Callable[[str], Settings],
        *,
        screen: bool,
        overlay: Mapping[str, bytes],
    ) -> tuple[str, Sequence[Any]]:
        """What is known about a line, and the failures. Raises ValueError where that is nothing."""
        from gotcha_lint.views.why import Looked

        looked = Looked(path, settings_for, screen=screen, overlay=overlay)
        return looked.why(line), looked.failures
