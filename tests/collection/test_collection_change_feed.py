"""Changes as a feed: every reader takes it, and nothing that a page says becomes markup in it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from xml.etree import ElementTree

import pytest
from selectolax.lexbor import LexborHTMLParser
from test_collection_changes import HERE, World
from test_collection_changes import web as web
from test_collection_changes import world as world

from gossamer.cli.main import main
from gossamer.collection import Collection
from gossamer.collection.ask.change_feed import Feed, atom, html
from gossamer.collection.ask.changes import Change
from gossamer.collection.ask.differences import Words
from gossamer.convert.feed import feed as feeds

ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = (
    "</title></entry><script>alert(1)</script>",
    "]]><script>alert(1)</script>",
    "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
    "&lt;img src=x onerror=alert(1)&gt;",
    "&amp;lt;script&amp;gt;",
    "a\x00b\x1b[31mc\ufffe\uffff\ud800",
    "\u202egnp.exe",
    "\" onload='x' ",
)


def change(words: str, kind: str = "changed") -> Change:
    url = "https://a.example/?a=1&b=<2>"
    return Change(url, kind, words, words, 1.0, 2.0, 2.0, Words(1, 1), words, words)


@pytest.mark.parametrize("words", HOSTILE)
@pytest.mark.parametrize("kind", ["new", "changed", "gone"])
def test_whatever_a_page_says_is_text(words: str, kind: str) -> None:
    document = atom(Feed(words, words, words, words, own="http://h/feed?q=<&>", page=words), [change(words, kind)])
    root = ElementTree.fromstring(document)
    assert [child.tag for child in root if child.tag == ATOM + "entry"] == [ATOM + "entry"]
    (entry,) = root.findall(ATOM + "entry")
    assert [child.tag.removeprefix(ATOM) for child in entry] == [
        "title", "id", "updated", "link", "category", "content",
    ]  # fmt: skip
    content = entry.findtext(ATOM + "content")
    assert content is not None
    body = LexborHTMLParser(content).body
    assert body is not None
    assert {node.tag for node in body.traverse(include_text=False)} <= {"body", "p", "ins", "del"}
    assert not any(node.attributes for node in body.traverse(include_text=False))
    assert b"\xe2\x80\xae" not in document


def test_the_command_writes_what_our_own_reader_takes(
    web: Collection, world: World, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    world.pages["edited"] = "<title>&lt;b&gt; &amp;amp; more</title><p>New &lt;script&gt; words."
    world.pages["odd"] = 404
    world.crawl(web, revisit=True)
    web.close()
    assert main(["changes", str(web.path), "--atom"]) == 0
    first = capsysbinary.readouterr().out
    found = feeds.read(first, "https://here.example/feed")
    assert found.problem is None or found.problem == ""
    by_url = {entry.url: entry for entry in found.entries}
    assert by_url.keys() == {HERE + "edited", HERE + "odd"}
    assert by_url[HERE + "edited"].title == "<b> &amp; more"
    assert all(entry.updated and entry.id.startswith("urn:uuid:") for entry in found.entries)
    assert main(["changes", str(web.path), "--atom"]) == 0
    assert capsysbinary.readouterr().out == first


def test_a_feed_without_entries_is_one(web: Collection, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    web.close()
    assert main(["changes", str(web.path), "--atom", "--since", "2099-01-01"]) == 0
    root = ElementTree.fromstring(capsysbinary.readouterr().out)
    names = [child.tag.removeprefix(ATOM) for child in root]
    assert names == ["title", "id", "updated", "author", "generator"]
    assert Path(web.path).name in (root.findtext(ATOM + "title") or "")


def test_an_id_is_that_of_the_address_and_the_change() -> None:
    one, same, other = change("a"), change("b"), change("a", "new")
    assert one.id == same.id != other.id


@pytest.mark.parametrize(
    ("kind", "added", "removed", "words", "said"),
    [
        (
            "changed",
            "a",
            "b",
            Words(2, 1),
            "<p>Changed by 3 words: 2 new, 1 gone.</p><p><ins>a</ins></p><p><del>b</del></p>",
        ),
        ("changed", "", "b", Words(0, 1), "<p>Changed by 1 word: 0 new, 1 gone.</p><p><del>b</del></p>"),
        ("changed", "", "", Words(0, 0), "<p>Changed: the same words in another order or place.</p>"),
        ("new", "<a>", "", Words(1_200, 0), "<p>New, 1,200 words.</p><p>&lt;a&gt;</p>"),
        ("changed", "", "", None, "<p>Changed: why.</p>"),
    ],
)
def test_an_entry_says_how_much_changed_and_what(
    kind: str, added: str, removed: str, words: Words | None, said: str
) -> None:
    reason = "" if words else "why"
    told = dataclasses.replace(change("x", kind), added=added, removed=removed, words=words, reason=reason)
    assert html(told) == said
