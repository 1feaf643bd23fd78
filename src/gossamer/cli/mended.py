"""What a repair or a removal has done, as people read it."""

from __future__ import annotations

from gossamer.cli.answers import counted, printable, when
from gossamer.collection.repair import Loss, Repaired

SHOWN_MOST = 100
"""Pages that are named; `--json` has all."""


def repaired(folder: str, done: Repaired) -> str:
    """What was wrong, what is lost, where the damaged files are, and whether all is well now."""
    if not done.problems and not done.aside:
        return "all was well; nothing to repair"
    lines = [*done.problems, *(f"lost: bytes {gap.start} to {gap.end} of {gap.file}" for gap in done.gaps)]
    lines += [_loss(each) for each in done.lost[:SHOWN_MOST]]
    if len(done.lost) > SHOWN_MOST:
        lines.append(f"lost: {len(done.lost) - SHOWN_MOST:,} more; --json names all")
    lines += [f"put aside: {path}" for path in done.aside]
    if done.adopted:
        lines.append(f"taken in: {counted(done.adopted, 'capture')} that had no row")
    queued = sum(loss.queued for loss in done.lost)
    if queued:
        lines.append(f"{counted(queued, 'address')} to be fetched again; `gossamer crawl {folder}` does it")
    lines += [f"still wrong: {problem}" for problem in done.left]
    lines.append(f"repaired; {counted(len(done.left), 'problem')} left" if done.left else "repaired; all is well now")
    return "\n".join(map(printable, lines))


def _loss(loss: Loss) -> str:
    fate = "to be fetched again" if loss.queued else "lost for good"
    return f"lost: {loss.url} as of {when(loss.fetched)}, {fate}"
