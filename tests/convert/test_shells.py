"""Is a page that a script fills told from one that is a list?"""

import pytest

from gossamer import convert

_ITEMS = (
    "Standing desks",
    "Office chairs",
    "Recliners and sofas",
    "Converters",
    "Accessories",
    "Beds",
    "Lamps",
    "Bikes",
)
_LINKS = "".join(f"<li class=menu-item><a href=/{each[:3]}>{each}</a></li>" for each in _ITEMS)
_HELP = ("About us", "Contact us", "Careers", "Blog", "Bulk orders", "Track my order", "Warranty", "Shipping policy")
_COLUMN = "".join(f"<div class=footer-item><a href=/help>{each}</a></div>" for each in _HELP)
SHELL = f"""<body><a class=skip href=#main>Skip to content</a>
<div class=topbar><a href=/r>Return policy</a> <a href=/s>Support</a></div>
<header class=header><nav class=menu><ul>{_LINKS}</ul></nav><a class=cart href=/cart>Cart (0)</a></header>
<div class=cart-drawer><h2>Cart</h2><p class=total>Subtotal</p><p class=total>$0 USD</p><button>Checkout</button></div>
<div id=root><div class=spinner>Loading...</div></div>
<div class=newsletter><h3>Subscribe</h3><label>Sign up for offers and news by mail</label><button>Go</button></div>
<div class=sorting><span>Sort by</span><span>Relevance</span><span>Latest</span><span>Price: low to high</span></div>
<div class=footer><div class=footer-title>Get to know us</div>{_COLUMN}<div class=footer-title>Products</div>
<ul class=footer-list>{_LINKS}</ul><p class=copyright>Copyright 2025 Desks Inc. All rights reserved.</p>
<ul class=more><li>Affiliate program</li><li>Become our supplier</li><li>Teacher discount</li>
<li>Gift cards</li><li>Manuals and guides</li></ul>
<ul class=languages><li><a href=/de>Deutsch</a></li><li><a href=/fr>Français</a></li></ul>
<a href=/privacy>Privacy notice</a> <a href=/terms>Terms of use</a> <a href=/cookies>Cookie settings</a></div>"""
_NAMES = [f"{bird}-{number}" for bird in ("wren", "dipper", "linnet", "dunnock") for number in range(35)]
LISTS = {
    "of links": "<ul>" + "".join(f"<li><a href=/{name}>{name}</a></li>" for name in _NAMES) + "</ul>",
    "in lines": "".join(f"<a href=/{name}>{name}</a><br>" for name in _NAMES),
    "between menus": f"<ul class=menu>{_LINKS}</ul><ol>"
    + "".join(f"<li><a href=/{name}>{name}</a></li>" for name in _NAMES)
    + f"</ol><div class=footer>{_COLUMN}</div>",
}


def test_a_shell_that_a_script_would_fill_has_no_content_but_its_words_are_there() -> None:
    page = convert.document(SHELL.encode(), "text/html")
    assert (page.content, page.html) == ("", "")
    assert "Standing desks" in page.text


@pytest.mark.parametrize("markup", LISTS.values(), ids=LISTS)
def test_a_page_that_is_a_list_of_names_is_no_shell(markup: str) -> None:
    content = convert.document(f"<body><h1>Birds</h1>{markup}".encode(), "text/html").content
    assert all(name in content for name in _NAMES)


def test_a_shell_with_something_to_read_keeps_it() -> None:
    said = "This desk is made of oak, and two motors lift it from sixty to a hundred and twenty centimetres. " * 3
    page = SHELL.replace("<div class=spinner>Loading...</div>", f"<h1>Oak desk</h1><p>{said}</p>")
    content = convert.document(page.encode(), "text/html").content
    assert said.strip() in content
    assert "Track my order" not in content
