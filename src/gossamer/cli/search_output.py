"""Hits, copies, links, ranks and measures as people read them, and as machines do."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width
from urllib.parse import unquote, urlsplit

from gossamer.cli.answers import when
from gossamer.cli.out import BOLD, PLAIN
from gossamer.cli.terminal import is_coloured
from gossamer.printable import counted, line, text

if TYPE_CHECKING:
    from gossamer.collection.ask.links import Links, Neighbour
    from gossamer.collection.derive.graph_making import Copies
    from gossamer.dedupe.groups import Copy
    from gossamer.dedupe.mirrors import Mirrors
    from gossamer.model import Hit
    from gossamer.search.answer import Answer, Signs
    from gossamer.search.evaluation import Measures

NEIGHBOURS_MOST = 20
VALUES_MOST = 8
"""Of a facet, in a line."""
_INDENT = " " * 5
_COLUMNS_LEAST = 20
"""A terminal that says that it has fewer is not believed."""
_FLAT = str.maketrans("\n\t", "  ")
_MEANINGS = {
    "near copy": (
        "near copy: it says the same, but for a few words or its title; a search shows it with the page above it"
    ),
    "alike": (
        "alike: no copy; most words are the same, but those that differ may name another subject, as a title or a"
        " number does; a search shows it for itself"
    ),
}


_OPTIONS = {
    **dict.fromkeys(("--limit", "--max", "--count", "--top", "--results", "--rows"), "-n N says how many hits"),
    **dict.fromkeys(("--skip", "--start", "--from"), "--offset N leaves out the first"),
    **dict.fromkeys(("--order", "--order-by"), "--sort says in which order"),
    **dict.fromkeys(("--site", "--host", "--domain"), "write site:HOST among the words"),
    **dict.fromkeys(("--type", "--lang", "--title"), "write type:pdf, lang:de or title:word among the words"),
}
"""What other searches call an option."""


def options_taken_as_words(words: Sequence[str], *, found: bool) -> Iterator[str]:
    """A query may have the options of any command, as `git pull --rebase`. One that may have been meant for us, or all
    where nothing is found, are named."""
    for word in words:
        name = word.partition("=")[0]
        if name.startswith("--") and (name in _OPTIONS or not found):
            cure = f"; {_OPTIONS[name]}" if name in _OPTIONS else ""
            yield f"{name} is no option of search, and was looked for as a word{cure}"


NO_PAGE = "there is no page in the collection yet; `gossamer status DIR` says why, `gossamer crawl DIR` goes on"


def answer(question: str, found: Answer, signs: Signs, offset: int, folder: str) -> str:
    """A block of lines for each hit, then what else there is."""
    blocks = [_hit(number, hit, folder, signs.get(hit.url, {})) for number, hit in enumerate(found.hits, offset + 1)]
    if found.at is not None:
        blocks.insert(0, f"as of {when(found.at)}")
    if found.suggestion:
        blocks.insert(0, f"did you mean: {line(found.suggestion)}")
    blocks += ["\n".join(lines) for lines in (_more_from(question, found, folder), _facets(found)) if lines]
    more = "more than " if found.is_least else ""
    last = more + counted(found.total, "page") if found.total else "nothing found"
    return "\n\n".join((*blocks, last))


def said_once(question: str, pages: int, folder: str, *, then: bool) -> str:
    """That pages said at another time what is not found, and the command that shows them."""
    command = f"gossamer search {shlex.quote(folder)} {shlex.quote(line(question))} --all-versions"
    return f"{counted(pages, 'page')} said it {'at another time' if then else 'before'}; `{command}` shows when"


def _more_from(question: str, found: Answer, folder: str) -> list[str]:
    """The command that shows the others: the site first, because a question may end within a phrase."""
    commands = ((site, shlex.quote(line(f"site:{site} {question}"))) for site in found.more_from)
    return [f"more from {line(site)}: gossamer search {shlex.quote(folder)} {asked}" for site, asked in commands]


def _facets(found: Answer) -> list[str]:
    """A line for each, with the most frequent values."""
    lines = []
    for name, counts in (found.facets or {}).items():
        shown = ", ".join(f"{line(value)} {count:,}" for value, count in list(counts.items())[:VALUES_MOST])
        more = len(counts) - VALUES_MOST
        lines += [f"{name + ':':<9} {shown}{' ...' if more > 0 else ''}"] if counts else []
    return lines


def waiting(pages: int | None, *, busy: bool) -> str:
    """That the answer lacks so many pages, and what brings them in; None where nobody has counted them."""
    if pages is None:
        return "pages that were only collected are not in the index; `gossamer build DIR` adds them"
    running = "the command that is running there adds them, mostly within five seconds"
    are = "is" if pages == 1 else "are"
    return (
        f"{counted(pages, 'page')} {are} not in the index yet; {running if busy else '`gossamer build DIR` adds them'}"
    )


def links(around: Links) -> str:
    """What comes in, what it is called, what goes out."""
    rank = "" if around.rank is None else f", rank {around.rank:.2f} (1 is usual)"
    lines = [f"{line(around.url)}{rank}", f"in: {counted(len(around.incoming), 'page')}"]
    lines += _some([line(url) for url in sorted(around.incoming)])
    lines += [f"needed by: {line(around.needed_by)}"] if around.needed_by else []
    lines.append(f"called: {counted(len(around.anchors), 'site')}")
    lines += _some([line(anchor) for anchor in around.anchors])
    outgoing = sorted({(line(link.url), line(link.anchor)) for link in around.outgoing})
    lines.append(f"out: {counted(len(outgoing), 'link')}")
    standing = {line(url): str(target.status or target.state) for url, target in around.targets.items()}
    lines += _some([f"{standing.get(url, '-'):<8}  {url}  {anchor}".rstrip() for url, anchor in outgoing])
    if around.guesses:
        guesses = [(line(link.url), link.place) for link in around.guesses]
        lines.append(f"guessed: {counted(len(guesses), 'address')}")
        lines += _some([f"{standing.get(url, '-'):<8}  {url}  (from {place})" for url, place in guesses])
    if around.requisites:
        needs = [(line(link.url), link.place) for link in around.requisites]
        lines.append(f"needs: {counted(len(needs), 'address')}")
        lines += _some([f"{standing.get(url, '-'):<8}  {url}  ({place})" for url, place in needs])
    if around.forms:
        lines.append(f"forms: {len(around.forms)}")
        lines += _some(
            [line(f"{each.method.upper()} {each.action} ({each.fields}): {each.state}") for each in around.forms]
        )
    return "\n".join(lines)


def _some(said: Sequence[str]) -> list[str]:
    """As many as people read, and how many more there are."""
    more = len(said) - NEIGHBOURS_MOST
    return [f"  {each}" for each in said[:NEIGHBOURS_MOST]] + (
        [f"  and {more:,} more; --json names them"] if more > 0 else []
    )


@dataclass(frozen=True, slots=True)
class Ranked:
    """A page by its links."""

    url: str
    rank: float
    """1 is what each would have if all were equal."""
    links: int
    """Pages that link to it."""
    title: str


def ranked(top: Sequence[Ranked]) -> str:
    """A line for each page, with its title, below what the columns are."""
    lines = [f"{each.rank:10.3f} {each.links:>9,}  {_titled(each.url, {each.url: each.title})}" for each in top]
    return "\n".join(["      rank  links in  (a rank of 1 is usual; links in: from so many pages)", *lines])


def ranked_sites(top: Sequence[tuple[str, float]]) -> str:
    """A line for each site."""
    return "\n".join(f"{value:10.3f}  {line(site)}" for site, value in top)


def _titled(url: str, titles: Mapping[str, str]) -> str:
    return f"{line(url)}  {line(titles.get(url, ''))}".rstrip()


def neighbours(around: Sequence[Neighbour], number: int, titles: Mapping[str, str]) -> str:
    """The best authorities, then the best hubs."""
    if not around:
        return "no links around the answers"
    hubs = sorted(around, key=lambda each: (-each.hub, each.url))
    lines = ["authorities: good hubs point to them"]
    lines += [f"{each.authority:10.4f}  {_titled(each.url, titles)}" for each in around[:number] if each.authority > 0]
    lines.append("hubs: they point to good authorities")
    lines += [f"{each.hub:10.4f}  {_titled(each.url, titles)}" for each in hubs[:number] if each.hub > 0]
    return "\n".join(lines)


def measures(found: Measures) -> str:
    """A line for each measure."""
    return (
        f"questions  {found.questions}\nMAP        {found.average_precision:.4f}\n"
        f"nDCG@10    {found.ndcg:.4f}\nrecall@100 {found.recall:.4f}"
    )


def _file_name(url: str) -> str:
    """What a document without a title is called: the last part of its address."""
    path = urlsplit(url).path.rstrip("/")
    return line(unquote(path.rpartition("/")[2]))


def _hit(number: int, hit: Hit, folder: str, signs: Mapping[str, float]) -> str:
    title = line(hit.title) or _file_name(hit.url) or "(no title)"
    cure = f"`gossamer similar {shlex.quote(folder)} {shlex.quote(line(hit.url))}`"
    more = [f"     {len(hit.copies):,} more like this: {cure}"] if hit.copies else []
    best = sorted(signs.items(), key=lambda sign: -sign[1])
    reasons = [f"     {value:8.3f}  {line(name)}" for name, value in best]
    said = [f"{_INDENT}{_said(hit.since, hit.until, hit.breaks)}"] if hit.since is not None else []
    head = (f"{number:3}. {title}", f"     {line(hit.url)}", f"{_INDENT}{_marked(hit)}")
    return "\n".join((*head, *said, *more, *reasons))


def _said(since: float, until: float | None, breaks: int) -> str:
    """From when to when, as far as it was looked."""
    broken = f", with {counted(breaks, 'break')}" if breaks else ""
    return f"said since {when(since)}{broken}, " + (f"gone {when(until)}" if until is not None else "and still")


def _marked(hit: Hit) -> str:
    """In lines that fit on a terminal, with the words of the question in bold."""
    snippet = hit.snippet.translate(_FLAT)
    if not sys.stdout.isatty():
        return text(snippet)
    width = shutil.get_terminal_size().columns - len(_INDENT) - 1
    marks = hit.marks if is_coloured() else ()
    return f"\n{_INDENT}".join(_bold(snippet, marks, *span) for span in wrapped(snippet, width))


def _bold(snippet: str, marks: Sequence[tuple[int, int]], start: int, end: int) -> str:
    """A part of it; a word that goes on in the next line is bold in both."""
    pieces, at = [], start
    for first, last in marks:
        first, last = max(first, at), min(last, end)
        if first < last:
            pieces += [text(snippet[at:first]), BOLD, text(snippet[first:last]), PLAIN]
            at = last
    return "".join((*pieces, text(snippet[at:end])))


def similar(url: str, copies: Sequence[Copy], titles: Mapping[str, str]) -> str:
    """A line for each copy of a page."""
    if not copies:
        return f"{_titled(url, titles)}\n  no other page says this, or nearly this"
    return "\n".join([_titled(url, titles), *(_line(copy, titles) for copy in copies), *_meanings(copies)])


def duplicates(found: Copies, titles: Mapping[str, str]) -> str:
    """A block of lines for each group, then the hosts, then the sums."""
    blocks = [
        "\n".join([_titled(group.url, titles), *(_line(copy, titles) for copy in (*group.copies, *group.alike))])
        for group in found.groups
    ]
    if found.mirrors:
        blocks.append("\n".join(["mirrors:", *map(_mirrors, found.mirrors)]))
    copies = [copy for group in found.groups for copy in group.copies]
    exact, copied = sum(copy.exact for copy in copies), sum(bool(group.copies) for group in found.groups)
    number = counted(len(copies), "copy", "copies")
    sums = f"{counted(copied, 'page')} with {number}: {exact:,} exact, {len(copies) - exact:,} near"
    alike = sum(len(group.alike) for group in found.groups)
    more = f"; {counted(alike, 'page')} alike, which {'is no copy' if alike == 1 else 'are no copies'}" if alike else ""
    meanings = _meanings([copy for group in found.groups for copy in (*group.copies, *group.alike)])
    return "\n\n".join((*blocks, "\n".join([*meanings, (sums if copies else "no copies") + more])))


def each_as_json(found: Copies, titles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """For machines: an object for each group, then one for each set of hosts."""
    for group in found.groups:
        told: dict[str, Any] = {"kind": "copies", "title": titles.get(group.url, ""), "url": group.url}
        for name, copies in (("copies", group.copies), ("alike", group.alike)):
            told[name] = [each.as_json(titles.get(each.url, "")) for each in copies]
        yield told
    for hosts in found.mirrors:
        yield {"kind": "mirrors", **hosts._asdict()}


def _meanings(copies: Sequence[Copy]) -> list[str]:
    """What the words at the heads of the lines mean, of those that want to be explained."""
    kinds = {_kind(copy) for copy in copies}
    return [f"({meaning})" for kind, meaning in _MEANINGS.items() if kind in kinds]


def _kind(copy: Copy) -> str:
    return "exact copy" if copy.exact else "near copy" if copy.says_same else "alike"


def _line(copy: Copy, titles: Mapping[str, str]) -> str:
    kind = _kind(copy)
    place = "same site" if copy.same_site else "other site"
    return f"  {kind:<10}  {copy.resemblance:>4.0%}  {place:<10}  {_titled(copy.url, titles)}"


def _mirrors(found: Mirrors) -> str:
    others = ", ".join(map(line, found.others))
    return f"  {line(found.main)}  also: {others}  ({found.same:,} of {counted(found.paths, 'path')} say the same)"


def wrapped(text: str, width: int) -> Iterator[tuple[int, int]]:
    """Start and end of each line of a text, so that it fits a terminal. A line ends at the last space that fits, and
    within a word that has no room on a line. Signs of East Asia take two columns."""
    start, width = 0, max(width, _COLUMNS_LEAST)
    while start < len(text):
        end, space, columns = start, -1, 0
        while end < len(text) and (columns := columns + _columns(text[end])) <= width:
            if text[end] == " ":
                space = end
            end += 1
        if end < len(text) and text[end] != " " and space > start:
            end = space
        yield start, end
        start = end
        while start < len(text) and text[start] == " ":
            start += 1


def _columns(character: str) -> int:
    if character.isascii():
        return 1
    return 0 if combining(character) else 2 if east_asian_width(character) in "WF" else 1
