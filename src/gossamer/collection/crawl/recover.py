"""After a kill: what the archive holds beyond the last commit was fetched, so it is taken in, not fetched again.

A capture that cannot be taken in is noted and passed over. Where that shows before anything was changed, the next one
follows; where it shows later, all changes are dropped, the note is committed, and whoever is in charge begins again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gossamer.errors import Damaged, GossamerError
from gossamer.frontier import Frontier
from gossamer.frontier.worth.soft404 import Correction
from gossamer.model import URL, Answer, Capture, Page, Visit
from gossamer.printable import log
from gossamer.store.archive import Archive
from gossamer.store.table.table import Table
from gossamer.store.versions import Version
from gossamer.store.warc.reader import Group, circumstances


class PassedOver(Exception):
    """A capture could not be taken in. It is noted. What was only half done is not committed: begin again."""


class Recovery:
    """Takes in what lies past the committed length."""

    def __init__(
        self,
        table: Table,
        archive: Archive,
        frontier: Frontier,
        read: Callable[[Capture], Page],
        mark: Callable[[Page], Page],
        keep: Callable[[Capture, Page, Version | None], None],
        correct: Callable[[Iterable[Correction]], None],
    ) -> None:
        """`keep` is for what follows from a page that the archive has, with its version if it says something new, and
        `correct` for what follows where pages turn out to be something else."""
        self._table = table
        self._archive = archive
        self._frontier = frontier
        self._read = read
        self._mark = mark
        self._keep = keep
        self._correct = correct

    def roll_forward(self) -> None:
        """Take in every whole capture past the committed length; what follows the last one is cut off."""
        for group in self._archive.files.uncommitted():
            url, began = _named(group)
            self._archive.note_asides(group.asides)
            reason = self._archive.passed.reason(url, began)
            if reason is None:
                reason = self._take_in(group, url, began)
            if reason:
                self._frontier.pass_over(_visit(group, url), reason)

    def _take_in(self, group: Group, url: URL, began: float) -> str:
        """Why it cannot be; nothing when it was."""
        try:
            capture = self._archive.restored(group)
            if not capture.status:
                raise Damaged("its record has no HTTP status")
            page = self._mark(self._read(capture))
        except Exception as error:
            if not is_about_it(error):
                raise
            return self._note(url, began, error)
        try:
            self._keep(capture, page, self._archive.register_again(group.response, capture, page))
            self._correct(self._frontier.done(Answer(capture.visit, capture, page)))
        except Exception as error:
            if not is_about_it(error):
                raise
            self._table.drop_changes()
            self._note(url, began, error)
            self._table.commit()
            raise PassedOver(url) from error
        return ""

    def _note(self, url: URL, began: float, error: Exception) -> str:
        reason = f"kept, but could not be taken in: {error!r:.300}"
        log.warning("%s: %s", url, reason)
        self._archive.passed.note(url, began, reason)
        return reason


def is_about_it(error: Exception) -> bool:
    """Is the page the cause, as far as we know? Not if the disk or the machine is: those have words of their own."""
    return not isinstance(error, (GossamerError, OSError, MemoryError)) or isinstance(error, Damaged)


def _named(group: Group) -> tuple[URL, float]:
    return group.response.url or "", group.response.began


def _visit(group: Group, url: URL) -> Visit | None:
    """What it answers; None when it came from elsewhere, or that cannot be known."""
    try:
        told = circumstances(group.metadata)
    except Damaged:
        return Visit(url) if "://" in url else None
    return told.visit if told.source is None else None
