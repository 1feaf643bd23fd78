"""Hits, links, ranks and measures as people read them, and as machines do."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gossamer.cli.out import BOLD, PLAIN, coloured
from gossamer.shown import counted, line, text, timestamp

if TYPE_CHECKING:
    from gossamer.collection.ask.links import Links, Neighbour
    from gossamer.model import Hit
    from gossamer.search.measures import Measures
    from gossamer.search.searcher import Answer

NEIGHBOURS_MOST = 20


def as_json(hit: Hit, signs: dict[str, float] | None = None) -> dict[str, Any]:
    """For machines; the words of the question are in mark elements."""
    from gossamer.search.snippets import Snippet

    told = {
        "url": hit.url,
        "title": hit.title,
        "snippet": Snippet(hit.snippet, hit.marks).html,
        "score": round(hit.score, 4),
        "site": hit.site,
        "language": hit.language,
        "date": timestamp(hit.date),
        "copies": list(hit.copies),
    }
    return told if signs is None else told | {"signs": {name: round(value, 4) for name, value in signs.items()}}


def answer(found: Answer, offset: int, folder: str) -> str:
    """A block of lines for each hit."""
    lines = [_hit(number, hit, folder) for number, hit in enumerate(found.hits, offset + 1)]
    if found.suggestion:
        lines.insert(0, f"did you mean: {line(found.suggestion)}")
    last = counted(found.total, "page") if found.hits else "nothing found"
    return "\n\n".join((*lines, last))


def explained(hits: Sequence[tuple[Hit, dict[str, float]]], folder: str) -> str:
    """The same with what each score is made of."""
    blocks = []
    for number, (hit, signs) in enumerate(hits, 1):
        best = sorted(signs.items(), key=lambda sign: -sign[1])
        lines = [f"     {value:8.3f}  {line(name)}" for name, value in best]
        blocks.append("\n".join((_hit(number, hit, folder), *lines)))
    return "\n\n".join(blocks) or "nothing found"


def links(around: Links) -> str:
    """What comes in, what it is called, what goes out."""
    rank = "" if around.rank is None else f", rank {around.rank:.2f} (1 is usual)"
    lines = [f"{line(around.url)}{rank}", f"in: {counted(len(around.incoming), 'page')}"]
    lines += [f"  {line(url)}" for url in around.incoming[:NEIGHBOURS_MOST]]
    lines.append(f"called: {counted(len(around.anchors), 'site')}")
    lines += [f"  {line(anchor)}" for anchor in around.anchors[:NEIGHBOURS_MOST]]
    lines.append(f"out: {counted(len(around.outgoing), 'link')}")
    lines += [f"  {line(link.url)}  {line(link.anchor)}".rstrip() for link in around.outgoing[:NEIGHBOURS_MOST]]
    return "\n".join(lines)


def ranked(top: Sequence[tuple[str, float]]) -> str:
    """A line for each page."""
    return "\n".join(f"{value:10.3f}  {line(url)}" for url, value in top)


def neighbours(around: Sequence[Neighbour], number: int) -> str:
    """The best authorities, then the best hubs."""
    if not around:
        return "no links around the answers"
    hubs = sorted(around, key=lambda each: (-each.hub, each.url))
    lines = ["authorities: good hubs point to them"]
    lines += [f"{each.authority:10.4f}  {line(each.url)}" for each in around[:number] if each.authority > 0]
    lines.append("hubs: they point to good authorities")
    lines += [f"{each.hub:10.4f}  {line(each.url)}" for each in hubs[:number] if each.hub > 0]
    return "\n".join(lines)


def measures(found: Measures) -> str:
    """A line for each measure."""
    return (
        f"questions  {found.questions}\nMAP        {found.average_precision:.4f}\n"
        f"nDCG@10    {found.ndcg:.4f}\nrecall@100 {found.recall:.4f}"
    )


def _hit(number: int, hit: Hit, folder: str) -> str:
    title = line(hit.title) or "(no title)"
    cure = f"`gossamer similar {shlex.quote(folder)} {shlex.quote(line(hit.url))}`"
    more = f"\n     {len(hit.copies):,} more like this: {cure}" if hit.copies else ""
    return f"{number:3}. {title}\n     {line(hit.url)}\n     {_marked(hit)}{more}"


def _marked(hit: Hit) -> str:
    """Bold on a terminal."""
    if not coloured():
        return text(hit.snippet)
    pieces, end = [], 0
    for start, stop in hit.marks:
        pieces += [text(hit.snippet[end:start]), BOLD, text(hit.snippet[start:stop]), PLAIN]
        end = stop
    return "".join((*pieces, text(hit.snippet[end:])))
