"""Packs the built extension as a .vsix, a zip with two manifests. Same files, same bytes."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold
ONLY_FOR_BUILDING = ("private", "scripts", "devDependencies")
CONTENT_TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension=".json" ContentType="application/json"/>
<Default Extension=".js" ContentType="application/javascript"/>
<Default Extension=".md" ContentType="text/markdown"/>
<Default Extension=".txt" ContentType="text/plain"/>
<Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""


def pack(built: Path, out: Path) -> Path:
    """Writes the package into the folder `out`; `built` is the bundled script."""
    package = json.loads((HERE / "package.json").read_text("utf-8"))
    target = out / f"{package['name']}-{package['version']}.vsix"
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(_files(package, built)):
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return target


def _files(package: Mapping[str, Any], built: Path) -> Iterator[tuple[str, bytes]]:
    shipped = {key: value for key, value in package.items() if key not in ONLY_FOR_BUILDING}
    yield "[Content_Types].xml", CONTENT_TYPES.encode()
    yield "extension.vsixmanifest", manifest(package).encode()
    yield "extension/package.json", (json.dumps(shipped, indent=2) + "\n").encode()
    yield "extension/dist/extension.js", built.read_bytes()
    yield "extension/README.md", (HERE / "README.md").read_bytes()
    yield "extension/LICENSE.txt", (ROOT / "LICENSE").read_bytes()


def manifest(package: Mapping[str, Any]) -> str:
    """What an editor reads before it opens package.json."""
    identity = {
        "Language": "en-US",
        "Id": package["name"],
        "Version": package["version"],
        "Publisher": package["publisher"],
    }
    properties = {
        "Microsoft.VisualStudio.Code.Engine": package["engines"]["vscode"],
        "Microsoft.VisualStudio.Code.ExtensionDependencies": "",
        "Microsoft.VisualStudio.Code.ExtensionPack": "",
        "Microsoft.VisualStudio.Code.ExtensionKind": ",".join(package["extensionKind"]),
    }
    assets = {
        "Microsoft.VisualStudio.Code.Manifest": "package.json",
        "Microsoft.VisualStudio.Services.Content.Details": "README.md",
        "Microsoft.VisualStudio.Services.Content.License": "LICENSE.txt",
    }
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">',
        "<Metadata>",
        f"<Identity {' '.join(f'{key}={quoteattr(value)}' for key, value in identity.items())}/>",
        f"<DisplayName>{escape(package['displayName'])}</DisplayName>",
        f'<Description xml:space="preserve">{escape(package["description"])}</Description>',
        f"<Tags>{escape(','.join(package['keywords']))}</Tags>",
        f"<Categories>{escape(','.join(package['categories']))}</Categories>",
        "<Properties>",
        *(f"<Property Id={quoteattr(k)} Value={quoteattr(v)}/>" for k, v in properties.items()),
        "</Properties>",
        "<License>extension/LICENSE.txt</License>",
        "</Metadata>",
        '<Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>',
        "<Dependencies/>",
        "<Assets>",
        *(
            f'<Asset Type="{kind}" Path="extension/{path}" Addressable="true"/>'
            for kind, path in assets.items()
        ),
        "</Assets>",
        "</PackageManifest>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist"
    print(pack(HERE / "dist" / "extension.js", out))
