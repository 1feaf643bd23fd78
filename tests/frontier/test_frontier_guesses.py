"""A seed without a scheme is https until its robots.txt has told: the first answer decides, once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from books import Books, books

from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.discover.guesses import GUESS
from gossamer.frontier.entries import META
from gossamer.frontier.polite.host_delays import Host
from gossamer.frontier.queue.back_queues import Origin
from gossamer.model import Capture, Failure, Fault, Kind, Visit
from gossamer.urls.scope import Scope

HTTPS, MORE, HTTP = "https://a.example/", "https://a.example/more", "http://a.example/"
REFUSED = Failure(Fault.CONNECT, "refused")


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Books]:
    with books(tmp_path, scope=Scope(kind="host", seeds=frozenset({HTTPS}))) as held:
        yield held


def guess(held: Books, *urls: str) -> list[str]:
    new = held.frontier.guess(urls)
    held.frontier.add([Found(url) for url in new])
    held.frontier.sift()
    return new


def tell(held: Books, origin: str = "https://a.example", *, at: str = "", status: int = 0, **more: object) -> None:
    """The robots.txt of an origin was asked for, there or where it leads."""
    visit = Visit(f"{at or origin}/robots.txt", Kind.ROBOTS, owner=origin)
    capture = Capture(visit, held.clock.wall(), 0.1, status, **more)  # type: ignore[arg-type]  # a failure, say
    held.frontier._rooms.guesses.learn(Origin(origin, Host(origin.partition("://")[2])), capture)
    held.frontier.sift()


def states(held: Books) -> dict[str, str]:
    return {url: entry.state.name for url, entry in held.frontier.ledger.all()}


def guessed(held: Books) -> list[bytes]:
    return [value for _, value in held.table.scan(META, prefix=GUESS)]


def test_what_is_new_is_a_guess_and_what_is_known_is_what_it_is(held: Books) -> None:
    assert guess(held, HTTPS) == [HTTPS]
    assert guess(held, HTTPS, MORE) == [MORE]
    assert guessed(held) == [f"{HTTPS}\n{MORE}".encode()]


def test_where_https_does_not_answer_http_takes_its_place(held: Books) -> None:
    guess(held, HTTPS, MORE)
    tell(held, failure=REFUSED)
    assert states(held) == {HTTPS: "EXCLUDED", MORE: "EXCLUDED", HTTP: "QUEUED", f"{HTTP}more": "QUEUED"}
    assert held.entry(HTTPS).reason.startswith("https does not answer, so http is asked in its place: ")
    assert (held.entry(HTTP).depth, held.entry(HTTP).referrer) == (0, HTTPS)
    assert guessed(held) == []
    held.frontier.add([Found(HTTPS, 1, HTTP)])
    held.frontier.sift()
    assert held.state(HTTPS) == "QUEUED", "a link or a redirect lets it in"
    held.frontier.add([Found(f"{HTTP}other", 1, HTTP)])
    held.frontier.sift()
    assert held.state(f"{HTTP}other") == "QUEUED", "and http belongs to the crawl"


@pytest.mark.parametrize(
    "told", [{"status": 200}, {"status": 500}, {"status": 200, "failure": Failure(Fault.RESET, "x")}]
)
def test_any_answer_says_that_https_was_right(held: Books, told: dict[str, object]) -> None:
    guess(held, HTTPS)
    tell(held, **told)  # type: ignore[arg-type]  # as above
    assert (states(held), guessed(held)) == ({HTTPS: "QUEUED"}, [])
    tell(held, failure=REFUSED)
    assert states(held) == {HTTPS: "QUEUED"}, "once"


@pytest.mark.parametrize("fault", [Fault.NO_SUCH_HOST, Fault.DNS, Fault.BLOCKED_ADDRESS])
def test_what_http_would_meet_too_says_nothing(held: Books, fault: Fault) -> None:
    guess(held, HTTPS)
    tell(held, failure=Failure(fault))
    assert (states(held), len(guessed(held))) == ({HTTPS: "QUEUED"}, 1)


def test_a_redirect_of_robots_txt_that_leads_nowhere_was_an_answer(held: Books) -> None:
    guess(held, HTTPS)
    tell(held, at="https://b.example", failure=REFUSED)
    assert (states(held), guessed(held)) == ({HTTPS: "QUEUED"}, [])


def test_only_the_https_origin_of_a_guess_tells(held: Books) -> None:
    guess(held, HTTPS)
    tell(held, "http://a.example", failure=REFUSED)
    tell(held, "https://b.example", failure=REFUSED)
    assert (states(held), len(guessed(held))) == ({HTTPS: "QUEUED"}, 1)


def test_a_seed_that_was_settled_meanwhile_stays(held: Books) -> None:
    guess(held, HTTPS)
    held.answered(HTTPS)
    tell(held, failure=REFUSED)
    assert states(held) == {HTTPS: "DONE"}


def test_what_was_found_a_moment_ago_is_known_and_no_guess(held: Books) -> None:
    held.frontier.add([Found(HTTPS)])
    assert held.frontier.guess([HTTPS, MORE]) == [MORE]


def test_what_takes_the_place_of_a_seed_is_a_seed(tmp_path: Path) -> None:
    with books(tmp_path, scope=Scope(kind="page", seeds=frozenset({HTTPS}))) as held:
        guess(held, HTTPS)
        tell(held, failure=REFUSED)
        assert states(held) == {HTTPS: "EXCLUDED", HTTP: "QUEUED"}
        held.frontier.add([Found(HTTPS, 0, HTTP)])
        held.frontier.sift()
        assert held.state(HTTPS) == "QUEUED", "a redirect to it lets it in"
