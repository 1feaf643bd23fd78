"""A feed as a Page: its entries are links with dates, and its text has a heading and the words of each of them."""

from __future__ import annotations

from gossamer.convert.feed.feed import Entry, Feed
from gossamer.convert.html.link_targets import link_targets
from gossamer.convert.html.links import LINKS_MOST
from gossamer.convert.html.page import main_content
from gossamer.convert.html.scan import scan
from gossamer.convert.html.tree import as_html
from gossamer.model import Link, Page
from gossamer.tagged import Writer, link, plain, words

_MARKUP_MOST = 8_000_000
"""Characters of HTML in all that are read. What comes after is listed without its text."""
_CUT = "more text than is read; the later entries have none"


def page(feed: Feed, url: str | None, media_type: str) -> Page:
    """What a feed says; see `feed.read`."""
    text = _Text()
    text.add(1, feed.about)
    for entry in feed.entries:
        text.add(2, entry)
    html = text.writer.html()
    said = plain(html)
    links = _links(feed)
    return Page(
        url,
        media_type,
        feed.encoding,
        feed.about.title,
        said,
        (*links, *text.links[: max(LINKS_MOST - len(links), 0)]),
        content=said,
        html=html,
        declared=feed.declared,
        language=feed.language,
        author=feed.about.author or feed.about.email,
        published=feed.about.published,
        modified=feed.about.updated,
        update_every=feed.update_every,
        quiet=feed.quiet,
        problem=feed.problem or (_CUT if text.room < 0 else ""),
    )


def links_of(feed: Feed) -> tuple[Link, ...]:
    """The pages that its entries are about, each with its date."""
    return tuple(
        Link(entry.url, entry.title, place="feed", modified=entry.updated or entry.published)
        for entry in feed.entries
        if entry.url
    )


def _links(feed: Feed) -> tuple[Link, ...]:
    home = (Link(feed.about.url, feed.about.title, "alternate", "link"),) if feed.about.url else ()
    return (*links_of(feed), *home, *(Link(url, "", relation, "link") for url, relation in feed.further))


class _Text:
    """Tagged text and the links in it, while entry after entry is read."""

    def __init__(self) -> None:
        self.writer = Writer()
        self.links: list[Link] = []
        self.room = _MARKUP_MOST

    def add(self, level: int, entry: Entry) -> None:
        title = words(entry.title)
        self.writer.heading(level, link(title, entry.url) if entry.url else title)
        markup = entry.content or entry.summary
        self.room -= len(markup)
        if markup and self.room >= 0:
            self._read(markup, entry.base)

    def _read(self, markup: str, base: str) -> None:
        from gossamer.convert.html.article import everything  # with NumPy: most crawls meet no feed

        found = scan(as_html(markup.encode("utf-8", "replace")), "UTF-8")
        pointed = link_targets(found.links, base, "UTF-8")
        main = main_content(found, pointed, base, everything)
        self.writer.add(main.html if main else "")
        if len(self.links) < LINKS_MOST:
            self.links += pointed.links(main.inside if main else ())
