"""A login by a form: what is sent where, without a network."""

from __future__ import annotations

import asyncio

import pytest

from gossamer.fetch.logins import Account, Login, Logins, Place, place
from gossamer.fetch.sessions import Sessions, SignedIn
from gossamer.model import Capture, Kind, Visit
from gossamer.testing import VirtualClock

DOOR, PAGE = "https://a.example/login", "https://a.example/"
FORM = '<form method=post action="{}"><input name=user><input type=password name=secret><input type=submit></form>'


class Site:
    """Has one form, and says what it was sent."""

    def __init__(self, action: str) -> None:
        self.action = action
        self.sent: list[str] = []

    async def __call__(self, visit: Visit) -> Capture:
        body = FORM.format(self.action).encode() if visit.url == DOOR else b"<p>Come in.</p>"
        return Capture(visit, 0.0, 0.1, 200, (("content-type", "text/html"),), body=body)

    async def submit(self, url: str, referrer: str, body: bytes) -> Capture:
        self.sent.append(url)
        return Capture(Visit(url), 0.0, 0.1, 200, (("content-type", "text/html"),), body=b"<p>Welcome.</p>")


def signed_in(site: Site) -> SignedIn:
    here: Place = place(PAGE, frozenset())
    plain = place("http://a.example/", frozenset())
    places = tuple(Place(here.sites, port, plain=True) for port in (here.port, plain.port))
    logins = Logins((Login(places, accounts=(Account("form", "me", "geheim", DOOR),)),))
    return SignedIn(Sessions(logins, VirtualClock()), site, site, pause=0.0)


def test_what_pages_of_others_ask_for_starts_no_login_and_teaches_nothing() -> None:
    site = Site("/login")
    signed = signed_in(site)
    foreign = Visit("https://a.example/data", Kind.RESOURCE, referrer="https://evil.example/")
    for _ in range(9):
        asyncio.run(signed(foreign))
    assert site.sent == []
    asyncio.run(signed(Visit(PAGE)))
    assert site.sent == [DOOR]
    asyncio.run(signed(Visit("https://a.example/data", Kind.RESOURCE, referrer=PAGE)))
    assert site.sent == [DOOR]


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("/login", ""),
        ("http://a.example/login", "its page is encrypted, and its form would send the password"),
        ("https://b.example/login", "sends the password to https://b.example"),
    ],
)
def test_a_password_is_sent_where_it_was_meant_for_and_not_in_plain_sight(
    action: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    site = Site(action)
    asyncio.run(signed_in(site)(Visit(PAGE)))
    assert site.sent == ([] if said else [DOOR])
    assert said in caplog.text
    assert "geheim" not in caplog.text
