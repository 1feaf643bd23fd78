"""Do words stay apart that a page shows apart without a space between them?"""

import pytest

from gossamer import convert

_AROUND = "<p>" + "Words that make this page one that is worth to be read. " * 12
APART = {
    "links": ("<a href=/t>Terms of Use</a><a href=/p>Privacy Policy</a>", "Terms of Use Privacy Policy"),
    "tags in small letters": ("<a href=/h>hiking</a><a href=/s>survival kit</a>", "hiking survival kit"),
    "fields": ("<span>2025</span><span>2h 11m</span>", "2025 2h 11m"),
    "a count of comments": ("<time>Mar 7</time><span>20</span>", "Mar 7 20"),
    "a name and a label": ("<strong>Ada Lovelace</strong><span>Author</span>", "Ada Lovelace Author"),
    "deep inside": ("<span><b><i>Old Town</i></b></span><span><em>Kayak</em></span>", "Old Town Kayak"),
    "scripts without small letters": ("<span>مرحبا</span><span>العالم</span>", "مرحبا العالم"),
}
TOGETHER = {
    "an index": ("<span>H</span><sub>2</sub>O", "H2O"),
    "an index beside a word": ("<span>water</span><sup>12</sup>", "water12"),
    "an initial": ("<b>O</b>nce upon a time", "Once upon a time"),
    "a torn word": ("<span>a c</span><span>omparison</span>", "a comparison"),
    "an ordinal": ("<span>455 N. 3</span><span>rd</span>", "455 N. 3rd"),
    "letters that move": ("<span>M</span><span>O</span><span>VE</span>", "MOVE"),
    "half a word in a link": ("<a href=/c>case stud</a>ies", "case studies"),
    "signs": ("<span>Price</span><span>: $5</span>", "Price: $5"),
    "writing without spaces": ("<span>東京</span><span>大学</span>", "東京大学"),
}


@pytest.mark.parametrize(("markup", "said"), [*APART.values(), *TOGETHER.values()], ids=[*APART, *TOGETHER])
def test_words_of_two_elements_are_as_far_apart_as_they_look(markup: str, said: str) -> None:
    page = f"<body>{_AROUND}{markup} and what follows."
    assert f"read. {said} and what" in convert.document(page.encode(), "text/html; charset=utf-8").content


def test_code_is_as_it_is_written() -> None:
    page = f"<body>{_AROUND}<p>It is so:</p><pre><span>10</span><span>UL</span></pre><p>And so it goes on."
    assert "\n10UL\n" in convert.document(page.encode(), "text/html").content


def test_links_that_touch_are_two_words_in_markdown() -> None:
    page = f"<body>{_AROUND}<a href=http://a.test/t>Terms</a><a href=http://a.test/p>Privacy</a> and more."
    written = convert.document(page.encode(), "text/html").markdown
    assert "[Terms](http://a.test/t) [Privacy](http://a.test/p)" in written
