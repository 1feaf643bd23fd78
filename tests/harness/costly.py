"""What does a document cost that is made to be costly? Families of them, and the measure of how a cost grows.

A later step adds its reader in two lines, a function from a document to anything, and a test:

    assert found(my_reader, pages(), 15_000) == []

Nothing here asserts how long something takes. Four times as much of the same must not cost much more than four times as
much, and a page must not cost many times what an ordinary page of its size does, in the same process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

Make = Callable[[int], str]
"""So many characters of a family."""
Reader = Callable[[str], object]

GROWTH_MOST = 7.0
"""Times the cost, for four times as much. Sorting and caches take their share; a square would be 16."""
ORDINARY_MOST = 40.0
"""Times the cost of an ordinary page of the same size: one may be all tags, which the other is not."""
HARMLESS = 6.0
"""The same below which growth does not matter. Where markup gets so deep that it needs its tree, cost has one step."""
TRIES = 4

_ELEMENTS = """
    a address b blockquote body br button caption center code col dd div dl dt em fieldset font form frameset h1 head hr
    html i iframe img input li link marquee math menu meta nobr noscript object ol optgroup option p plaintext pre ruby
    rt script select small span style svg table tbody td template textarea th title tr u ul video xmp foreignObject x-y
"""
ELEMENTS = tuple(_ELEMENTS.split())
SHAPES = (
    "<{0}>",
    "<{0}>x",
    "<{0}>x</{0}>",
    "</{0}>",
    "<{0} ",
    "<div><{0}>x",
    "<a href=1>x<{0}>",
    "<b><{0}>x",
    "<table><{0}>x",
    "<svg><{0}>x",
    "<template><{0}>x",
    "<select><{0}>x",
    "<{0}><li>",
    "<{0} class='a b' id=c>x</{0}>",
    "<{0}></x>",
    "<x><{0}></x></{0}>",
)
UNITS = (
    *"<>&x1.-_/*[`#\n \t\r\xa0\0\2é中\u0301😀'\"({|\\~=,;:İß",
    *(
        "&amp;",
        "&#",
        "&#1;",
        "&x",
        "<!",
        "<!--",
        "<!-->",
        "<!-- -- ",
        "</",
        "<?",
        "<a href='",
        '<a href="',
        "<a b=c ",
        "<!doctype",
        "<![CDATA[",
    ),
    *(
        "]]>",
        "1.",
        "1,1-",
        "**",
        "](",
        "[x](",
        "# ",
        "|-",
        ">>> ",
        "- ",
        "1. ",
        "http://",
        "http://a.b/ ",
        "www.",
        "a@b.c ",
        "a@",
        "2020-01-01 ",
    ),
    *(
        "x ",
        "\u0301\u0327",
        "a\u0327\u0301",
        "\u200e",
        "ﷺ ",
        "<p",
        "<ul><li>",
        "<a href=1>x<div>",
        "<b></p>",
        "<b><p></b>",
        "<a><b><p></a>",
    ),
    *(
        "<p><b>x</p>",
        "<i></b>",
        "<table>x",
        "<tr><td>",
        "<dl><dt>x<dd>",
        "<pre>\n",
        "<noscript><a href=1>",
        "<noscript>",
        "<title ",
    ),
    *(
        '<script type="application/ld+json">{"a":',
        '<script type="application/ld+json">[[[[',
        "<base href=1>",
        "<time datetime='2020",
        "datepublished ",
    ),
    *(
        "<span itemprop=author>by ",
        "<div style='display   ",
        "<p hidden>x",
        "<a href=?1>1</a> ",
        "<a href=//1.1.1>x</a>",
        "<td colspan=999 rowspan=999>x",
    ),
    *(
        "<a rel=author>by</a>",
        "<meta name=author content=x>",
        "<meta property=article:published_time content=2020>",
        "</b></i><b><i>",
    ),
)


def ordinary(size: int) -> str:
    """A page as there are many."""
    return filled(
        "<div class=post><h2>A heading of it</h2><p>Some words that <a href=/page>stand</a> in a paragraph, with"
        " <b>bold</b> ones; and more of them follow after that.</p><ul><li>One</li><li>Two</li></ul></div>\n",
        size,
    )


def filled(unit: str, size: int) -> str:
    """The same again and again."""
    return (unit * (size // len(unit) + 1))[:size]


_INNER = ("<p>x</p>", "<a href=1>x</a>", "</p>", "</x>", "<b></b>", "<li>x", "<td>x", "<table><tr><td>x</table>", "x\n")


def pages() -> Iterator[tuple[str, Make]]:
    """Every family of HTML, and its name."""
    for unit in dict.fromkeys((*UNITS, *(shape.format(name) for name in ELEMENTS for shape in SHAPES))):
        yield repr(unit), _repeated(unit)
    yield from _NUMBERED.items()
    for outer in ("<div>", "<span>", "<ul><li>", "<blockquote>", "<table><tr><td>", "<b>", "<font size=1>"):
        for inner in (
            "<p>x</p>",
            "<a href=1>x</a>",
            "</p>",
            "</x>",
            "<b></b>",
            "<li>x",
            "<td>x",
            "<table><tr><td>x</table>",
            "x\n",
        ):
            yield f"{outer} around {inner!r}", _around(outer, inner)


def _repeated(unit: str) -> Make:
    return lambda size: filled(unit, size)


def _around(outer: str, inner: str) -> Make:
    return lambda size: filled(outer, size // 2) + filled(inner, size // 2)


def _numbered(unit: str, before: str = "", after: str = "") -> Make:
    return lambda size: before + "".join(unit.format(n) for n in range(size // (len(unit) + 2))) + after


_NUMBERED = {
    unit: _numbered(unit)
    for unit in (
        "<p class=c{0}>x",
        "<n{0}>x",
        "<p id=n{0}>x</p>",
        "<font size={0}><p>",
        "<p><font size={0}>x",
        "<b id={0}><div>",
        "<a href=/{0}>{0}</a> ",
        "{0}7919 ",
        "<body a{0}=1>",
        "<html a{0}=1>",
        "<i a={0}><object></i></object>",
        "<a href=/a{0}/1.1.1.1.1.1x>y</a>",
        "word{0} ",
        "http://{0}.a/ ",
    )
} | {
    "attributes of a tag": _numbered("a{0}=1 ", "<p ", ">x"),
    "words of a class": _numbered("a{0} ", "<p class='", "'>x"),
    "links of digits": lambda size: "".join(f"<a href=/{filled('1.', 1500)}{n}x>y</a>" for n in range(size // 1500)),
    "long words": lambda size: " ".join("x" * 1_000 + str(n) for n in range(size // 1_005)),
}


def cost(read: Reader, document: str) -> float:
    """Seconds of this thread's CPU."""
    before = time.thread_time()
    read(document)
    return time.thread_time() - before


def found(read: Reader, families: Iterable[tuple[str, Make]], size: int) -> list[str]:
    """The families that cost too much."""
    usual = min(cost(read, ordinary(4 * size)) for _ in range(TRIES))
    return [fault for name, make in families if (fault := faults(read, name, make, size, usual))]


def faults(read: Reader, name: str, make: Make, size: int, ordinary_cost: float) -> str:
    """What is wrong with the cost of a family; nothing, if it is as it should be.

    `ordinary_cost` is that of an ordinary page of four times `size`. What costs little is no harm, however it grew.
    """
    small, large = make(size), make(4 * size)
    cheap, dear = float("inf"), float("inf")
    for _ in range(TRIES):
        cheap, dear = min(cheap, cost(read, small)), min(dear, cost(read, large))
        if dear <= HARMLESS * ordinary_cost or (dear <= GROWTH_MOST * cheap and dear <= ORDINARY_MOST * ordinary_cost):
            return ""
    return f"{name}: {dear / cheap:.1f} times for four times as much, {dear / ordinary_cost:.0f} times an ordinary page"
