"""What pages say of themselves for programs, within bounds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gossamer.convert import document
from gossamer.convert.html.structured import DATA_MOST, microdata
from gossamer.store.warc.text_records import Said

LD = '<script type="application/ld+json">{}</script>'


def data(page: str) -> dict[str, Any]:
    return document(page.encode(), "text/html", "https://site.example/").data


def test_linked_data_is_taken_as_it_is() -> None:
    thing = {"@type": "Product", "name": "Mug", "offers": {"price": "9.50"}}
    assert data(LD.format(json.dumps(thing)) + "<p>x") == {"json_ld": [thing]}
    assert data(LD.format(json.dumps([thing, thing])) + "<p>x") == {"json_ld": [thing, thing]}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_linked_data_is_found_all_over_a_page(end: str) -> None:
    parts = [LD.format('{"a": 1}'), "<p>x", LD.format("no JSON"), "<p>y", LD.format('{"b": 2}'), "<p>z"]
    assert data(end.join(parts)) == {"json_ld": [{"a": 1}, {"b": 2}]}


def test_fields_of_open_graph_are_kept_the_first_of_each() -> None:
    page = (
        '<meta property="og:title" content="A"><meta property="og:title" content="B">'
        '<meta name="twitter:card" content="c">'
        '<meta name="viewport" content="width"><meta property="og:type" content=" "><p>x'
    )
    assert data(page) == {"meta": {"og:title": "A", "twitter:card": "c"}}


def test_microdata_has_items_and_items_within() -> None:
    page = (
        '<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">A <b>mug</b></h1><div>x</div>'
        '<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="9.50">'
        '<div>y</div></div><img itemprop="image" src="/a.png"><img itemprop="image" src="/b.png"></div>'
        '<p itemprop="name">outside</p><span itemscope><i itemprop="a">1</i></span>'
    )
    assert data(page)["microdata"] == [
        {
            "@type": "https://schema.org/Product",
            "name": "A mug",
            "offers": {"@type": "https://schema.org/Offer", "price": "9.50"},
            "image": ["/a.png", "/b.png"],
        },
        {"a": "1"},
    ]


@pytest.mark.parametrize(
    "page",
    [
        LD.format("{no json"),
        LD.format("[" * 5_000),
        LD.format('"text"'),
        "<div itemscope>",
        "<div itemscope itemprop=a",
        "<p>nothing",
    ],
)
def test_what_is_broken_says_nothing(page: str) -> None:
    assert not any(data(page).values()) or data(page) == {"microdata": [{}]}


def test_what_no_json_can_say_costs_itself_and_not_the_page() -> None:
    page = LD.format('{"@type": "Article", "a": NaN, "b": [-Infinity, 1e999, 2.5], "n\\ud800": "x\\udc00\\ud83d"}')
    found = document(f"<title>A</title>{page}<p>Some words.".encode(), "text/html", "https://site.example/")
    assert found.data == {
        "json_ld": [{"@type": "Article", "a": None, "b": [None, None, 2.5], "n\ufffd": "x\ufffd\ufffd"}]
    }
    assert found.structured.encode()
    assert found.text == "Some words."


def test_what_is_too_much_is_left_out_whole() -> None:
    large = {"@type": "Thing", "text": "x" * DATA_MOST}
    small = {"@type": "Thing", "name": "small"}
    assert data(LD.format(json.dumps(large)) + LD.format(json.dumps(small)) + "<p>x") == {"json_ld": [small]}
    deep = "<div itemscope itemprop=a>" * 10_000
    assert len(list(microdata(deep.encode()))) <= 1
    many = "<div itemscope><i itemprop=a>1</i></div>" * 10_000
    assert len(json.dumps(data(many))) <= 2 * DATA_MOST


def test_it_is_kept_with_what_else_was_read() -> None:
    assert {"structured", "kind"} <= set(Said.__struct_fields__)
