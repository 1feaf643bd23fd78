"""TAR files of documents: what their members say.

The heads are read by the standard library, which knows the five dialects there are. Nothing is unpacked to a disk, so
names that climb out and links mean nothing here; what a sparse member claims to hold is cut like any other.
"""

from __future__ import annotations

import tarfile
from functools import partial
from io import BytesIO

from gossamer.convert.files.bundle import MEMBER_MOST, Bundle
from gossamer.convert.source import Source
from gossamer.model import Page

MEMBERS_MOST = 20_000


def read(source: Source) -> Page:
    """What the members of an archive say; of one that is damaged, those before the damage."""
    bundle, problem = Bundle(source), ""
    try:
        with tarfile.open(fileobj=BytesIO(source.data), mode="r:", errors="replace") as archive:
            for number, member in enumerate(archive):
                if number >= MEMBERS_MOST:
                    problem = f"more than {MEMBERS_MOST:,} members; the others were not read"
                    break
                if member.isfile():
                    bundle.add(member.name, partial(_member, archive, member))
    except (tarfile.TarError, ValueError, EOFError, OverflowError) as error:
        problem = f"is damaged: {error}"
    return bundle.page(problem)


def _member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    return b"" if file is None else file.read(min(member.size, MEMBER_MOST))
