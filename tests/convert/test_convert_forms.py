"""Which forms has a page, and which of them is its login?"""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from gossamer.convert.html.forms import FORMS_MOST, Form, forms, of_capture
from gossamer.fetch.login_form import filled, login_form
from gossamer.model import Capture, Visit

URL = "https://example.org/a/page?x=1"


def one(page: str) -> Form:
    (found,) = forms(page.encode(), URL)
    return found


def test_a_form_is_described_with_all_its_fields() -> None:
    found = one(
        """<base href="/b/"><form id=f class="search box" action="find"><label for=q>Look for</label>
        <input id=q type=SEARCH name=q placeholder="Words"><input type=hidden name=h value=1>
        <select name=s><option value="">All<option value=x selected>The x<option disabled>no</select>
        <select name=m multiple><option>1<option>2</select>
        <input type=radio name=r value=1><input type=radio name=r value=2 checked>
        <input type=checkbox name=c><textarea name=t>some
 text</textarea><input name=off disabled>
        <input type=image name=i><button>Go on</button></form><input form=f name=out>"""
    )
    assert (found.action, found.method) == ("https://example.org/b/find", "get")
    by_name = {control.name: control for control in found.controls}
    assert by_name["q"].kind == "search"
    assert by_name["q"].label == "Look for Words"
    assert by_name["s"].options == (("", "All"), ("x", "The x"))
    assert by_name["s"].value == "x"
    assert not by_name["m"].sent
    assert by_name["r"].options == (("1", ""), ("2", ""))
    assert by_name["r"].value == "2"
    assert not by_name["c"].sent
    assert by_name["t"].kind == "textarea"
    assert "off" not in by_name
    assert "out" in by_name
    assert found.controls[-2].label == "Go on"
    assert "search box" in found.words
    assert "Go on" in found.words


def test_where_and_how_a_form_is_sent() -> None:
    assert one("<form></form>").action == URL
    assert one("<form method=POST action='?y'></form>")[:2] == ("https://example.org/a/page?y", "post")
    assert one("<form method=dialog></form>").method == "dialog"
    assert one("<form method=nonsense></form>").method == "get"
    assert one("<form enctype=multipart/form-data></form>").files
    assert one("<form><input type=file name=x></form>").files
    assert forms(b"<form action='mailto:a@example.org'></form>", URL) == ()
    assert forms(b"<p>no form", URL) == ()
    assert len(forms(b"<form></form>" * 100, URL)) == FORMS_MOST


def test_the_forms_of_what_was_captured() -> None:
    body = "<meta charset=windows-1251><form><input name=слово></form>".encode("cp1251")
    page = Capture(Visit(URL), 0.0, 0.0, 200, (("content-type", "text/html"),), body=body)
    (found,) = of_capture(page)
    assert found.encoding == "windows-1251"
    assert found.controls[0].name == "слово"
    assert of_capture(Capture(Visit(URL), 0.0, 0.0, 200, (("content-type", "image/png"),), body=body)) == ()


@pytest.mark.parametrize(
    ("accepted", "page", "sent_in"),
    [
        ("latin2", "UTF-8", "ISO-8859-2"),
        ("bogus-9, ISO-8859-5", "UTF-8", "ISO-8859-5"),
        ("UNKNOWN", "windows-1251", "windows-1251"),
        ("hex", "UTF-8", "utf-8"),
        ("utf-16", "windows-1251", "utf-8"),
        ("", "UTF-16LE", "utf-8"),
        ("", "replacement", "utf-8"),
        ("Shift_JIS", "UTF-8", "cp932"),
    ],
)
def test_a_form_is_sent_in_an_encoding_that_there_is(accepted: str, page: str, sent_in: str) -> None:
    (found,) = forms(f'<form accept-charset="{accepted}"></form>'.encode(), URL, page)
    assert found.encoding == sent_in


LOGIN = """<form action=/find><input name=q></form>
<form method=post action=/join><input name=name><input type=password name=a><input type=password name=b></form>
<form method=post action=/in><input type=hidden name=token value="a b&amp;c"><input name=email type=email>
<input name=code_word><input type=password name=pw><input type=checkbox name=stay checked>
<button name=go>In</button></form>"""


def test_the_login_is_the_form_with_one_password() -> None:
    found = login_form(forms(LOGIN.encode(), URL))
    assert found is not None
    assert found.action == "https://example.org/in"
    sent = parse_qs(filled(found, "ada", "p&=ü").decode(), keep_blank_values=True)
    expected = {"token": ["a b&c"], "email": ["ada"], "code_word": [""], "pw": ["p&=ü"], "stay": ["on"], "go": [""]}
    assert sent == expected


@pytest.mark.parametrize(
    "page",
    [
        "<form method=post><input name=u></form>",
        "<form method=post><input type=password name=p></form>",
        "<form><input name=u><input type=password name=p></form>",  # the password would stand in the address
        "<form method=post><input name=u><input type=password></form>",
        "<input name=u><input type=password name=p>",
    ],
)
def test_other_forms_are_no_login(page: str) -> None:
    assert login_form(forms(page.encode(), URL)) is None


def test_what_is_filled_in_is_sent_in_the_encoding_of_the_page() -> None:
    page = b"<form method=post><input name=u><input type=password name=p></form>"
    found = login_form(forms(page, URL, "windows-1252"))
    assert found is not None
    assert filled(found, "\xe4", "\u4e2d") == b"u=%E4&p=%E4%B8%AD"
