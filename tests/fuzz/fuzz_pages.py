"""Pages that nobody would write by chance: real ones that were spoilt, and heaps of markup. All from a seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

Change: TypeAlias = Callable[[Random, bytes, Sequence[bytes]], bytes]

_TAGS = (
    "a abbr address annotation-xml area article aside b base blockquote body br button caption center code col "
    "colgroup dd desc details dfn dialog div dl dt em fieldset font footer foreignobject form frame frameset h1 h2 "
    "h6 head header hr html i iframe image img input li link main math menu meta mi mo mtext nav nobr noembed "
    "noframes noscript object ol optgroup option p param plaintext pre q rb rp rt rtc ruby s script section select "
    "small span strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr tt u "
    "ul video wbr x-own xmp"
)
_NAMES = "href src id class style role title alt rel name content http-equiv lang hidden itemprop itemtype type"
TAGS, NAMES = _TAGS.split(" "), _NAMES.split(" ")
VALUES = (
    "x",
    "",
    "/a?b=1&amp;c",
    "#top",
    " http://a.example/ b ",
    "refresh",
    "0;url=x",
    "canonical next",
    "display : none",
    "true",
    "hidden",
    "MainContent sideBar",
    "http://schema.org/Article/",
    "\u00e9\u4e2d\U0001f600",
    "&#x110000;&notin;&amp",
    "'",
)
TEXTS = (
    " ",
    "\n",
    "\t  \r\n",
    "word",
    "Two words, and more. Ends!",
    "\u00a0",
    "\u3000\u2028\u1680",
    "\u4e2d\u6587\u5b57",
    "\u0e44\u0e17\u0e22",
    "e\u0301\u0939\u093f",
    "\U00020000\U0001f600",
    "&amp;",
    "&lt",
    "&#0;",
    "&#55296;",
    "&#x1F600;",
    "&CounterClockwiseContourIntegral;",
    "&",
    "&#",
    "&#x",
    "<",
    "</",
    "<!",
    "<!--",
    "-->",
    "--!>",
    "<![CDATA[",
    "]]>",
    "<?x",
    "\x1c\x1f",
    "1234567890",
    "\ufeff\ufffd",
    "w" * 65,
)
BROKEN = (
    b"\xff",
    b"\xc2",
    b"\xe2\x80",
    b"\xf0\x9f\x98",
    b"\xed\xa0\x80",
    b"\xc0\xaf",
    b"\xf4\x90\x80\x80",
    b"\0",
    b"\2",
)
STARTERS = (
    b"",
    b"<!doctype html><html lang=en><head><title>T</title><meta name=a content=b></head><body><p>1 <a href=x>2</a></p>",
    b"<table><caption>c</caption><tr><th>a<th>b<tr><td>1<td>2</table><ul><li>a<li>b<ol><li>c</ol></ul>",
    b"<b><i><p>x</b>y</i><a href=1><div><a href=2>z</div></a><form><span></form>t</span><select><option>o</select>",
    b"<noscript><a href=n>no</a></noscript><svg><title>s</title><a xlink:href=l>t</a></svg><math><mi>x</mi></math>",
    b"<template><td><template></template></template><pre>\n a\n  b</pre><dl><dt>t<dd>d</dl><textarea><p></textarea>",
)


def tag(dice: Random) -> bytes:
    """A start or end tag, or half of one."""
    if dice.random() < 0.35:
        return f"</{dice.choice(TAGS)}>".encode()
    quote = dice.choice(("", "'", '"'))
    named = ((dice.choice(NAMES), dice.choice(VALUES)) for _ in range(dice.choice((0, 0, 0, 1, 1, 2, 14))))
    own = "".join(f" {name}={quote}{value}{quote}" for name, value in named)
    end = dice.choice((">", ">", ">", ">", " >", "/>", ""))
    return f"<{dice.choice(TAGS)}{own}{end}".encode()


def piece(dice: Random) -> bytes:
    """Markup or text."""
    if dice.random() < 0.01:
        return dice.choice(BROKEN)
    return tag(dice) if dice.random() < 0.7 else dice.choice(TEXTS).encode()


def heap(dice: Random, most: int = 80) -> bytes:
    """Some of them, of which a few come again and again."""
    pieces = [piece(dice) for _ in range(dice.randint(1, most))]
    favourites = dice.choices(pieces, k=dice.randint(1, 6))
    return b"".join(dice.choice(favourites) if dice.random() < 0.3 else each for each in pieces)


def _place(dice: Random, page: bytes) -> int:
    """Anywhere, but rather where markup is."""
    at = dice.randint(0, len(page))
    found = page.find(b"<", at) if dice.random() < 0.7 else -1
    return at if found < 0 else found + dice.randint(0, 2)


def _cut(dice: Random, page: bytes, others: Sequence[bytes]) -> bytes:
    return page[: _place(dice, page)]


def _drop(dice: Random, page: bytes, others: Sequence[bytes]) -> bytes:
    at = _place(dice, page)
    return page[:at] + page[at + dice.choice((1, 2, 9, 100, 5_000)) :]


def _repeat(dice: Random, page: bytes, others: Sequence[bytes]) -> bytes:
    at = _place(dice, page)
    part = page[at : at + dice.choice((1, 3, 20, 200))]
    return page[:at] + part * dice.choice((2, 5, 70, 450)) + page[at:]


def _insert(dice: Random, page: bytes, others: Sequence[bytes]) -> bytes:
    at = _place(dice, page)
    return page[:at] + heap(dice, 8) + page[at:]


def _flip(dice: Random, page: bytes, others: Sequence[bytes]) -> bytes:
    spoilt = bytearray(page)
    for _ in range(dice.choice((1, 2, 20)) if page else 0):
        spoilt[dice.randrange(len(spoilt))] = dice.choice((dice.randrange(256), *b"<>&/\"' =-!;"))
    return bytes(spoilt)


def _break(dice: Random, page: bytes, others: Sequence[bytes]) -> bytes:
    at = _place(dice, page)
    return page[:at] + dice.choice(BROKEN) + page[at:]


def _splice(dice: Random, page: bytes, others: Sequence[bytes]) -> bytes:
    other = dice.choice(others)
    at, there = _place(dice, page), _place(dice, other)
    return page[:at] + other[there : there + dice.choice((20, 500, 20_000))] + page[at:]


def _nest(dice: Random, page: bytes, others: Sequence[bytes]) -> bytes:
    """Deeper than anybody goes: around the limits of what is open at once."""
    at, opened = _place(dice, page), b"".join(tag(dice) for _ in range(dice.randint(1, 3)))
    return page[:at] + opened * dice.choice((10, 61, 199, 401, 900)) + page[at:]


def _widen(dice: Random, page: bytes, others: Sequence[bytes]) -> bytes:
    """An attribute or a word without end."""
    at, size = _place(dice, page), dice.choice((501, 4_095, 4_096, 8_193, 70_000))
    letter = dice.choice((b"x", b"\xc3\xa9", b"&lt;", b" y", b"\xe3\x80\x80"))
    return page[:at] + b"<a href='" + letter * size + b"' title='" + letter * 600 + b"'>" + letter * size + page[at:]


CHANGES: tuple[Change, ...] = (_cut, _drop, _repeat, _insert, _insert, _flip, _break, _splice, _nest, _widen)
LARGEST = 200_000
"""Bytes of a page that was spoilt: what shows in a larger one shows in this."""


def spoilt(dice: Random, pages: Sequence[bytes]) -> bytes:
    """A page that was changed a few times, or one that is nothing but pieces."""
    if dice.random() < 0.4:
        return heap(dice)
    page = dice.choice(pages)
    for _ in range(dice.choice((1, 1, 2, 3, 6))):
        page = dice.choice(CHANGES)(dice, page, pages)[:LARGEST]
    return page


def extreme(size: int) -> list[bytes]:
    """Pages of nothing but one thing, so many times."""
    once = [b"<div>", b"<b>", b"<a href=x>", b"<p><font size=7>x", b"<table><td>", b"</p>", b"<svg>", b"&amp;", b"&amp"]
    once += [
        b"\xe4\xb8\xad",
        b"word ",
        b" \n",
        b"<ul><li>",
        b"<!--",
        b"<a",
        b"<br>",
        b"<img alt=x>",
        b"\r",
        b"<select>",
    ]
    once += [b"<pre>", b"<noscript><a href=x>", b"<template>", b"<i><div></i>", b"<meta name=a content=b>", b"<dl><dd>"]
    attributes = b"<p " + b" ".join(b"x%d=1" % number for number in range(size)) + b" class='" + b"Ab " * size + b"'>y"
    return [b"", b"<", b"&", *(each * size for each in once), attributes]
