"""Pieces of a document: cut where it may be cut, and together all of it again."""

from __future__ import annotations

import random

import pytest

from gossamer import convert
from gossamer.tagged import Writer, plain
from gossamer.tagged.passages import count, passages

URL = "https://site.example/guide"
SAID = ("word", "an end.", "Why?", "中文。", "a &amp; b &lt;")
GUIDE = """<h1>Keys</h1>
<p>A key opens a lock. Mr. Smith has two of them. So has his sister.</p>
<ul>
<li>one key</li>
<li>two keys</li></ul>
<h2>Prices</h2>
<table>
<tr><th>Key</th><th>Price</th></tr>
<tr><td>small<br>and light</td><td>2</td></tr>
</table>
<h2>In code</h2>
<pre lang="python">key = make()

open(key)</pre>
<p>That is all.</p>"""


@pytest.mark.parametrize("words", [1, 2, 3, 5, 8, 13, 200])
def test_passages_joined_are_the_content(words: int) -> None:
    assert "".join(each.text for each in passages(GUIDE, words)) == plain(GUIDE)


def made(chance: random.Random) -> str:
    writer = Writer()
    for _ in range(chance.randrange(12)):
        line = " ".join(chance.choice(SAID) for _ in range(chance.randrange(30)))
        match chance.randrange(6):
            case 0:
                writer.paragraph(line)
            case 1:
                writer.heading(chance.randrange(1, 7), line)
            case 2:
                writer.item(line, chance.randrange(3))
            case 3:
                writer.pre(line.replace(" ", "\n"))
            case 4:
                writer.quote(line)
            case 5:
                writer.table([[line, "x"], ["y", line]])
    return writer.html()


def test_passages_of_made_documents_are_all_of_them() -> None:
    chance = random.Random(4)
    for html in (made(chance) for _ in range(60)):
        for words in (1, 7, 40):
            found = passages(html, words)
            assert "".join(each.text for each in found) == plain(html)
            assert [each.start for each in found] == [
                sum(len(before.text) for before in found[:number]) for number in range(len(found))
            ]


def test_a_passage_has_the_path_of_its_headings() -> None:
    assert [(each.headings, each.text) for each in passages(GUIDE)] == [
        (("Keys",), "Keys\nA key opens a lock. Mr. Smith has two of them. So has his sister.\none key\ntwo keys\n"),
        (("Keys", "Prices"), "Prices\nKey\tPrice\nsmall\nand light\t2\n"),
        (("Keys", "In code"), "In code\nkey = make()\n\nopen(key)\nThat is all."),
    ]


def test_sentences_and_rows_are_never_cut() -> None:
    found = [each.text for each in passages(GUIDE, 4)]
    assert "Mr. Smith has two of them. " in found
    assert any("small\nand light\t2\n" in text for text in found)


def test_a_passage_is_no_longer_than_asked_unless_a_sentence_is() -> None:
    html = "<p>" + " ".join(f"Sentence number {number} has seven words." for number in range(100)) + "</p>"
    found = passages(html, 50)
    assert len(found) > 10
    assert max(each.words for each in found) <= 50
    assert sum(each.words for each in found) == count(plain(html))


def test_the_address_shows_the_place() -> None:
    (found,) = passages("<h2>Two-way, locks</h2>\n<p>A</p>", url=f"{URL}#top")
    assert found.url == f"{URL}#:~:text=Two%2Dway%2C%20locks"
    assert passages("<p>x</p>")[0].url is None


def test_no_content_is_no_passage() -> None:
    assert passages("") == []
    with pytest.raises(ValueError, match="one word"):
        passages("<p>x</p>", 0)


def test_a_page_gives_its_passages() -> None:
    page = convert.document(b"<h1>Keys</h1><p>A key opens a lock.</p>", "text/html", URL)
    assert "".join(each.text for each in page.passages(words=3)) == page.content
