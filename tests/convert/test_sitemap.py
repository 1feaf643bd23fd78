from __future__ import annotations

import gzip
import json
import zlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.convert.feed import sitemap
from gossamer.convert.feed.sitemap import Sitemap, read
from reference import reference

HERE = "https://www.example.com/maps/sitemap.xml"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*entries: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}>{"".join(entries)}</urlset>'


def loc(text: str, more: str = "") -> str:
    return f"<url><loc>{text}</loc>{more}</url>"


def urls(text: str | bytes, content_type: str | None = None) -> list[str]:
    data = text.encode() if isinstance(text, str) else text
    return [link.url for link in read(data, HERE, content_type).links]


def modified(date: str) -> float | None:
    return read(urlset(loc("/a", f"<lastmod>{date}</lastmod>")).encode(), HERE).links[0].modified


def test_crawler_commons_agrees_on_every_case() -> None:
    folder = reference("sitemaps-crawler-commons")
    lines = (folder / "cases.jsonl").read_text("utf-8").splitlines()
    for case in map(json.loads, lines):
        body = (folder / case["file"]).read_bytes() if "file" in case else case["content"].encode()
        found = read(body, case["url"], case.get("content_type"))
        seen = {
            "is_index": found.is_index,
            "url_count": len(found.links),
            "sitemap_count": len(found.sitemaps),
        }
        assert {key: seen[key] for key in seen if key in case["expected"]} == {
            key: value for key, value in case["expected"].items() if key in seen
        }, case["test"]
        assert found.problem is None
    assert len(lines) >= 15


def test_pages_come_in_order_with_their_dates() -> None:
    text = urlset(loc("https://a.example/1", "<lastmod>2024-05-01</lastmod>"), loc("https://a.example/2"))
    found = read(text.encode(), HERE)
    assert [(link.url, link.place, link.modified) for link in found.links] == [
        ("https://a.example/1", "sitemap", datetime(2024, 5, 1, tzinfo=UTC).timestamp()),
        ("https://a.example/2", "sitemap", None),
    ]
    assert (found.is_index, found.feed, found.problem) == (False, False, None)


def test_an_index_names_sitemaps_not_pages() -> None:
    text = f"<sitemapindex {NAMESPACE}><sitemap><loc>a.xml.gz</loc></sitemap><sitemap><loc>/b.xml</loc></sitemap>"
    found = read(text.encode(), HERE)
    assert found.is_index
    assert found.links == ()
    assert found.sitemaps == ("https://www.example.com/maps/a.xml.gz", "https://www.example.com/b.xml")


def test_an_index_may_be_empty() -> None:
    assert read(f"<sitemapindex {NAMESPACE}/>".encode(), HERE) == Sitemap(is_index=True)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("/a?x=1&amp;y=2", "/a?x=1&y=2"),
        ("/a?x=1&y=2", "/a?x=1&y=2"),
        ("/a?x=1&copy=2&lang=en", "/a?x=1&copy=2&lang=en"),
        ("/a?x=1&#38;y=2&#x26;z=3", "/a?x=1&y=2&z=3"),
        ("<![CDATA[/a?x=1&y=2]]>", "/a?x=1&y=2"),
        ("/a<![CDATA[?x=1&y=2]]>", "/a?x=1&y=2"),
        ("<!-- why -->/a<!-- not? -->", "/a"),
        ("\n   /a\t\n", "/a"),
        ("\u00a0/a \u2003", "/a"),
        ("/caf\u00e9", "/caf%C3%A9"),
        ("/caf&eacute;", "/caf%C3%A9"),
        ("/a<b>c</b>", "/a"),
        ("<url>https://www.example.com/a</url>", "/a"),
    ],
)
def test_an_address_is_found_however_it_is_written(written: str, meant: str) -> None:
    assert urls(urlset(loc(written), loc("/last"))) == [
        f"https://www.example.com{meant}",
        "https://www.example.com/last",
    ]


@pytest.mark.parametrize(
    "text",
    [
        urlset(loc("/a"), loc("/b")).replace(NAMESPACE, ""),
        urlset(loc("/a"), loc("/b")).replace(NAMESPACE, 'xmlns="urn:wrong"'),
        urlset(loc("/a"), loc("/b")).upper().replace("/A<", "/a<").replace("/B<", "/b<"),
        urlset(loc("/a"), loc("/b")).replace("<", "<s:").replace("<s:/", "</s:").replace("<s:?", "<?"),
        "<br />\n<b>Warning</b>: something in /x.php\n" + urlset(loc("/a"), loc("/b")),
        urlset(loc("/a"), loc("/b")).replace("</url>", ""),
        urlset(loc("/a"), "<url><loc></loc></url>", "<url/>", loc("/b")),
        urlset(loc("/a"), "<!--", loc("/commented"), "-->", loc("/b")),
        urlset(loc("/a"), loc("/b")).removesuffix("</url></urlset>"),
        loc("/a") + loc("/b"),
    ],
)
def test_faults_of_the_markup_cost_no_page(text: str) -> None:
    assert urls(text) == ["https://www.example.com/a", "https://www.example.com/b"]


def test_an_address_that_was_cut_off_is_not_guessed() -> None:
    text = urlset(loc("/a"), loc("/bcd"))
    whole = text.index("/bcd") + len("/bcd")
    assert urls(text[: whole - 1]) == ["https://www.example.com/a"]
    assert urls(text[:whole]) == ["https://www.example.com/a"]
    assert urls(text[: whole + 3]) == ["https://www.example.com/a", "https://www.example.com/bcd"]


def test_pictures_videos_and_translations_are_no_pages() -> None:
    extras = (
        "<image:image><image:loc>/i.jpg</image:loc></image:image>"
        "<image><loc>/j.jpg</loc></image>"
        "<video:video><video:content_loc>/v.mp4</video:content_loc>"
        "<video:publication_date>2020-01-01</video:publication_date></video:video>"
        '<xhtml:link rel="alternate" hreflang="de" href="/de"/>'
    )
    found = read(f"<urlset><url>{extras}<loc>/a</loc></url></urlset>".encode(), HERE)
    assert [(link.url, link.modified) for link in found.links] == [("https://www.example.com/a", None)]


def test_news_are_dated_by_their_publication_unless_there_is_a_lastmod() -> None:
    news = "<news:news><news:publication_date>2024-05-01</news:publication_date></news:news>"
    found = read(urlset(loc("/a", news), loc("/b", f"{news}<lastmod>2024-05-02</lastmod>")).encode(), HERE)
    days = [datetime(2024, 5, day, tzinfo=UTC).timestamp() for day in (1, 2)]
    assert [link.modified for link in found.links] == days


def test_what_is_no_web_address_is_left_out() -> None:
    assert urls(urlset(loc("ftp://x/"), loc("javascript:x"), loc("mailto:a@b"), loc("http://["), loc("/a"))) == [
        "https://www.example.com/a"
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_unicode_comes_in_many_forms(encoding: str) -> None:
    assert urls(urlset(loc("/é")).encode(encoding)) == ["https://www.example.com/%C3%A9"]


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "windows-1251", "Shift_JIS", "GB18030", "EUC-KR", "ISO-2022-JP"])
def test_the_xml_declaration_or_the_header_names_the_encoding(encoding: str) -> None:
    letter = {"ISO-8859-1": "é", "windows-1251": "ж", "EUC-KR": "한"}.get(encoding, "語")
    text = urlset(loc(f"/{letter}"))
    meant = urls(text)
    assert urls(text.replace("UTF-8", encoding).encode(encoding)) == meant
    assert urls(text.partition("?>")[2].encode(encoding), f"text/xml; charset={encoding}") == meant


@pytest.mark.parametrize(
    "encoding", ["utf-7", "punycode", "unicode_escape", "zip", "rot13", "utf-16", "no-such", "idna"]
)
def test_an_encoding_that_cannot_be_meant_is_ignored(encoding: str) -> None:
    assert urls(urlset(loc("/a")).replace("UTF-8", encoding)) == ["https://www.example.com/a"]


@pytest.mark.parametrize("times", [1, 2])
def test_gzip_is_undone_even_twice(times: int) -> None:
    data = urlset(loc("/a")).encode()
    for _ in range(times):
        data = gzip.compress(data)
    assert urls(data) == ["https://www.example.com/a"]


def test_gzip_may_come_in_several_members() -> None:
    text = urlset(loc("/a"), loc("/b")).encode()
    assert len(urls(gzip.compress(text[:90]) + gzip.compress(text[90:]))) == 2


def test_damaged_gzip_gives_what_came_before_the_damage() -> None:
    text = urlset(*(loc(f"/{number}") for number in range(20_000))).encode()
    data = gzip.compress(text)
    for broken in (data[: len(data) // 2], data[:-8] + b"x" * 8, data[: len(data) // 2] + b"\xff" * 1000):
        found = read(broken, HERE)
        assert len(found.links) > 5_000
        assert found.problem == "the compressed data is damaged or ends early"


def test_a_bomb_is_inflated_to_the_limit_and_no_further() -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = urlset(loc("/a")).removesuffix("</urlset>").encode()
    bomb = packer.compress(head) + b"".join(packer.compress(b" " * 1024 * 1024) for _ in range(60)) + packer.flush()
    found = read(bomb, HERE)
    assert [link.url for link in found.links] == ["https://www.example.com/a"]
    assert found.problem == "larger than 52,428,800 bytes; the rest was not read"


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 20))


@pytest.mark.parametrize(
    "declarations",
    [
        f'<!ENTITY l0 "lol">{LAUGHS}',
        f'<!ENTITY l19 "{"a" * 100_000}">',
        '<!ENTITY l19 SYSTEM "file:///etc/passwd">',
        '<!ENTITY l19 SYSTEM "http://127.0.0.1/">',
        '<!ENTITY % l19 SYSTEM "http://127.0.0.1/x.dtd"> %l19;',
        '<!ENTITY l19 "<url><loc>/smuggled</loc></url>">',
    ],
)
def test_declared_entities_are_never_expanded(declarations: str) -> None:
    body = urlset(loc("/first"), loc("&l19;"), loc("/x" + "&l19;" * 1000), "&l19;", loc("/last"))
    text = body.replace("?>", f"?><!DOCTYPE urlset [{declarations}]>", 1)
    assert urls(text) == ["https://www.example.com/first", "https://www.example.com/last"]


def test_a_doctype_without_an_end_hides_the_rest() -> None:
    assert urls("<!DOCTYPE urlset [" + urlset(loc("/a"))) == []


def test_a_legal_sitemap_of_fifty_mebibytes_is_read_whole() -> None:
    filler = b"".join(b'<xhtml:link rel="alternate" hreflang="x%d" href="/x%d"/>' % (n, n) for n in range(17))
    entry = b"<url><loc>https://www.example.com/%05d</loc><lastmod>2024-05-01T00:00:00Z</lastmod>%s</url>\n"
    data = b"<urlset>" + b"".join(entry % (number, filler) for number in range(50_000)) + b"</urlset>"
    assert 50_000_000 < len(data) <= 52_428_800
    found = read(data, HERE)
    assert len(found.links) == 50_000
    assert found.links[-1].url == "https://www.example.com/49999"
    assert found.problem is None


def test_more_addresses_than_the_standard_allows_are_not_read() -> None:
    for text in (urlset(loc("/a") * 50_001), "https://www.example.com/a\n" * 50_001):
        found = read(text.encode(), HERE)
        assert len(found.links) == 50_000
        assert found.problem == "more than 50,000 addresses; the rest was not read"


@pytest.mark.parametrize("piece", ["<url>", "<loc>", "<a:", "<!--", "<![CDATA[", "<!DOCTYPE [", "&", "\n", "<!---->"])
def test_markup_without_end_ends(piece: str) -> None:
    found = read(("<urlset><url><loc>/a</loc>" + piece * 300_000).encode(), HERE)
    assert [link.url for link in found.links] == ["https://www.example.com/a"]


def test_a_flood_of_elements_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "_ELEMENTS_MOST", 1_000)
    found = read(urlset(loc("/a"), "<lastmod/>" * 1_000, loc("/b")).encode(), HERE)
    assert [link.url for link in found.links] == ["https://www.example.com/a"]
    assert found.problem == "far more markup than addresses; the rest was not read"


def test_a_flood_of_brackets_is_not_read_to_its_end() -> None:
    found = read(("<urlset>" + loc("/a") + "<" * 4_000_000 + loc("/b")).encode(), HERE)
    assert [link.url for link in found.links] == ["https://www.example.com/a"]
    assert found.problem == "far more markup than addresses; the rest was not read"


@pytest.mark.parametrize(
    "text",
    [
        "https://www.example.com/a\nhttps://www.example.com/b\n",
        "https://www.example.com/a\r\n\r\nhttps://www.example.com/b",
        "https://www.example.com/a\rhttps://www.example.com/b\r",
        "# pages\n  HTTPS://www.example.com/a  \nnot an address\n\twww.example.com/b#top\n{}",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_plain_list_has_one_address_a_line(text: str, encoding: str) -> None:
    found = read(text.encode(encoding), HERE, "text/plain")
    assert [link.url for link in found.links] == ["https://www.example.com/a", "https://www.example.com/b"]
    assert not found.is_index


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0\0\0",
        "<!DOCTYPE html><html><body><url><loc>https://www.example.com/a</loc></url></body></html>",
        '{"urls": ["https://www.example.com/a"]}',
        "%PDF-1.7\nhttp: not here",
        "not found",
    ],
)
def test_what_is_no_sitemap_is_said_to_be_none(text: str) -> None:
    assert read(text.encode(), HERE) == Sitemap(problem="neither a sitemap nor a feed nor a list of addresses")


RSS = """<rss version="2.0"><channel><link>https://www.example.com/</link>
<atom:link rel="self" href="https://www.example.com/feed"/>
<image><url>/i.png</url><link>https://www.example.com/home</link></image>
<item><title>One</title><link>https://www.example.com/1</link><guid>https://www.example.com/?p=1</guid>
 <pubDate>Wed, 01 May 2024 12:00:00 +0200</pubDate></item>
<item><guid isPermaLink="false">tag:x,2024:2</guid><link><![CDATA[https://www.example.com/2]]></link></item>
<item><guid>https://www.example.com/3</guid><dc:date>2024-05-01T10:00:00Z</dc:date>
 <enclosure url="https://www.example.com/3.mp3"/></item>
<item><title>nowhere</title><guid>4</guid></item></channel></rss>"""


def test_an_rss_feed_lists_its_items() -> None:
    found = read(RSS.encode(), HERE)
    noon = datetime(2024, 5, 1, 10, tzinfo=UTC).timestamp()
    assert [(link.url[-1], link.modified) for link in found.links] == [("1", noon), ("2", None), ("3", noon)]
    assert found.feed


def test_rdf_items_may_be_known_by_their_name_only() -> None:
    text = """<rdf:RDF><channel rdf:about="https://www.example.com/"><link>https://www.example.com/</link>
    <items><rdf:Seq><rdf:li resource="https://www.example.com/1"/></rdf:Seq></items></channel>
    <item rdf:about="https://www.example.com/1"><title>One</title></item>
    <item rdf:about="https://www.example.com/x"><link>https://www.example.com/2</link></item>
    <textinput><link>https://www.example.com/search</link></textinput></rdf:RDF>"""
    assert urls(text) == ["https://www.example.com/1", "https://www.example.com/2"]


def test_an_atom_entry_is_its_alternate_link() -> None:
    text = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><updated>2030-01-01T00:00:00Z</updated>
    <entry><link rel="edit" href="/edit"/><link rel='alternate' type='text/html' href='/1?a=1&amp;b=2'/>
     <source><link href="/elsewhere"/><updated>2020-01-01T00:00:00Z</updated></source>
     <published>2024-04-01T00:00:00Z</published><updated>2024-05-01T00:00:00Z</updated></entry>
    <entry><link href="/2"/><published>2024-05-01</published></entry>
    <entry><link rel="self" href="/3"/></entry></feed>"""
    found = read(text.encode(), HERE)
    day = datetime(2024, 5, 1, tzinfo=UTC).timestamp()
    assert [(link.url, link.modified) for link in found.links] == [
        ("https://www.example.com/1?a=1&b=2", day),
        ("https://www.example.com/2", day),
    ]
    assert found.feed


@pytest.mark.parametrize(
    ("date", "moment"),
    [
        ("2024", (2024, 1, 1)),
        ("2024-05", (2024, 5, 1)),
        ("2024-05-03", (2024, 5, 3)),
        ("2024-5-3", (2024, 5, 3)),
        ("2024-05-03T10:20Z", (2024, 5, 3, 10, 20)),
        ("2024-05-03T10:20:30Z", (2024, 5, 3, 10, 20, 30)),
        ("2024-05-03T10:20:30.123+02:00", (2024, 5, 3, 8, 20, 30)),
        ("2024-05-03T10:20:30-0530", (2024, 5, 3, 15, 50, 30)),
        ("2024-05-03 10:20:30", (2024, 5, 3, 10, 20, 30)),
        ("2024-05-03T10:20:30&#43;00:00", (2024, 5, 3, 10, 20, 30)),
        ("<![CDATA[2024-05-03]]>", (2024, 5, 3)),
        ("Fri, 03 May 2024 10:20:30 GMT", (2024, 5, 3, 10, 20, 30)),
        ("Fri, 03 May 24 10:20:30 EST", (2024, 5, 3, 15, 20, 30)),
        ("3 May 2024 10:20:30", (2024, 5, 3, 10, 20, 30)),
    ],
)
def test_dates_are_read_in_every_usual_form(date: str, moment: tuple[int, ...]) -> None:
    assert modified(date) == datetime(*moment, tzinfo=UTC).timestamp()  # type: ignore[arg-type]  # parts of a date


@pytest.mark.parametrize(
    "date", ["", "soon", "0001-01-01", "0000-00-00", "2024-13-01", "2024-02-31", "1969-12-31", "9" * 99]
)
def test_what_is_no_date_is_none(date: str) -> None:
    assert modified(date) is None


@given(st.binary(max_size=200), st.text(max_size=20), st.none() | st.text(max_size=30))
def test_no_bytes_raise(data: bytes, url: str, content_type: str | None) -> None:
    for body in (data, b"\x1f\x8b" + data, gzip.compress(data), b"<urlset><url><loc>" + data):
        assert isinstance(read(body, url, content_type), Sitemap)


MARKUP = """<url> </url> <loc> </loc> <rss> <item> <link> <link/> <link href='/x'/> <feed> <entry > <lastmod> 2024-05-01
    <!-- --> <![CDATA[ ]]> <!DOCTYPE [ ]> &amp; &#x110000; &x; http://x/ <image> </image> <sitemap> <urlset> é \0 ' "
    <?xml encoding=' gbk"""


@given(
    st.lists(st.sampled_from(MARKUP.split()), max_size=40).map(" ".join),
    st.sampled_from(["utf-8", "utf-16", "gb18030", "iso2022_jp"]),
)
def test_no_jumble_of_markup_raises(text: str, encoding: str) -> None:
    found = read(text.encode(encoding, "replace"), HERE, f"text/xml; charset={encoding}")
    assert all(link.url.startswith(("http://", "https://")) for link in found.links)


@given(st.text(max_size=40))
def test_no_date_raises(date: str) -> None:
    modified(date.replace("<", ""))


@pytest.mark.parametrize(
    ("written", "every"), [("daily", 86_400.0), ("<![CDATA[ Weekly ]]>", 604_800.0), ("often", None), ("", None)]
)
def test_a_sitemap_says_how_often_a_page_changes(written: str, every: float | None) -> None:
    found = read(urlset(loc("/a", f"<changefreq>{written}</changefreq>"), loc("/b")).encode(), HERE)
    assert [link.every for link in found.links] == [every, None]


@pytest.mark.parametrize(
    ("written", "priority"),
    [("0.8", 0.8), (" 1.0\n", 1.0), ("0", 0.0), ("1.5", 0.5), ("-1", 0.5), ("high", 0.5), ("nan", 0.5), ("", 0.5)],
)
def test_a_priority_is_a_number_from_0_to_1_or_none(written: str, priority: float) -> None:
    found = read(urlset(loc("/a", f"<priority>{written}</priority>"), loc("/b")).encode(), HERE)
    assert [link.priority for link in found.links] == [priority, 0.5]


@pytest.mark.parametrize("form", ["<url><loc>{}</loc></url>", "{}\n"])
def test_the_addresses_of_a_sitemap_are_bounded_in_all_together(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "CHARACTERS_MOST", 10_000)
    listed = "".join(form.format(f"http://a.example/{number}/{'x' * 900}") for number in range(50))
    whole = f"<urlset>{listed}</urlset>" if "<" in form else listed
    found = read(whole.encode(), "http://a.example/sitemap.xml")
    assert 10 <= len(found.links) <= 11
    assert found.problem is not None
    assert found.problem.endswith("characters of addresses; the rest was not read")
