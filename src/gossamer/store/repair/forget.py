"""Take versions out of the table, so that what is left still fits together.

A payload is stored once, and its copies point at the capture that had it first. When that goes, the next that has
the payload itself takes its place; versions that only pointed there have nothing left to show and go too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from gossamer.model import URL, Kind
from gossamer.store.capture_rows import SHARED
from gossamer.store.versions import First, Version, Versions

Named: TypeAlias = tuple[URL, Version]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What happened to the versions."""

    gone: Sequence[Named]
    freed: Sequence[URL]
    """Pages that were copies of what is gone, and stand for themselves now."""


def dependent(versions: Versions, gone: Iterable[Named]) -> list[Named]:
    """Versions, not `gone` themselves, whose payload is in one that is."""
    holders = {_name(url, version.began) for url, version in gone}
    return [
        (url, version)
        for url, version in versions.all()
        if version.original is not None
        and _name(version.original, version.original_began) in holders
        and _name(url, version.began) not in holders
    ]


def forget(versions: Versions, gone: Sequence[Named], banned: Callable[[URL], bool] = lambda url: False) -> Forgotten:
    """Take them out. Nothing stays a copy of a page that is `banned`, in whichever shard that was."""
    gone = [*gone, *dependent(versions, gone)]
    for url, version in gone:
        versions.remove(url, version.began)
    return Forgotten(gone, _Rest(versions, gone, banned).mend())


class _Rest:
    """The versions that had to do with what is gone."""

    def __init__(self, versions: Versions, gone: Sequence[Named], banned: Callable[[URL], bool]) -> None:
        self._versions = versions
        self._names = {_name(url, version.began) for url, version in gone}
        self._urls = {url for url, _ in gone}
        self._digests = {version.digest for _, version in gone if version.digest}
        self._banned = banned
        self._left = [(url, version) for url, version in versions.all() if self._concerns(version)]

    def mend(self) -> list[URL]:
        """Whatever pointed at something that is gone points at its heir now, or at nothing. Who is no copy any more."""
        for kind in SHARED:
            heirs = self._heirs(kind)
            for digest in self._digests:
                self._inherit(digest, kind, heirs.get(digest))
        freed = []
        for url, version in self._left:
            changed = self._loosened(url, version)
            if changed != version:
                self._versions.add(url, changed)
            if version.copy_of and not changed.copy_of:
                freed.append(url)
        return freed

    def _concerns(self, version: Version) -> bool:
        return version.digest in self._digests or self._has_lost_text(version) or self._has_lost_original(version)

    def _has_lost_text(self, version: Version) -> bool:
        return version.text_of is not None and _name(version.text_of, version.text_began) in self._names

    def _has_lost_original(self, version: Version) -> bool:
        return version.copy_of is not None and (version.copy_of in self._urls or self._banned(version.copy_of))

    def _heirs(self, kind: Kind) -> dict[str, Named]:
        """Of each payload the earliest capture that holds it."""
        heirs: dict[str, Named] = {}
        for url, version in self._left:
            if version.original is None and version.kind is kind and version.status == 200 and version.size:
                best = heirs.get(version.digest)
                if best is None or version.began < best[1].began:
                    heirs[version.digest] = url, version
        return heirs

    def _inherit(self, digest: str, kind: Kind, heir: Named | None) -> None:
        first = self._versions.first(digest, kind)
        if first is None or _name(first.url, first.began) not in self._names:
            return
        if heir is None:
            self._versions.remove_first(digest, kind)
        else:
            url, version = heir
            self._versions.set_first(digest, First(url, version.began, version.record), kind)

    def _loosened(self, url: URL, version: Version) -> Version:
        changed = version
        if self._has_lost_original(version):
            first = self._versions.first(version.digest)
            heir = first.url if first and first.url != url and not self._banned(first.url) else None
            changed = msgspec.structs.replace(changed, copy_of=heir)
        if self._has_lost_text(version):
            changed = msgspec.structs.replace(changed, text_of=None)
        return changed


def _name(url: URL, began: float) -> tuple[URL, int]:
    return url, round(began * 1_000)
