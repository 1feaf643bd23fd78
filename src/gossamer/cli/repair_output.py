"""What a repair or a removal has done, as people read it."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from gossamer.cli.answers import when
from gossamer.printable import counted, line, size

if TYPE_CHECKING:
    from gossamer.collection.maintain.removal import Removal
    from gossamer.collection.maintain.repair import Loss, Repaired
    from gossamer.store.repair.prune import LetGo

SHOWN_MOST = 100
"""Pages that are named; `--json` has all."""


def repaired(folder: str, done: Repaired) -> str:
    """What was wrong, what is lost, where the damaged files are, and whether all is well now."""
    if not (done.problems or done.aside or done.left):
        return "all was well; nothing to repair"
    lines = [*done.problems, *(f"lost: bytes {gap.start} to {gap.end} of {gap.file}" for gap in done.gaps)]
    lines += [f"lost: {each}" for each in done.gone]
    lines += [_loss(each) for each in done.lost[:SHOWN_MOST]]
    if len(done.lost) > SHOWN_MOST:
        lines.append(f"lost: {len(done.lost) - SHOWN_MOST:,} more; --json names all")
    lines += [f"put aside: {path}" for path in done.aside]
    if done.adopted:
        lines.append(f"taken in: {counted(done.adopted, 'capture')} that had no row")
    queued = sum(loss.queued for loss in done.lost)
    if queued:
        lines.append(f"{counted(queued, 'address')} to be fetched again; `gossamer crawl {folder}` does it")
    if done.gone:
        lines.append(f"what was lost and is still on the web is fetched again by `gossamer crawl {folder}`")
    lines += [f"still wrong: {problem}" for problem in done.left]
    well = "what is left is well" if done.gone else "all is well now"
    lines.append(f"repaired; {counted(len(done.left), 'problem')} left" if done.left else f"repaired; {well}")
    return "\n".join(map(line, lines))


def removing(chosen: Removal, archive: bool) -> str:
    """What would go."""
    lines = list(chosen.urls[:SHOWN_MOST])
    if len(chosen.urls) > SHOWN_MOST:
        lines.append(f"and {len(chosen.urls) - SHOWN_MOST:,} more")
    what = f"{counted(len(chosen.urls), 'address')}, {counted(chosen.versions, 'version')}"
    records = f"{size(chosen.bytes)} of records in the archive" if archive else "the records stay in the archive"
    return "\n".join(map(line, [*lines, f"{what}; {records}"]))


def pruning(goes: LetGo) -> str:
    """What would go."""
    lines = [f"{number:6,}  {url}" for url, number in islice(goes.pages.items(), SHOWN_MOST)]
    if len(goes.pages) > SHOWN_MOST:
        lines.append(f"and some of {counted(len(goes.pages) - SHOWN_MOST, 'more page')}")
    lines.append(f"{counted(goes.versions, 'old version')} with {size(goes.bytes)} of records in the archive")
    return "\n".join(map(line, lines))


def pruned(goes: LetGo, *, dry: bool) -> str:
    """How much would go, or has gone."""
    if dry:
        return f"{pruning(goes)}\nnothing was changed; without --dry-run they go"
    if not goes.versions and not goes.freed:
        return "nothing to let go: no version is older than the rule says"
    return f"let {counted(goes.versions, 'old version')} go; the files are {size(goes.freed)} smaller"


def removed(chosen: Removal, archive: bool, *, dry: bool) -> str:
    """What would go, or has gone."""
    if dry:
        return f"{removing(chosen, archive)}\nnothing was changed; without --dry-run it is removed"
    before = len(chosen.urls) - chosen.fresh
    again = f" ({before:,} of them before)" if before else ""
    records = (
        " and from the archive"
        if archive
        else "; the WARC files still have what was fetched: --archive takes that out too"
    )
    seeds = f"; wrong seeds, taken out of the plan: {', '.join(map(line, chosen.seeds))}" if chosen.seeds else ""
    return f"removed {counted(len(chosen.urls), 'address')}{again}{records if chosen.versions else ''}{seeds}"


def _loss(loss: Loss) -> str:
    fate = "to be fetched again" if loss.queued else "lost for good"
    return f"lost: {loss.url} as of {when(loss.fetched)}, {fate}"
