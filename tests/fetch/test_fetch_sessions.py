"""A login by a form: what is sent where, without a network."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from gossamer.fetch.logins import Account, Login, Logins, place
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
    logins = Logins((Login((place(PAGE, frozenset()),), accounts=(Account("form", "me", "geheim", DOOR),)),))
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
        ("http://a.example/login", "sends the password to http://a.example"),
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


Said = tuple[int, str]
"""A status, and where it leads to or what it says."""


class Members(Site):
    """Answers each address in turn as it is told to; what comes after the last answer is like the last."""

    def __init__(self, submitted: Said = (200, "Welcome."), **answers: list[Said]) -> None:
        super().__init__("/login")
        self.submitted, self.answers, self.asked = submitted, answers, 0

    async def __call__(self, visit: Visit) -> Capture:
        name = visit.url.removeprefix(PAGE) or "home"
        self.asked += name != "login"
        answers = self.answers.get(name, [(200, FORM.format("/login") if name == "login" else "Come in.")])
        return self.answer(visit, *(answers.pop(0) if len(answers) > 1 else answers[0]))

    async def submit(self, url: str, referrer: str, body: bytes) -> Capture:
        self.sent.append(url)
        return self.answer(Visit(url), *self.submitted)

    def answer(self, visit: Visit, status: int, text: str) -> Capture:
        headers = (("content-type", "text/html"), *((("location", text),) if 300 <= status < 400 else ()))
        return Capture(visit, 0.0, 0.1, status, headers, body=text.encode())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((401, ""), "some pages answer 401 or 403 also after a fresh login"),
        ((403, ""), "some pages answer 401 or 403 also after a fresh login"),
        ((302, "/login?back=/"), "some pages lead to it also after a fresh login"),
        ((200, FORM.format("/login")), "some pages have its form also after a fresh login"),
    ],
)
def test_a_sign_that_three_fresh_logins_do_not_cure_is_none(
    answer: Said, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    site = Members(home=[answer])
    signed = signed_in(site)
    asyncio.run(signed(Visit(PAGE)))
    assert (len(site.sent), site.asked) == (3, 3), "a page is asked for three times at most"
    assert words not in caplog.text
    for _ in range(5):
        asyncio.run(signed(Visit(PAGE)))
    assert (len(site.sent), site.asked) == (4, 3 + 2 + 4)
    assert words in caplog.text


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((302, "/login?back=/"), "https://a.example/ still leads to it after 3 logins"),
        ((403, ""), "https://a.example/ is still refused after 3 logins"),
        ((200, FORM.format("/login")), "https://a.example/ still has its form after 3 logins"),
    ],
)
def test_a_password_that_a_server_refuses_in_silence_is_doubted_aloud_and_once(
    answer: Said, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    signed = signed_in(Members(home=[answer]))
    for _ in range(4):
        asyncio.run(signed(Visit(PAGE)))
    assert caplog.text.count("check the name and the password") == 1
    assert words in caplog.text


def test_one_page_that_is_closed_to_everybody_is_no_reason_to_doubt_a_login(caplog: pytest.LogCaptureFixture) -> None:
    signed = signed_in(Members(closed=[(403, "")]))
    for name in ("", "closed"):
        asyncio.run(signed(Visit(PAGE + name)))
    assert "check the name" not in caplog.text


def test_a_login_that_cures_a_sign_takes_its_doubts_away(caplog: pytest.LogCaptureFixture) -> None:
    ended: list[Said] = [(401, ""), (401, ""), (200, "Here.")] * 2
    signed = signed_in(Members(home=[*ended, (200, "Here.")]))
    for _ in range(2):
        assert asyncio.run(signed(Visit(PAGE))).status == 200
    assert "fresh login" not in caplog.text


def test_a_site_that_ends_sessions_gets_one_more_login_for_every_four_pages(caplog: pytest.LogCaptureFixture) -> None:
    site = Members(home=[*([(401, ""), (200, "Here.")] * 9), (200, "Here.")])
    signed = signed_in(site)
    for _ in range(5):
        assert asyncio.run(signed(Visit(PAGE))).status == 200
    assert len(site.sent) == 6
    assert asyncio.run(signed(Visit(PAGE))).status == 401
    assert len(site.sent) == 6
    assert "6 logins have brought only 5 pages; the crawl goes on without it" in caplog.text


@pytest.mark.parametrize(("hops", "found"), [(5, True), (6, False)])
def test_the_page_of_a_login_may_be_five_redirects_away(
    hops: int, found: bool, caplog: pytest.LogCaptureFixture
) -> None:
    site = Members(login=[*((302, "/login") for _ in range(hops)), (200, FORM.format("/login"))])
    asyncio.run(signed_in(site)(Visit(PAGE)))
    assert bool(site.sent) is found
    assert ("its page has no form" in caplog.text) is not found


@pytest.mark.parametrize(
    ("submitted", "words"),
    [
        ((400, ""), "it is refused: http 400"),
        ((200, FORM.format("/login")), "it is refused: the login form comes again"),
        ((307, "https://b.example/"), "its form leads to another site, which would be sent the password"),
        ((308, "https://b.example/"), "its form leads to another site, which would be sent the password"),
        ((302, "https://b.example/"), ""),
        ((302, "/inside"), ""),
    ],
)
def test_what_comes_of_a_login_is_said(submitted: Said, words: str, caplog: pytest.LogCaptureFixture) -> None:
    asyncio.run(signed_in(Members(submitted))(Visit(PAGE)))
    assert words in caplog.text
    assert bool(caplog.text) is bool(words)


def test_a_page_of_a_login_that_does_not_come_is_said(caplog: pytest.LogCaptureFixture) -> None:
    signed = signed_in(Members(login=[(400, "")]))
    for _ in range(2):
        asyncio.run(signed(Visit(PAGE)))
    assert caplog.text.count("its page does not come: http 400; the crawl goes on without it") == 1


def test_the_cookies_of_a_session_are_in_no_record() -> None:
    class Baker(Members):
        async def __call__(self, visit: Visit) -> Capture:
            capture = await super().__call__(visit)
            head = b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b;\r\n c\r\nX: y\r\n\r\n"
            return replace(capture, headers=(*capture.headers, ("set-cookie", "a=b")), head=head)

    kept = asyncio.run(signed_in(Baker())(Visit(PAGE)))
    assert kept.headers == (("content-type", "text/html"),)
    assert kept.head == b"HTTP/1.1 200 OK\r\nX: y\r\n\r\n"
