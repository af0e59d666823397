"""The README on a package index: its links lead into the repository, which is not there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

REPOSITORY = "https://github.com/gotcha-lint/gotcha/blob/main/"
IMAGES = "https://raw.githubusercontent.com/gotcha-lint/gotcha/main/"
_LINK = re.compile(r"(?P<words>(?P<image>!?)\[[^\]]*\]\()(?!\w+:|#)")


def absolute(markdown: str) -> str:
    """With addresses for the paths of links and images."""
    return _LINK.sub(lambda m: m["words"] + (IMAGES if m["image"] else REPOSITORY), markdown)


class Readme(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = absolute(Path(self.root, "README.md").read_text("utf-8"))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
