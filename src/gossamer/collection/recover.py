"""After a kill: what the archive holds beyond the last commit was fetched, so it is taken in, not fetched again."""

from __future__ import annotations

from collections.abc import Callable

from gossamer.frontier import Frontier
from gossamer.model import Answer, Capture, Page
from gossamer.store.archive import Archive


def roll_forward(
    archive: Archive,
    frontier: Frontier,
    read: Callable[[Capture], Page],
    mark: Callable[[Page], Page],
    keep: Callable[[Capture, Page, bool], None],
) -> None:
    """Take in every whole capture past the committed length; what follows the last one is cut off.

    `keep` is for what follows from a page that the archive has, and is told whether it says something new.
    """
    for group in archive.uncommitted():
        capture = archive.restored(group)
        page = mark(read(capture))
        keep(capture, page, archive.register_again(group.response, capture, page))
        frontier.done(Answer(capture.visit, capture, page))
