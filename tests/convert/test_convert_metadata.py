"""Who wrote a page and when, as it says itself."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from gossamer.convert import document
from gossamer.convert.dates import written_seconds
from gossamer.convert.html.metadata import Said, metadata
from gossamer.convert.html.outline import by_tree
from gossamer.convert.html.scan import Scan
from gossamer.convert.html.structured import scripts


def moment(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[misc, arg-type]  # as many as a date has


def of(markup: str, *metas: tuple[str, str]) -> Said:
    page = markup.encode()
    return metadata(page, Scan(metas=tuple(metas), outline=by_tree(page)), tuple(scripts(page, (0, len(page)))))


def linked(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def test_json_ld_of_an_article_is_believed_first() -> None:
    thing = {"@type": "NewsArticle", "datePublished": "2024-05-01T10:00:00Z", "author": {"name": "Ada Lovelace"}}
    found = of(linked(thing), ("author", "Somebody Else"), ("article:published_time", "2020-01-01"))
    assert found == Said("Ada Lovelace", moment(2024, 5, 1, 10))


def test_json_ld_is_found_in_graphs_and_lists_with_several_authors() -> None:
    thing = {
        "@type": ["BlogPosting"],
        "author": [{"name": "Ada"}, {"name": ["Grace"]}, "Ada"],
        "dateModified": "2024-05-02",
    }
    assert of(linked({"@graph": [{"@type": "WebSite"}, thing]})) == Said("Ada, Grace", None, moment(2024, 5, 2))


def test_broken_json_ld_does_no_harm() -> None:
    for broken in ('<script type="application/ld+json">{"@type": "Article",', linked([[[[]]]]), linked({"@type": 7})):
        assert of(broken, ("author", "Ada")) == Said("Ada")
    assert of('<script type="application/ld+json">' + "[" * 100_000 + "</script>") == Said()


def test_meta_elements_tell_dates_and_names() -> None:
    metas = (("article:published_time", "2024-05-01T12:00:00+02:00"), ("article:modified_time", "2024-05-03"))
    found = of("<p>x", *metas, ("article:author", "https://site.example/ada"), ("dc.creator", "By Ada Lovelace"))
    assert found == Said("Ada Lovelace", moment(2024, 5, 1, 10), moment(2024, 5, 3))


def test_microdata_and_time_elements_tell_dates() -> None:
    assert of('<meta itemprop="datePublished" content="2024-05-01">').published == moment(2024, 5, 1)
    assert of('<p>Posted <time class=x datetime="2024-05-01T08:00Z">May 1</time>').published == moment(2024, 5, 1, 8)


@pytest.mark.parametrize(
    "markup",
    [
        "<div class='byline'>By <a href=/ada>Ada Lovelace</a></div>",
        "<span itemprop=author><span itemprop=name>Ada Lovelace</span></span>",
        "<p class=post-author>von Ada Lovelace<br>19. November 2019</p>",
    ],
)
def test_a_byline_tells_the_author(markup: str) -> None:
    assert of(markup).author == "Ada Lovelace"


def test_a_long_text_with_such_a_name_is_no_byline() -> None:
    assert of("<div class=author-box>" + "many words " * 30 + "</div>").author == ""


@pytest.mark.parametrize(
    "written",
    [
        *("2019-11-19", "20191119", "Nov. 19th, 2019", "Tuesday, November 19, 2019 at 10:11", "19.11.2019"),
        *("19 November 2019", "Dienstag, 19. November 2019", "19 de noviembre de 2019", "le 19 novembre 2019"),
        "2019/11/19",
    ],
)
def test_days_are_read_as_people_write_them(written: str) -> None:
    assert written_seconds(written) == moment(2019, 11, 19)


@pytest.mark.parametrize("written", ["", "03/04/2020", "Ada Lovelace", "31 February 2020", "12", "in 2019", "x" * 1000])
def test_what_is_no_date_is_none(written: str) -> None:
    assert written_seconds(written) is None


def test_a_page_has_author_and_dates() -> None:
    page = document(
        b"<meta name=author content=Ada><meta property=article:published_time content=2024-05-01><p>x", "text/html"
    )
    assert (page.author, page.published, page.modified) == ("Ada", moment(2024, 5, 1), None)
