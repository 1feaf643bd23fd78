"""Which old versions of a page may go? By a rule like `last 5` or `90 days`, and never the only copy of anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gossamer.store.versions import Version, tells

DAY = 86_400.0
_DAYS = {"day": 1.0, "d": 1.0, "week": 7.0, "w": 7.0, "month": 30.0, "year": 365.0, "y": 365.0}
_RULE = re.compile(r"(?:last )?(\d{1,6}) ?([a-z]*)")


class Rule(NamedTuple):
    """What is kept. Without a number everything is."""

    versions: int = 0
    days: float = 0.0

    @classmethod
    def of(cls, text: str) -> Rule:
        """`all`, `last 5`, `90 days` and the like; ValueError for anything else."""
        words = " ".join(text.lower().split())
        if words == "all":
            return cls()
        found = _RULE.fullmatch(words)
        number, unit = (int(found[1]), found[2]) if found else (0, "")
        if number and unit in ("", "version", "versions") and (unit or words.startswith("last")):
            return cls(versions=number)
        days = _DAYS.get(unit) or _DAYS.get(unit.removesuffix("s"))
        if number and days:
            return cls(days=number * days)
        raise ValueError(text)

    @property
    def keeps_all(self) -> bool:
        """Nothing goes by it."""
        return not (self.versions or self.days)

    def superfluous(self, versions: Sequence[Version], now: float) -> Iterator[Version]:
        """Those of an address that may go; they come with the newest first.

        The newest that tells something stays, and the newest with a page, though the page may be gone by now. What a
        page was at the beginning of the last 90 days is its newest version from before: it stays too.
        """
        kept, has_document, reaches_back = 0, False, False
        for version in versions:
            is_document = 200 <= version.status < 300
            if not tells(version.status):
                stays = kept == 0
            elif self.versions:
                stays = kept < self.versions
            else:
                stays = not reaches_back
                reaches_back = reaches_back or version.began <= now - self.days * DAY
            if stays or (is_document and not has_document):
                kept += tells(version.status)
                has_document = has_document or is_document
            else:
                yield version
