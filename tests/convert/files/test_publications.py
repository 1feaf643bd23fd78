"""Articles, manuals, novels and outlines in XML: their titles, authors, sections, lists, tables and links."""

from __future__ import annotations

import random

import pytest

from gossamer.convert import document
from gossamer.convert.document import read_here
from gossamer.convert.source import Source
from gossamer.convert.type.mime import MimeType

XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
JATS = f"""<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS 1.0//EN" "x.dtd">
<article article-type="research" {XLINK}><front><journal-meta><journal-id>hidden</journal-id></journal-meta>
<article-meta><title-group><article-title>On <italic>Herons</italic></article-title></title-group>
<contrib-group><contrib><name><surname>Lovelace</surname><given-names>Ada</given-names></name><xref>1</xref></contrib>
</contrib-group><pub-date><year>2001</year><month>09</month><day>09</day></pub-date>
<abstract><p>We saw.</p></abstract></article-meta></front>
<body><sec><title>Intro</title><p>Text <bold>b</bold>, <ext-link xlink:href="https://a.example/">link</ext-link>.</p>
<list><list-item><p>one</p></list-item></list>
<table-wrap><caption><p>Ages</p></caption><table><tr><th>A</th></tr><tr><td>1</td></tr></table></table-wrap>
<sec><title>Deeper</title><p>Down.</p></sec></sec></body>
<back><ref-list><ref><mixed-citation>Foo, <article-title>bar</article-title></mixed-citation></ref></ref-list></back>
</article>"""
DOCBOOK = f"""<?xml version="1.0"?><book xmlns="http://docbook.org/ns/docbook" {XLINK}><info><title>The Book</title>
<author><personname><firstname>Ada</firstname><surname>L</surname></personname></author><pubdate>2001-09-09</pubdate></info>
<chapter><title>One</title><para>Hello <literal>x</literal> <link xlink:href="https://a.example/">there</link></para>
<programlisting>a &lt; b
 c</programlisting><itemizedlist><listitem><para>one</para></listitem></itemizedlist>
<informaltable><tgroup><thead><row><entry>A</entry></row></thead><row><entry>1</entry></row></tgroup></informaltable>
</chapter></book>"""
FICTION = """<?xml version="1.0" encoding="windows-1251"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title-info><genre>hidden</genre>
<author><first-name>Иван</first-name><last-name>Петров</last-name></author><book-title>Книга</book-title></title-info>
</description><body><section><title><p>Глава</p><p>первая</p></title><p>Текст <emphasis>тут</emphasis>.</p></section>
</body><binary id="a">AAAA</binary></FictionBook>"""
OPML = """<?xml version="1.0"?><opml version="2.0"><head><title>Feeds</title></head><body><outline text="News">
<outline text="A" xmlUrl="https://a.example/feed" htmlUrl="https://a.example/"/></outline></body></opml>"""


def test_an_article_of_a_journal() -> None:
    page = document(JATS.encode())
    assert (page.title, page.author, page.published) == ("On Herons", "Ada Lovelace", 999993600)
    assert page.html == (
        '<p>We saw.</p>\n<h2>Intro</h2>\n<p>Text <strong>b</strong>, <a href="https://a.example/">link</a>.</p>\n'
        "<ul>\n<li>one\n</li></ul>\n<p>Ages</p>\n<table>\n<tr><th>A</th></tr>\n<tr><td>1</td></tr>\n</table>\n"
        "<h3>Deeper</h3>\n<p>Down.</p>\n<ul>\n<li>Foo, bar\n</li></ul>"
    )


def test_a_manual() -> None:
    page = document(DOCBOOK.encode())
    assert (page.title, page.author, page.published) == ("The Book", "Ada L", 999993600)
    assert page.html == (
        '<h2>One</h2>\n<p>Hello <code>x</code> <a href="https://a.example/">there</a></p>\n<pre>a &lt; b\n c</pre>\n'
        "<ul>\n<li>one\n</li></ul>\n<table>\n<tr><th>A</th></tr>\n<tr><td>1</td></tr>\n</table>"
    )


def test_a_novel() -> None:
    page = document(FICTION.encode("windows-1251"))
    assert (page.title, page.author, page.encoding) == ("Книга", "Иван Петров", "windows-1251")
    assert page.html == "<h2>Глава первая</h2>\n<p>Текст <em>тут</em>.</p>"


def test_an_outline_of_feeds() -> None:
    page = document(OPML.encode(), "text/x-opml")
    assert (page.media_type, page.title) == ("text/x-opml+xml", "Feeds")
    assert page.html == '<ul>\n<li>News\n<ul>\n<li><a href="https://a.example/">A</a>\n</li></ul>\n</li></ul>'
    assert [link.url for link in page.links] == ["https://a.example/", "https://a.example/feed"]


@pytest.mark.parametrize("sample", [JATS, DOCBOOK, FICTION.replace("windows-1251", "UTF-8"), OPML])
def test_spoilt_xml_is_read_or_has_a_problem(sample: str) -> None:
    draw = random.Random(26)
    tags = [f"<{each}" for each in sample.split("<")[1:]]
    for _ in range(100):
        mixed = list(tags)
        at = draw.randrange(len(mixed))
        mixed[at : at + draw.randrange(4)] = draw.sample(tags, draw.randrange(4))
        page = read_here(Source("".join(mixed).encode(), MimeType("application", "xml")))
        assert page.text or page.problem
        assert len(page.html) < 4 * len(sample)
