"""The packages of Office Open XML (ISO/IEC 29500-2): parts in a ZIP file, and which part points to which.

Parts are never looked for by name, except the first: programs name them as they like. A part is read once, so
that parts that point to each other come to an end.
"""

from __future__ import annotations

import posixpath
from typing import NamedTuple
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from gossamer.convert.dates import file_seconds
from gossamer.convert.files.markup import Handler, tree, walk
from gossamer.convert.files.page import About
from gossamer.convert.files.zip.zipped import Archive
from gossamer.convert.source import Source

_SMALL = 32 << 20
"""Bytes of a part that is made a tree."""


class Relation(NamedTuple):
    """A pointer from a part to another, or out of the package."""

    kind: str
    """The last word of its type: image, hyperlink, footnotes..."""
    target: str
    """The name of a part, or an address."""
    outside: bool


class Package:
    """The parts of one file."""

    def __init__(self, source: Source) -> None:
        self.archive = Archive(source.data, source.allowance)
        self._names = {name.lower(): name for name in self.archive.members}
        self._read: set[str] = set()
        self._relations: dict[str, dict[str, Relation]] = {}

    def main(self, usual: str) -> str:
        """The part that everything begins with; `usual` where the package does not say."""
        found = next(iter(self.related("", "officeDocument")), usual)
        if found.lower() not in self._names:
            self.archive.note(f"its main part, {found!r}, is missing")
        return found

    def relations(self, part: str) -> dict[str, Relation]:
        """Where a part points to, by the names it uses for that. The package as a whole is the part without name."""
        known = self._relations.get(part)
        if known is None:
            folder, name = posixpath.split(part)
            known = self._relations[part] = {
                element.get("Id", ""): _relation(element.attrib, folder)
                for element in self.tree(posixpath.join(folder, "_rels", f"{name}.rels")).iter("rel:Relationship")
            }
        return known

    def related(self, part: str, kind: str) -> list[str]:
        """The parts of one kind that a part points to."""
        found = self.relations(part).values()
        return [relation.target for relation in found if relation.kind == kind and not relation.outside]

    def target(self, part: str, name: str | None) -> str:
        """The part that a part calls by this name; nothing, if it is none."""
        relation = self.relations(part).get(name or "")
        return relation.target if relation and not relation.outside else ""

    def address(self, part: str, name: str | None) -> str:
        """The address that a part calls by this name; nothing, if it is none."""
        relation = self.relations(part).get(name or "")
        return relation.target if relation and relation.outside else ""

    def walk(self, part: str, handler: Handler, skipped: frozenset[str] = frozenset()) -> None:
        """Read a large part, once."""
        name = self._names.get(part.lower())
        if name is None or name in self._read:
            return
        self._read.add(name)
        if problem := walk(self.archive.pieces(name), handler, skipped):
            self.archive.note(f"{name!r}: {problem}")

    def tree(self, part: str, skipped: frozenset[str] = frozenset()) -> Element:
        """Read a small part."""
        return tree(self.archive.pieces(self._names.get(part.lower(), ""), _SMALL), skipped=skipped)

    def about(self) -> About:
        """The core properties, which are the same in all formats."""
        said: dict[str, str] = {}
        for part in self.related("", "core-properties")[:1]:
            for element in self.tree(part).iter():
                said.setdefault(element.tag, (element.text or "").strip())
        return About(
            title=said.get("dc:title", ""),
            author=said.get("dc:creator", ""),
            published=file_seconds(said.get("dcterms:created", "")),
            modified=file_seconds(said.get("dcterms:modified", "")),
        )


def _relation(said: dict[str, str], folder: str) -> Relation:
    kind = said.get("Type", "").rpartition("/")[2]
    target = said.get("Target", "")
    if said.get("TargetMode") == "External":
        return Relation(kind, target, outside=True)
    path = posixpath.normpath(posixpath.join("/", folder, unquote(target.replace("\\", "/"))))
    return Relation(kind, path.lstrip("/"), outside=False)
