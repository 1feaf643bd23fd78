"""A page that is shown without loading anything has in it what was kept with it, and no more than fits."""

from __future__ import annotations

import re

import pytest

from gossamer.convert.html import inlining
from gossamer.convert.html.inert import Original, inert
from gossamer.convert.html.inlining import Dress, Held

URL = "http://a.test/dir/page"
PICTURE, FONT, CSS = "image/png", "font/woff2", "text/css"
KEPT: dict[str, tuple[bytes, str]] = {
    "http://a.test/dir/x.png": (b"a picture", PICTURE),
    "http://a.test/dir/s.css": (b"@import 't/t.css' screen; .a { background: url(x.png) } @charset 'x';", CSS),
    "http://a.test/dir/t/t.css": (b"@import '../s.css'; @font-face { src: url(/f.woff2) } .t { color: red }", CSS),
    "http://a.test/f.woff2": (b"a font", FONT),
    "http://a.test/page.html": (b"<script>alert(1)</script>", "text/html"),
}
DATA = {kind: f"data:{kind};base64," for kind in (PICTURE, FONT)}


def held(url: str) -> Held | None:
    found = KEPT.get(url)
    return Held(url, *found, found[1]) if found else None


def shown(page: str) -> str:
    return inert(Original(page.encode(), "UTF-8", URL), lambda url: f"/cached?url={url}", held)


def test_styles_with_all_that_they_import_and_pictures_are_part_of_the_page() -> None:
    page = shown("<link rel=stylesheet href=s.css><p style='background: url(x.png)'>words<img src=x.png>")
    assert page.count(DATA[PICTURE]) == 3
    assert page.count(DATA[FONT]) == 1
    assert "color: red" in page
    assert not re.search(r"(?:url\(|src=|href=)[\"']?(?!data:|[\"'])", page.replace("&quot;", "'")), (
        "and nothing is loaded"
    )


def test_what_was_not_kept_is_left_out_and_what_is_no_picture_is_none() -> None:
    page = shown("<img src=missing.png><img src=/page.html><link rel=stylesheet href=/page.html><p>words")
    assert "src=" not in page
    assert "alert" not in page
    assert "<p>words</p>" in page


def test_a_stylesheet_is_for_its_screens_and_one_that_is_not_chosen_is_left_out() -> None:
    assert "@media print {" in shown("<link rel=stylesheet href=s.css media=print>")
    assert "color: red" not in shown(
        "<link rel='alternate stylesheet' href=s.css><link rel=stylesheet disabled href=s.css>"
    )
    assert "}<" not in shown("<link rel=stylesheet href=s.css media='print{}</style><script>'>")


def test_it_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inlining, "NUMBER_MOST", 5)
    assert shown("<img src=x.png>" * 50).count(DATA[PICTURE]) == 5
    monkeypatch.setattr(inlining, "ONE_MOST", 5)
    assert DATA[PICTURE] not in shown("<img src=x.png>")


def test_what_is_too_large_is_not_read_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def large(url: str) -> Held:
        asked.append(url)
        return Held(url, b"a large picture", PICTURE, PICTURE)

    monkeypatch.setattr(inlining, "ONE_MOST", 5)
    monkeypatch.setattr(inlining, "READ_MOST", 30)
    dress = Dress(large)
    assert not any(dress.picture(f"{number}.png", URL) for number in range(10))
    assert len(asked) == 2


def test_circles_of_stylesheets_end() -> None:
    assert Dress(held).sheet("s.css", URL).count("@font-face") == 1
