"""The README in the wheel: its links lead into the repository, once that has an address."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_HOME = re.compile(r'^HOME = "(?P<home>[^"]*)"', re.M)
_LINK = re.compile(r"(?P<image>!?)\[(?P<words>[^\]]*)\]\((?!\w+:|#)(?P<path>[^)]*)\)")


def absolute(markdown: str, home: str) -> str:
    """With addresses for the paths of links and images; without a home their words alone."""

    def replaced(link: re.Match[str]) -> str:
        if not home:
            return link["words"]
        part = "raw" if link["image"] else "blob"
        return f"{link['image']}[{link['words']}]({home}/{part}/main/{link['path']})"

    return _LINK.sub(replaced, markdown)


class Readme(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        found = _HOME.search(Path(self.root, "lint/gotcha_lint/home.py").read_text("utf-8"))
        home = found["home"] if found else ""
        text = absolute(Path(self.root, "README.md").read_text("utf-8"), home)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
