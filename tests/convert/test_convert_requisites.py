"""What pages and stylesheets need is found as a browser finds it, and hostile ones cost no more than their length."""

from __future__ import annotations

import pytest

from gossamer.convert.document import begin
from gossamer.convert.html import requisites
from gossamer.convert.html.requisites import MOST, candidates, of_html
from gossamer.convert.stylesheet import asked, rewritten
from gossamer.model import Capture, Kind, Page, Visit

BASE = "http://a.test/dir/page"
CSS = """@import "a.css" screen; @import url( 'b.css' ) layer(x); @namespace svg url(http://www.w3.org/2000/svg);
/* url(never.png) */ .a { background: url(a.png), url('b c.png'); content: "url(never.png)" }
@font-face { src: local("no"), url("f.woff2") format("woff2"), url(x\\(1\\).ttf) }
.b { background: image-set("one.png" 1x, url(two.png) 2x, "three.avif" type("image/avif")) }
:root { --v: URL( "v.png" ) } .c { content: "unclosed
} .d { background: url(d.png) } .e { background: url(bad bad) } .f { background: url(\\75 .png"""


def captured(body: str, media_type: str, kind: Kind = Kind.RESOURCE, url: str = BASE) -> Page:
    headers = (("content-type", media_type), ("link", "</sent.css>; rel=stylesheet, </next>; rel=next"))
    page = begin(
        Capture(Visit(url, kind), 0.0, 0.0, 200, headers, body=body.encode()), "Gossamer", content=None, requisites=True
    )
    assert isinstance(page, Page)
    return page


def test_a_stylesheet_asks_for_what_a_browser_would_load() -> None:
    found = [(each.address, each.place) for each in asked(CSS)]
    assert found == [
        ("a.css", "import"),
        ("b.css", "import"),
        *((name, "style") for name in ("a.png", "b c.png", "f.woff2", "x(1).ttf", "one.png", "two.png", "three.avif")),
        ("v.png", "style"),
        ("d.png", "style"),
    ]


def test_addresses_of_a_stylesheet_are_replaced_and_nothing_else_is() -> None:
    css = '@import "a.css" print; .a { background: url(x.png) no-repeat; content: "url(y.png)" }'
    put = rewritten(css, lambda each: f'url("{each.address.upper()}")')
    assert put == '@import url("A.CSS") print; .a { background: url("X.PNG") no-repeat; content: "url(y.png)" }'


@pytest.mark.parametrize(
    "evil",
    [
        "url(",
        '"',
        "/*",
        "@import ",
        'url("',
        "a{b:url(x)}",
        "\\",
        "image-set(",
        "url( ",
        "type('",
        "\\\"'",
        "url(\\\"'",
    ],
)
def test_no_stylesheet_takes_longer_than_its_length(evil: str) -> None:
    """A pattern that goes back would take hours for the last of these; the limit of the suite ends it."""
    assert sum(1 for _ in asked(evil * 100_000)) <= 100_000


def test_a_page_needs_all_that_it_shows() -> None:
    page = b"""<link rel="shortcut icon" href=/i.ico><link rel="alternate stylesheet" href=no.css>
<link rel=next href=no>
<link rel=stylesheet href=s.css><link rel=preload as=image imagesrcset="p1.png 1x, p2.png 2x" href=p.png>
<style>@import "in.css"; a { background: url(st.png) }</style><script src=a.js></script><body background=bg.png>
<img src=1.png srcset="2.png 1x, 3.png 2x"><picture><source srcset=4.png><img data-src=5.png></picture>
<video src=v.mp4 poster=v.png><track src=v.vtt></video><audio src=a.ogg></audio><input type=image src=in.png>
<iframe src=f.html srcdoc="<img src=doc.png>"></iframe><object data=o.svg></object><embed src=e.swf>
<svg><image xlink:href=x.png /><use href="u.svg#a" /><use href="#inside" /></svg><noscript><img src=n.png></noscript>
<p style="background: url(at.png)"></p><img src="data:image/png;base64,AAAA"><a href=no.html>no</a>"""
    found = {link.url.removeprefix("http://a.test/dir/"): link.place for link in of_html(page, BASE, "UTF-8")}
    assert found == {
        "http://a.test/i.ico": "icon",
        "s.css": "stylesheet",
        "p.png": "preload",
        "p1.png": "imagesrcset",
        "p2.png": "imagesrcset",
        "in.css": "import",
        "st.png": "style",
        "a.js": "script",
        "bg.png": "background",
        "1.png": "img",
        "2.png": "srcset",
        "3.png": "srcset",
        "4.png": "srcset",
        "5.png": "img",
        "v.mp4": "video",
        "v.png": "poster",
        "v.vtt": "track",
        "a.ogg": "audio",
        "in.png": "input",
        "f.html": "iframe",
        "doc.png": "img",
        "o.svg": "object",
        "e.swf": "embed",
        "x.png": "image",
        "u.svg": "use",
        "n.png": "img",
        "at.png": "style",
    }


def test_paths_in_scripts_of_a_page_are_tried_if_they_end_like_what_pages_load() -> None:
    page = b"""<script>link.href = "style/offline.css"; load('/js/a.js'); say("no.css", "/page.html")</script>
<script type="application/ld+json">{"logo": "/no/logo.png"}</script>"""
    found = {link.url: link.place for link in of_html(page, BASE, "UTF-8")}
    assert found == {"http://a.test/dir/style/offline.css": "code", "http://a.test/js/a.js": "code"}
    assert of_html(b"<script>'" + b"a/" * 200_000 + b"</script>", BASE, "UTF-8") == ()


def test_an_address_in_a_srcset_may_have_commas_in_it() -> None:
    assert list(candidates("a,b.png 1x,c.png, ,d.png 2x (x, y), e.png,")) == ["a,b.png", "c.png", "d.png", "e.png"]
    assert list(candidates("data:image/png;base64,AAAA 1x, b.png")) == ["data:image/png;base64,AAAA", "b.png"]


def test_bombs_are_read_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requisites, "_WRITTEN_MOST", 5_000)
    many = ", ".join(f"{number}.png {number}w" for number in range(100_000))
    assert len(of_html(f"<img srcset='{many}'>".encode(), BASE, "UTF-8")) == 100
    styles = "".join(f"a{{b:url({number}.png)}}" for number in range(100_000))
    assert len(of_html(f"<style>{styles}</style>".encode(), BASE, "UTF-8")) == MOST
    assert len(captured(styles, "text/css").requisites) == MOST
    data = "<img src='data:image/png;base64,AAAA'>" * 20_000
    assert of_html(data.encode(), BASE, "UTF-8") == ()


def test_what_pages_are_dressed_with_is_not_read_but_for_what_it_needs() -> None:
    style = captured(".a { background: url(../x.png) }", "text/css", url="http://a.test/css/deep/s.css")
    assert [link.url for link in style.requisites] == ["http://a.test/css/x.png"]
    assert (style.text, style.links, style.media_type) == ("", (), "text/css")
    frame = captured("<base href=/b/><p>Words of a frame</p><img src=x.png>", "text/html")
    assert [link.url for link in frame.requisites] == ["http://a.test/sent.css", "http://a.test/b/x.png"]
    assert (frame.text, frame.title) == ("", "")
    drawing = '<svg xmlns="http://www.w3.org/2000/svg"><image href="x.png"/></svg>'
    assert captured(drawing, "image/svg+xml").requisites[-1].url == "http://a.test/dir/x.png"
    assert captured("fetch('/x.png')", "text/javascript").requisites == ()


def test_a_page_of_a_crawl_that_does_not_ask_says_nothing_of_it() -> None:
    body = b"<title>A</title><img src=x.png>"
    capture = Capture(Visit(BASE), 0.0, 0.0, 200, (("content-type", "text/html"),), body=body)
    page = begin(capture, "Gossamer", content=None)
    assert isinstance(page, Page)
    assert page.requisites == ()
