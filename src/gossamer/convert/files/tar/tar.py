"""TAR files of documents: what their members say."""

from __future__ import annotations

from functools import partial

from gossamer.convert.files.bundle import MEMBER_MOST, Bundle
from gossamer.convert.files.tar.headers import Archive
from gossamer.convert.source import Source
from gossamer.model import Page


def read(source: Source) -> Page:
    """What the members of an archive say; of one that is damaged, those before the damage."""
    archive, bundle = Archive(source.data), Bundle(source)
    for member in archive.members.values():
        bundle.add(member.name, partial(archive.read, member.name, MEMBER_MOST))
    return bundle.page(archive.problem)
