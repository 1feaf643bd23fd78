"""Subscriptions at hubs, by a clock and a network of their own: asked for, called back, renewed, ended."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gossamer.collection.signal import listening, pings, websub_subscriber
from gossamer.collection.signal import websub_subscription as states
from gossamer.collection.signal.listening import Listening
from gossamer.collection.signal.websub_subscriber import Subscriber
from gossamer.collection.signal.websub_subscription import ANSWERS, DAY, LEASE, REFUSED, Signature
from gossamer.frontier.revisit.hubs import Subscribable
from gossamer.model import Capture, Failure, Fault, Visit

FEED, HUB, TOPIC = "http://a.example/feed", "http://hub.example/", "http://a.example/topic"
NAMED = {FEED: Subscribable(HUB, TOPIC, True)}


class Posts:
    """In the place of the network: what is sent, and what comes back."""

    def __init__(self, *answers: int | str | Fault) -> None:
        self.answers = list(answers)
        self.sent: list[tuple[str, dict[str, str]]] = []

    async def post(self, url: str, fields: Mapping[str, str], body: bytes) -> Capture:
        self.sent.append((url, dict(each.split("=", 1) for each in body.decode().split("&"))))  # type: ignore[misc]
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Fault):
            return Capture(Visit(url), 0.0, 0.1, failure=Failure(answer))
        moved = (("location", answer),) if isinstance(answer, str) else ()
        return Capture(Visit(url), 0.0, 0.1, 308 if moved else int(answer), moved)


class Kept:
    """A subscriber and its clock."""

    def __init__(self, folder: Path, *answers: int | str | Fault) -> None:
        self.now, self.posts, self.folder = 1e9, Posts(*answers), folder
        posts: Any = self.posts
        self.subscriber = Subscriber(folder, listening.load(folder), "https://me.example/", posts, lambda: self.now)

    def round(self, named: Mapping[str, Subscribable] = NAMED, after: float = 0.0) -> int:
        """How many requests are sent in it."""
        self.now += after
        before = len(self.posts.sent)
        asyncio.run(self.subscriber.keep_up(named))
        return len(self.posts.sent) - before

    def called(self, mode: str = "subscribe", **more: str) -> str | None:
        (token,) = self.subscriber.subscriptions
        said = {"hub.mode": mode, "hub.topic": TOPIC, "hub.challenge": "c", **more}
        return self.subscriber.answer(token, said)

    @property
    def one(self) -> Any:
        (each,) = self.subscriber.subscriptions.values()
        return each


def test_a_lease_is_renewed_before_it_ends_with_the_same_address_and_secret(tmp_path: Path) -> None:
    kept = Kept(tmp_path, 202)
    assert kept.round() == 1
    assert kept.called(**{"hub.lease_seconds": "3000"}) == "c"
    assert kept.one.ends == kept.now + 3_000
    assert kept.round(after=1_900) == 0
    assert kept.round(after=200) == 1
    first, second = kept.posts.sent
    assert first == second
    assert kept.one.state == "active", "until then the old lease holds"
    assert kept.called(**{"hub.lease_seconds": "9" * 11}) == "c"
    assert kept.one.ends == kept.now + 365 * DAY
    again = Kept(tmp_path, 202)
    assert again.round(after=2 * DAY) == 1, "after a kill it goes on with what there is"
    assert again.posts.sent[0] == first


def test_who_does_not_call_back_is_asked_less_and_less_often(tmp_path: Path) -> None:
    kept = Kept(tmp_path, 202)
    assert kept.round() == 1
    for wait in (ANSWERS, 2 * ANSWERS, 4 * ANSWERS):
        assert kept.round(after=wait - 1) == 0
        assert kept.round(after=1) == 1
    assert kept.called() == "c"
    assert kept.one.ends == kept.now + LEASE


def test_a_hub_that_fails_is_left_alone_for_all_who_name_it(tmp_path: Path) -> None:
    kept = Kept(tmp_path, Fault.TIMEOUT, 503, 202)
    named = {f"{FEED}{number}": Subscribable(HUB, f"{TOPIC}{number}") for number in range(5)}
    other = {FEED: Subscribable("http://other.example/", TOPIC)}
    assert kept.round(named) == 5, "of one round"
    kept.posts.answers = [Fault.TIMEOUT]
    assert kept.round({**named, **other}, after=ANSWERS) == 6
    kept.posts.answers = [202]
    assert kept.round({**named, **other}, after=1) == 0


def test_a_hub_that_says_no_is_asked_again_after_a_week(tmp_path: Path) -> None:
    kept = Kept(tmp_path, 400, 202)
    assert kept.round() == 1
    assert (kept.one.state, kept.one.reason) == ("refused", "http 400")
    assert kept.called() is None
    assert kept.round(after=REFUSED - 1) == 0
    assert kept.round(after=1) == 1
    assert kept.called() == "c"
    assert kept.called("denied", **{"hub.reason": "not any more"}) == ""
    assert (kept.one.state, kept.one.reason) == ("refused", "not any more")
    assert kept.round({}) == 0
    assert kept.subscriber.subscriptions == {}


def test_a_hub_may_send_us_on_a_few_times(tmp_path: Path) -> None:
    kept = Kept(tmp_path, "/other", "http://third.example/", 202)
    kept.round()
    assert [url for url, _ in kept.posts.sent] == [HUB, f"{HUB}other", "http://third.example/"]
    assert kept.one.state == "asked"
    circle = Kept(tmp_path / "circle", HUB)
    (tmp_path / "circle").mkdir()
    assert circle.round() == websub_subscriber.HOPS + 1
    assert (circle.one.state, circle.one.reason) == ("refused", "http 308")


def test_what_is_named_no_more_is_ended_when_the_hub_has_called_back(tmp_path: Path) -> None:
    kept = Kept(tmp_path, 202)
    kept.round()
    kept.called()
    assert kept.called("unsubscribe") is None, "nobody has asked for that"
    assert kept.round({}) == 1
    assert kept.posts.sent[-1][1]["hub.mode"] == "unsubscribe"
    assert "hub.secret" not in kept.posts.sent[-1][1]
    (token,) = kept.subscriber.subscriptions
    assert kept.subscriber.hears(token) is None
    assert kept.called("subscribe") is None
    assert kept.round({}, after=1) == 0
    assert kept.called("unsubscribe") == "c"
    assert kept.subscriber.subscriptions == {}


def test_one_that_names_another_hub_is_subscribed_there(tmp_path: Path) -> None:
    kept = Kept(tmp_path, 202)
    kept.round()
    kept.called()
    assert kept.round({FEED: Subscribable("http://new.example/", TOPIC)}) == 2
    assert [(url, said["hub.mode"]) for url, said in kept.posts.sent[1:]] == [
        (HUB, "unsubscribe"),
        ("http://new.example/", "subscribe"),
    ]
    assert kept.round({FEED: Subscribable("http://new.example/", TOPIC)}, after=ANSWERS) == 1
    assert len(kept.subscriber.subscriptions) == 1, "who does not call back is forgotten"


def test_there_are_so_many_and_no_more_and_few_in_a_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websub_subscriber, "MOST", 30)
    kept = Kept(tmp_path, 202)
    named = {f"{FEED}{number}": Subscribable(HUB, f"{TOPIC}{number}") for number in range(50)}
    assert [kept.round(named) for _ in range(3)] == [websub_subscriber.A_ROUND, 10, 0]
    assert len(kept.subscriber.subscriptions) == 30
    assert isinstance(listening.load(tmp_path), Listening)


def test_at_the_end_hubs_are_told_and_nobody_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websub_subscriber, "FAREWELL", 0.05)
    kept = Kept(tmp_path, 202)
    kept.round()
    asyncio.run(kept.subscriber.end())
    assert [said["hub.mode"] for _, said in kept.posts.sent] == ["subscribe", "unsubscribe"]
    assert listening.load(tmp_path).subscriptions == {}


@pytest.mark.parametrize("method", ["sha1", "sha256", "sha384", "sha512", "SHA256"])
def test_a_signature_is_that_of_the_whole_body(method: str) -> None:
    digest = hmac.new(b"secret", b"one two", method.lower()).hexdigest()
    for field, agrees in ((f"{method}={digest}", True), (f"{method}={digest.upper()}", True), (f"{method}=00", False)):
        signature = Signature(field, "secret")
        signature.update(b"one ")
        signature.update(b"two")
        assert signature.agrees() is agrees


def test_what_is_told_is_kept_for_a_day_each_once_and_not_more_than_so_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pings.tell(tmp_path, [FEED], 1e9)
    watch = pings.PingWatch(tmp_path)
    assert watch.news() == [(FEED, 1e9)]
    assert watch.news() == []
    pings.tell(tmp_path, [TOPIC, FEED, TOPIC], 1e9 + 10)
    assert dict(watch.news()) == {TOPIC: 1e9 + 10, FEED: 1e9 + 10}
    pings.tell(tmp_path, [HUB], 1e9 + pings.KEPT + 10)
    assert pings.told(tmp_path) == {HUB: 1e9 + pings.KEPT + 10}
    monkeypatch.setattr(pings, "MOST", 1)
    pings.tell(tmp_path, [FEED], 2e9)
    assert pings.told(tmp_path) == {FEED: 2e9}
    for spoilt in (b"[]", b'{"a": "b"}', b"\xff", b'{"no address": 1}'):
        (tmp_path / pings.FILE).write_bytes(spoilt)
        assert pings.told(tmp_path) == {}
        assert watch.news() == []


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("59", 60.0),
        ("61", 61.0),
        ("999999999999", 365 * DAY),
        ("1000000000000", LEASE),  # more than twelve digits are no number of seconds
        ("-5", LEASE),
        ("\u0663", LEASE),
        ("", LEASE),
    ],
)
def test_a_lease_is_as_long_as_the_hub_says_within_bounds(said: str, seconds: float) -> None:
    now = states.active(states.made(FEED, NAMED[FEED]), said, 1e9)
    assert (now.state, now.ends, now.again, now.tries) == ("active", 1e9 + seconds, 1e9 + seconds * 2 / 3, 0)


def test_what_a_hub_says_is_taken_within_bounds(tmp_path: Path) -> None:
    kept = Kept(tmp_path, 202)
    kept.round()
    assert kept.called(**{"hub.challenge": "c" * 4_097}) is None
    assert kept.called(**{"hub.challenge": ""}) is None
    assert kept.called(**{"hub.challenge": "c" * 4_096}) == "c" * 4_096
    assert kept.called("denied", **{"hub.reason": "x" * 501}) == ""
    assert kept.one.reason == "x" * 500


def test_a_hub_that_never_calls_back_is_asked_once_a_day(tmp_path: Path) -> None:
    one = states.made(FEED, NAMED[FEED])
    waits = []
    for _ in range(12):
        one = states.asked(one, 1e9)
        waits.append(one.again - 1e9)
    assert waits == [*(ANSWERS * 2**tries for tries in range(8)), *[DAY] * 4]


def test_a_hub_that_fails_rests_twice_as_long_each_time_and_a_day_at_the_most(tmp_path: Path) -> None:
    kept, rests = Kept(tmp_path, 503), []
    for _ in range(13):
        assert kept.round(after=DAY) == 1  # by then it may be asked again in any case
        rests.append(kept.subscriber._tired[HUB][1] - kept.now)
    assert rests == [*(60.0 * 2**times for times in range(11)), DAY, DAY]
    kept.posts.answers = [202]
    assert kept.round(after=DAY) == 1
    assert kept.subscriber._tired == {}


def test_a_refusal_of_what_is_ended_changes_nothing(tmp_path: Path) -> None:
    kept = Kept(tmp_path, 202)
    kept.round()
    kept.called()
    kept.round({})
    assert kept.called("denied") is None
    assert kept.one.state == "ending"


def test_at_the_end_what_was_refused_is_forgotten_and_no_hub_is_told(tmp_path: Path) -> None:
    kept = Kept(tmp_path, 400)
    kept.round()
    asyncio.run(kept.subscriber.end())
    assert len(kept.posts.sent) == 1
    assert kept.subscriber.subscriptions == {}
