"""From when to when did a page say what? Its versions in a row, those that say the same as one.

A text is that of the page from the first capture that has it to the first that has not: another text, a redirect, or
that the page is gone. An error that may pass ends nothing, and neither does a 304.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby, pairwise
from typing import NamedTuple

from gossamer.model import URL, Kind
from gossamer.store.archive import Archive
from gossamer.store.versions import Version, tells


class Told(NamedTuple):
    """What a version says of its page."""

    version: Version
    identity: object
    """By which its text is told from others of the page; None: nobody could find it."""


class Span(NamedTuple):
    """A text, and how long it was that of the page."""

    since: float
    until: float | None
    """None: it still is."""
    versions: tuple[Version, ...]
    """Those that have it, the oldest first."""


def timeline(archive: Archive, versions: Iterable[Version]) -> list[Told]:
    """The versions that tell what the page was, the oldest first; they come with the newest first."""
    return [Told(version, _identity(archive, version)) for version in versions if _tells(version)][::-1]


def spans(told: Iterable[Told]) -> list[Span]:
    """The texts that a page could be found by, the oldest first."""
    runs = [
        (identity, [each.version for each in run]) for identity, run in groupby(told, key=lambda each: each.identity)
    ]
    ends: list[float | None] = [later[0].began for _, (_, later) in pairwise(runs)]
    return [
        Span(run[0].began, until, tuple(run))
        for (identity, run), until in zip(runs, [*ends, None], strict=False)
        if identity is not None
    ]


def since(archive: Archive, url: URL, version: Version) -> float:
    """When the page was first seen with the text of a version."""
    identity, began = _identity(archive, version), version.began
    if identity is None:
        return began
    for earlier in filter(_tells, archive.versions.of(url, until=version.began)):
        if _identity(archive, earlier) != identity:
            break
        began = earlier.began
    return began


def _tells(version: Version) -> bool:
    return version.kind is Kind.PAGE and tells(version.status)


def _identity(archive: Archive, version: Version) -> object:
    if not 200 <= version.status < 300 or version.noindex or version.copy_of or version.near_copy_of:
        return None
    place = archive.text_place(version)
    return place.identity if place else None
