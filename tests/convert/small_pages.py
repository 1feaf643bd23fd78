"""Small pages of many shapes, each with what it says and what only stands around it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

HEAD = """<header class=top><a href=/ class=logo>Wren &amp; Co</a>
<nav><ul><li><a href=/>Home</a></li><li><a href=/shop>Shop</a></li><li><a href=/about>About us</a></li></ul></nav>
</header>"""
FOOT = """<footer><p>Copyright 2025 Wren &amp; Co. All rights reserved.</p>
<ul><li><a href=/privacy>Privacy</a></li><li><a href=/imprint>Imprint</a></li></ul></footer>"""
AROUND = ("Home", "About us", "Copyright", "Privacy", "Imprint")


class Small(NamedTuple):
    """A page, and parts of its text."""

    main: str
    """What stands between header and footer."""
    said: tuple[str, ...]
    """What is content, in the order of the page."""
    around: tuple[str, ...] = ()
    """What is none, besides `AROUND`."""

    @property
    def html(self) -> bytes:
        """The whole page."""
        head = "<!doctype html><html lang=en><head><meta charset=utf-8><title>A page - Wren</title></head>"
        return f"{head}<body>{HEAD}{self.main}{FOOT}</body></html>".encode()


_NAMES = """
    Blackbird Blackcap Bullfinch Chaffinch Chiffchaff Crossbill Dipper Dunnock Fieldfare Firecrest Goldcrest Goldfinch
    Greenfinch Hawfinch Jackdaw Linnet Nightingale Nuthatch Redstart
"""
_BIRDS = _NAMES.split()
_LINES = ("Between the barley and the lane", "the lark goes up before the rain,", "and where it was the air is still,")
_POSTS = (
    ("ann", "3 May 2024", "Does anybody know how to keep moss off a north wall?"),
    ("bob77", "3 May 2024", "Lime wash, twice a year."),
    ("ann", "4 May 2024", "Thanks, that worked."),
    ("Cleo", "9 May 2024", "Mine came back after one winter, by the way."),
)
_QUESTIONS = (
    ("Do you ship abroad?", "Yes, to most countries in Europe."),
    ("Can I pay by invoice?", "Not yet."),
    ("Where are you?", "In Bergen, by the harbour."),
)
_CHANGES = (
    ("2.1.0", "2024-05-02", ("Adds a dark theme", "Fixes a crash on start")),
    ("2.0.1", "2024-03-11", ("Fixes the build",)),
    ("2.0.0", "2024-03-01", ("Drops Python 3.8", "Renames open to load")),
)
_GUESTS = (("Ida", "12", "Norway"), ("Jon", "7", "Iceland"), ("Kaisa", "31", "Finland"), ("Lars", "7", "Sweden"))
_TERMS = (("Warp", "Threads that run along."), ("Weft", "Threads that run across."), ("Selvage", "The edge."))
_PICTURES = ("Harbour at dawn", "Two boats", "Nets drying")
_PLANS = (("Starter", "5 euros a month", "One user"), ("Team", "20 euros a month", "Ten users"))


def _listed(items: Iterable[str]) -> str:
    return "".join(f"<li>{item}</li>" for item in items)


PAGES: dict[str, Small] = {
    "list": Small(
        f"""<main><h1>Birds of the valley</h1><p>All that were seen this year.</p>
        <ul>{_listed([f"<a href=/birds/{name.lower()}>{name}</a>" for name in _BIRDS])}</ul></main>""",
        ("Birds of the valley", "All that were seen this year.", *_BIRDS),
    ),
    "list without main": Small(
        f"""<div id=wrap><h1>Birds of the valley</h1><p>All that were seen this year.</p>
        <ul>{_listed([f"<a href=/birds/{name.lower()}>{name}</a>" for name in _BIRDS])}</ul></div>""",
        ("Birds of the valley", "All that were seen this year.", *_BIRDS),
    ),
    "cards": Small(
        "<main><h1>New this week</h1><div class=grid>"
        + "".join(
            f"<div class=card><a href=/p/{number}><h3>{name} mug</h3></a><span>{number + 9},00 €</span></div>"
            for number, name in enumerate(_BIRDS[:6])
        )
        + "</div></main>",
        (
            "New this week",
            *(part for number, name in enumerate(_BIRDS[:6]) for part in (f"{name} mug", f"{number + 9},00 €")),
        ),
    ),
    "table": Small(
        "<main><h1>Guests</h1><p>Nights in June.</p><table><tr><th>Name</th><th>Nights</th><th>From</th></tr>"
        + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in _GUESTS)
        + "</table></main>",
        ("Guests", "Nights in June.", "Name", "Nights", "From", *(cell for row in _GUESTS for cell in row)),
    ),
    "thread": Small(
        "<main><h1>Moss on a wall</h1>"
        + "".join(
            f"<div class=post><div class=author>{who}</div><time>{when}</time><p>{what}</p></div>"
            for who, when, what in _POSTS
        )
        + "</main>",
        ("Moss on a wall", *(part for post in _POSTS for part in post)),
    ),
    "thread without main": Small(
        "<div class=thread><h1>Moss on a wall</h1>"
        + "".join(
            f"<div class=post><div class=author><a href=/u/{who}>{who}</a></div><time>{when}</time><p>{what}</p></div>"
            for who, when, what in _POSTS
        )
        + "</div>",
        ("Moss on a wall", *(part for post in _POSTS for part in post)),
    ),
    "product": Small(
        """<main><h1>Garden chair</h1><img src=/chair.jpg alt="A chair of oak"><p class=price>89,00 €</p>
        <p>Made of oak. It lasts a lifetime, even in the rain.</p>
        <ul><li>Weight: 4 kg</li><li>Height: 92 cm</li></ul>
        <form action=/cart><label>Quantity <input name=n></label><button>Add to cart</button></form></main>""",
        ("Garden chair", "89,00 €", "Made of oak.", "Weight: 4 kg", "Height: 92 cm"),
        ("Add to cart", "Quantity"),
    ),
    "glossary": Small(
        "<main><h1>Weaving words</h1>" + "".join(f"<h2>{term}</h2><p>{what}</p>" for term, what in _TERMS) + "</main>",
        ("Weaving words", *(part for pair in _TERMS for part in pair)),
    ),
    "list of terms": Small(
        "<article><h1>Weaving words</h1><dl>"
        + "".join(f"<dt>{term}</dt><dd>{what}</dd>" for term, what in _TERMS)
        + "</dl></article>",
        ("Weaving words", *(part for pair in _TERMS for part in pair)),
    ),
    "questions": Small(
        "<main><h1>Questions</h1>"
        + "".join(f"<details><summary>{ask}</summary><p>{tell}</p></details>" for ask, tell in _QUESTIONS)
        + "</main>",
        ("Questions", *(part for pair in _QUESTIONS for part in pair)),
    ),
    "gallery": Small(
        "<main><h1>The harbour</h1>"
        + "".join(
            f"<figure><img src=/g/{number}.jpg alt='{name}'><figcaption>{name}</figcaption></figure>"
            for number, name in enumerate(_PICTURES)
        )
        + "</main>",
        ("The harbour", *_PICTURES),
    ),
    "landing": Small(
        """<main><section class=hero><h1>Invoices without tears</h1><p>Write them in a minute.</p>
        <a class=button href=/try>Try it</a></section><section class=plans><h2>Plans</h2>"""
        + "".join(f"<div class=plan><h3>{name}</h3><p>{price}</p><p>{what}</p></div>" for name, price, what in _PLANS)
        + "</section></main>",
        ("Invoices without tears", "Write them in a minute.", "Plans", *(part for plan in _PLANS for part in plan)),
    ),
    "poem": Small(
        f"<main><h1>Lark</h1><p>{'<br>'.join(_LINES)}<br>a song comes down upon the hill.</p><p>E. Marsh</p></main>",
        ("Lark", *_LINES, "a song comes down upon the hill.", "E. Marsh"),
    ),
    "changes": Small(
        "<main><h1>Changes</h1>"
        + "".join(
            f"<h2>{number} <small>{day}</small></h2><ul>{_listed(list(what))}</ul>" for number, day, what in _CHANGES
        )
        + "</main>",
        ("Changes", *(part for number, day, what in _CHANGES for part in (number, day, *what))),
    ),
    "one paragraph": Small(
        "<main><h1>Closed</h1><p>We are away until the first of August.</p></main>",
        ("Closed", "We are away until the first of August."),
    ),
    "one paragraph in the body": Small(
        "<h1>Closed</h1><p>We are away until the first of August.</p>",
        ("Closed", "We are away until the first of August."),
    ),
    "contact": Small(
        """<main><h1>Contact</h1><address>Wren &amp; Co<br>Strandgaten 4<br>5013 Bergen</address>
        <p>Phone: 55 00 00 00</p><p>Open Monday to Friday, 9 to 16.</p></main>""",
        ("Contact", "Strandgaten 4", "5013 Bergen", "Phone: 55 00 00 00", "Open Monday to Friday, 9 to 16."),
    ),
    "recipe": Small(
        """<article><h1>Flat bread</h1><p>Serves 4</p><h2>You need</h2>
        <ul><li>300 g flour</li><li>Salt</li><li>Water</li></ul>
        <h2>How</h2><ol><li>Mix.</li><li>Rest for an hour.</li><li>Bake.</li></ol></article>
        <aside><h2>More recipes</h2><ul><li><a href=/soup>Leek soup</a></li><li><a href=/pie>Onion pie</a></li></ul>
        </aside>""",
        (
            "Flat bread",
            "Serves 4",
            "You need",
            "300 g flour",
            "Salt",
            "Water",
            "How",
            "Mix.",
            "Rest for an hour.",
            "Bake.",
        ),
        ("More recipes", "Leek soup"),
    ),
    "post with a list beside it": Small(
        """<main><article><h1>First frost</h1><p>It came in the night, and the dahlias are black.</p></article>
        <aside><h3>Recent posts</h3><ul><li><a href=/1>Late plums</a></li><li><a href=/2>Wasps</a></li></ul></aside>
        </main>""",
        ("First frost", "It came in the night"),
        ("Recent posts", "Late plums"),
    ),
    "path of pages in main": Small(
        """<main><nav class=crumbs><a href=/>Start</a> <a href=/yarn>Yarn</a></nav><h1>Blue yarn</h1>
        <p>Spun from the wool of our own sheep.</p></main>""",
        ("Blue yarn", "Spun from the wool of our own sheep."),
        ("Start",),
    ),
}
