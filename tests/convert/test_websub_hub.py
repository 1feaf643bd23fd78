"""Which hub does a document name, and what does it call itself there? After the rules of WebSub for discovery."""

from __future__ import annotations

import json

import pytest

from gossamer.convert.document import document, read
from gossamer.model import Capture, Page, Visit

URL, HUB, TOPIC = "https://a.example/news/feed", "https://hub.example/", "https://a.example/feed.xml"
LINKS = f'<link rel="hub" href="{HUB}"><link rel="self" href="{TOPIC}">'
ATOM = f'<atom:link rel="hub" href="{HUB}"/><atom:link href="{TOPIC}" rel="self" type="application/rss+xml" />'
RSS = f'<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>News</title>{ATOM}<item><title>1</title></item>'
JSON_FEED = {"version": "https://jsonfeed.org/version/1.1", "feed_url": TOPIC, "items": []}


def said(body: str, kind: str = "text/html", *links: str) -> tuple[str | None, str]:
    headers = (("content-type", kind), *(("link", each) for each in links))
    found: Page = read(Capture(Visit(URL), 0.0, 0.1, 200, headers, body=body.encode()), "Gossamer")
    return found.hub, found.topic


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (f"<!doctype html><html><head>{LINKS}</head><body>words</body></html>", "text/html"),
        (f"<head><!-- </head><body> -->{LINKS}</head><body>words</body>", "text/html"),
        (f"<head><!-- one --><!-- <!-- -->{LINKS}</head><body><link rel=hub href=//b.example/>", "text/html"),
        (f"<feed xmlns='http://www.w3.org/2005/Atom'>{LINKS}<entry><title>1</title></entry></feed>", "text/xml"),
        (RSS, "application/rss+xml"),
        (json.dumps({**JSON_FEED, "hubs": [{"type": "rssCloud"}, {"type": "WebSub", "url": HUB}]}), "application/json"),
    ],
    ids=["HTML", "HTML with a head in a comment", "HTML with comments", "Atom", "RSS", "JSON Feed"],
)
def test_a_document_names_its_hub_and_itself(body: str, kind: str) -> None:
    assert said(body, kind) == (HUB, TOPIC)
    page = document(body.encode(), kind, URL)
    assert (page.hub, page.topic) == (HUB, TOPIC)


def test_header_fields_count_before_what_the_document_says() -> None:
    other = '<https://other.example/hub>; rel="hub", </feed.json>; rel=self'
    assert said(RSS, "application/rss+xml", other) == ("https://other.example/hub", "https://a.example/feed.json")
    assert said("<p>words", "text/html", f"<{HUB}>; rel=hub", f'<{TOPIC}>; rel="self"') == (HUB, TOPIC)
    assert said(RSS, "application/rss+xml", "<https://other.example/hub>; rel=hub") == (HUB, TOPIC), "no topic there"


def test_of_several_hubs_the_first_is_taken_and_a_topic_stays_as_it_is_written() -> None:
    body = '<head><link rel="hub" href="/hub"><link rel=hub href=https://b.example/>'
    assert said(f'{body}<link rel="self" href="HTTPS://A.example:443/x">') == (
        "https://a.example/hub",
        "HTTPS://A.example:443/x",
    )


@pytest.mark.parametrize(
    "body",
    [
        '<head><link rel="hub" href="https://hub.example/"></head>',
        f"<head></head><body>{LINKS}</body>",
        f"<head><!-- {LINKS} --></head>",
        '<head><link rel="hub" href="javascript:alert(1)"><link rel="self" href="https://a.example/"></head>',
        '<head><link rel="hub" href="https://hub.example/"><link rel="self" href="mailto:me@a.example"></head>',
        f"<rss><channel><item><title>hub</title>{ATOM}</item></channel></rss>",
        '{"version": "https://jsonfeed.org/version/1.1", "hubs": "hub"}',
        '{"hubs": [{"type": "WebSub", "url": 7}], "feed_url": null',
        "<p>A hub of the town.</p>",
    ],
    ids=["no topic", "in the body", "in a comment", "no address", "no topic of the web", "of an entry", "JSON",
        "broken", "words"],
)  # fmt: skip
def test_all_else_names_none(body: str) -> None:
    assert said(body, "application/json" if body[0] == "{" else "text/html") == (None, "")
