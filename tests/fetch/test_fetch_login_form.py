"""Which form of a page logs in, and what does it send?"""

from __future__ import annotations

import pytest

from gossamer.convert.html.forms import Form, forms
from gossamer.fetch.login_form import filled, login_form

URL = "https://a.test/in"
FIELDS = "<input name=user><input type=password name=secret>"


def found(page: str, encoding: str = "UTF-8") -> Form | None:
    return login_form(forms(page.encode(), URL, encoding))


def sent(page: str, encoding: str = "UTF-8", *, user: str = "ada", password: str = "hush") -> str:
    form = found(page, encoding)
    assert form is not None
    return filled(form, user, password).decode("ascii")


@pytest.mark.parametrize(
    "page",
    [
        "<p>No form at all.</p>",
        f"<form method=get>{FIELDS}</form>",
        "<form method=post><input name=user></form>",
        "<form method=post><input type=password name=secret></form>",
        "<form method=post><input name=user><input type=password></form>",
        f"<form method=post>{FIELDS}<input type=password name=again></form>",  # one that makes an account
        "<form method=post><input type=search name=q><input type=password name=secret></form>",
        "<form method=post><input name=newsletter><input type=password name=secret></form>",
        "<form method=post><input type=password name=secret><input name=user></form>",
    ],
)
def test_a_form_without_one_name_and_one_password_logs_nobody_in(page: str) -> None:
    assert found(page) is None


def test_of_several_the_one_with_the_fewest_fields_is_taken() -> None:
    long = f"<form method=post action=/new><input name=city><input name=zip>{FIELDS}</form>"
    short = f"<form method=post action=/in>{FIELDS}</form>"
    for page in (long + short, short + long):
        form = found(page)
        assert form is not None
        assert form.action == "https://a.test/in"


@pytest.mark.parametrize(
    ("before", "taken"),
    [
        ("<input name=a><input name=b>", "b"),  # nothing is called so: the nearest
        ("<input name=mail><input name=b>", "b"),
        ("<input name=email><input name=b>", "email"),
        ("<input name=email><input name=user><input name=b>", "user"),
        ("<label for=x>Benutzer</label><input id=x name=a><input name=b>", "a"),
        ("<input type=email name=a><input name=token>", "a"),
        ("<input type=hidden name=user><input name=b>", "b"),
        ("<input name=b><input>", "b"),
    ],
)
def test_the_name_goes_into_the_nearest_field_that_is_called_so(before: str, taken: str) -> None:
    pairs = sent(f"<form method=post>{before}<input type=password name=secret></form>").split("&")
    assert [pair for pair in pairs if pair.endswith("=ada")] == [f"{taken}=ada"]
    assert pairs[-1] == "secret=hush"


def test_all_is_sent_that_a_browser_would_send_by_the_first_button() -> None:
    page = f"""<form method=post><input type=hidden name=csrf value=x1>{FIELDS}<input type=checkbox name=keep value=1
        checked><input type=checkbox name=news value=1><input value=nameless><button type=button name=show
        value=1>Show</button><input type=submit name=go value=In><input type=submit name=other value=Help></form>"""
    assert sent(page) == "csrf=x1&user=ada&secret=hush&keep=1&go=In"


def test_what_is_sent_is_in_the_encoding_of_the_page_where_that_has_the_letters() -> None:
    page = f"<form method=post>{FIELDS}</form>"
    assert sent(page, user="é") == "user=%C3%A9&secret=hush"
    assert sent(page, "windows-1252", user="é", password="€ ") == "user=%E9&secret=%80+"
    assert sent(page, "windows-1252", user="\u4e2d") == "user=%E4%B8%AD&secret=hush"
    assert sent(page, password="\udcff") == "user=ada&secret=%FF"  # a byte that is no text


@pytest.mark.parametrize(("accepted", "page"), [("bogus-9", "UTF-8"), ("hex", "UTF-8"), ("", "replacement")])
def test_a_form_in_an_encoding_that_there_is_not_is_filled_in(accepted: str, page: str) -> None:
    assert sent(f'<form method=post accept-charset="{accepted}">{FIELDS}</form>', page) == "user=ada&secret=hush"
