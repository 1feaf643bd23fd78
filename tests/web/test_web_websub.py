"""A server that hears from hubs: over HTTP, with a hub of its own that calls back and signs what it delivers."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import wait_for
from gossamer.collection.signal import listening, pings, websub_subscriber
from gossamer.collection.signal.listening import Listening
from gossamer.collection.signal.websub_subscriber import Subscriber
from gossamer.collection.signal.websub_subscription import ANSWERS, DAY, LEASE, REFUSED, Signature
from gossamer.errors import Damaged, Locked, UsageError
from gossamer.frontier.revisit.hubs import Subscribable
from gossamer.model import Capture, Failure, Fault, Visit
from gossamer.web import receiver, websub_callback
from gossamer.web.receiver import callback_of, receiving
from gossamer.web.serving import Wanted
from harness.hub import Site, asked, hub_and_site
from harness.ports import free_port
from harness.served import Served
from harness.served import serving as served

SETTINGS: dict[str, Any] = {
    "delay": 0,
    "ip_delay": 0,
    "allow_addresses": ("127.0.0.0/8",),
    "shards": 1,
    "disk_pause": 0,
    "disk_pause_share": 0,
}


@pytest.fixture
def site() -> Iterator[Site]:
    with hub_and_site() as found:
        found.pages["/"] = "text/html", '<link rel="alternate" href="/feed.xml"><p>All about herons.</p>'
        found.pages["/feed.xml"] = "application/rss+xml", found.feed()
        yield found


@pytest.fixture
def folder(site: Site, tmp_path: Path) -> Path:
    with gossamer.open(tmp_path / "web") as web:
        web.crawl(site.url, **SETTINGS)
        assert list(web.hubs()) == [f"{site.url}feed.xml"]
    return tmp_path / "web"


@contextmanager
def hearing(folder: Path, **more: Any) -> Iterator[Served]:
    """A server whose public address is its own."""
    port = free_port()
    wanted = Wanted(callback=f"http://127.0.0.1:{port}/", **more)
    with receiving(folder, wanted.callback) as heard, served(folder, wanted.access(), heard, port) as running:
        yield running


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiver, "EVERY", 0.05)


def test_a_hub_is_asked_calls_back_and_what_it_delivers_is_passed_on(site: Site, folder: Path) -> None:
    hub, feed = site.hub, f"{site.url}feed.xml"
    with hearing(folder, read_only=True, password="heron") as server:
        wait_for(lambda: bool(hub.topics))
        (callback,) = hub.topics
        said = hub.requests[0]
        assert callback.startswith(f"{server.url}/websub/")
        assert len(callback.rpartition("/")[2]) >= 32, "nobody guesses it"
        assert (said["hub.topic"], said["hub.lease_seconds"]) == (feed, str(int(LEASE)))
        assert len(said["hub.secret"]) == 64
        wait_for(lambda: [each.state for each in listening.load(folder).subscriptions.values()] == ["active"])
        assert stat.S_IMODE((folder / listening.FILE).stat().st_mode) == 0o600
        for method in ("sha1", "sha256", "sha384", "sha512"):
            (folder / pings.FILE).unlink(missing_ok=True)
            assert hub.publish(feed, b"what is new", method) == [202]
            wait_for(lambda: list(pings.told(folder)) == [feed])
        assert len(hub.requests) == 1, "it is not asked again while the lease lasts"
    assert [each["hub.mode"] for each in hub.requests] == ["subscribe", "unsubscribe"]
    assert hub.topics == {}, "it has called back at the end, too"
    assert listening.load(folder).subscriptions == {}


def test_a_forged_delivery_is_answered_like_any_other_and_changes_nothing(
    site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websub_callback, "DELIVERED_MOST", 1_000)
    with hearing(folder) as server:
        wait_for(lambda: bool(site.hub.topics))
        (callback,) = site.hub.topics
        right = site.hub.signature(callback, b"what is new")
        other = hmac.new(b"other", b"what is new", hashlib.sha256).hexdigest()
        for signature in ("", "sha256=", f"sha256={other}", right.replace("sha256", "md5"), "sha256=\xe4", "=", other):
            assert asked("POST", callback, b"what is new", X_Hub_Signature=signature)[0] == 202
        assert asked("POST", callback, b"what is new")[0] == 202
        assert asked("POST", callback, b"something else", X_Hub_Signature=right)[0] == 202
        assert asked("POST", f"{server.url}/websub/{'a' * 32}", b"what is new", X_Hub_Signature=right)[0] == 410
        assert asked("POST", callback, b"x" * 2_000, X_Hub_Signature=right)[0] == 413
        assert asked("PUT", callback, b"what is new", X_Hub_Signature=right)[0] == 405
        assert server.get("/health").status == 200
    assert not (folder / pings.FILE).exists()


def test_a_challenge_is_answered_only_for_what_was_asked_for(site: Site, folder: Path) -> None:
    feed = f"{site.url}feed.xml"
    with hearing(folder) as server:
        wait_for(lambda: bool(site.hub.topics))
        (callback,) = site.hub.topics
        path, start = callback.removeprefix(server.url), "hub.challenge=c%3Cb%3E&hub.lease_seconds=99"
        good = f"{path}?{start}&hub.mode=subscribe&hub.topic="
        answer = server.get(f"{good}{feed}")
        assert (answer.status, answer.text) == (200, "c<b>")
        assert answer.headers["content-type"].startswith("text/plain")
        assert answer.headers["x-content-type-options"] == "nosniff"
        for query in (
            f"{good}{feed}x",
            good.partition("&hub.topic")[0],
            f"{path}?{start}&hub.mode=unsubscribe&hub.topic={feed}",
            f"{path}?hub.mode=subscribe&hub.topic={feed}",
            f"{path}?{start}&hub.mode=else&hub.topic={feed}",
            f"{path}x?{start}&hub.mode=subscribe&hub.topic={feed}",
            path,
        ):
            assert server.get(query).status == 404, query
        assert server.get(f"{good}{feed}", Host="other.example").status == 421


def test_a_hub_that_denies_is_noted_and_not_asked_again(site: Site, folder: Path) -> None:
    site.hub.denies = "members only"
    with hearing(folder):
        wait_for(lambda: [each.reason for each in listening.load(folder).subscriptions.values()] == ["members only"])
        (kept,) = listening.load(folder).subscriptions.values()
        assert kept.state == "refused"
    assert len(site.hub.requests) == 1, "neither again, nor to unsubscribe"


def test_a_server_without_an_address_for_hubs_has_none_of_it(site: Site, folder: Path) -> None:
    with served(folder) as server:
        assert server.get("/websub/abc?hub.mode=subscribe").status == 404
        assert server.ask("POST", "/websub/abc", b"x").status == 403
    assert site.hub.requests == []
    assert not (folder / listening.FILE).exists()


def test_private_addresses_of_hubs_are_closed_unless_they_were_opened(site: Site, folder: Path) -> None:
    plan = (folder / "plan.toml").read_text()
    (folder / "plan.toml").write_text(plan.replace('allow_addresses = ["127.0.0.0/8"]', ""))
    with hearing(folder):
        wait_for(lambda: any(each.reason for each in listening.load(folder).subscriptions.values()))
        (kept,) = listening.load(folder).subscriptions.values()
        assert kept.state == "refused"
        assert "blocked-address" in kept.reason
    assert site.hub.requests == []


def test_a_spoilt_file_is_named_with_the_cure_and_one_server_listens(folder: Path) -> None:
    (folder / listening.FILE).write_text('{"key": 7}')
    with pytest.raises(Damaged, match=r"listening: is not what a server has written .*; remove it"):
        receiving(folder, "http://127.0.0.1:1/").__enter__()
    (folder / listening.FILE).unlink()
    with receiving(folder, "http://127.0.0.1:1/"), pytest.raises(Locked, match="another server"):
        receiving(folder, "http://127.0.0.1:2/").__enter__()


def test_the_address_of_a_server_is_an_address_alone() -> None:
    assert callback_of("https://Me.Example/x") == "https://me.example/x/"
    for wrong in ("https://me.example/?a=1", "https://me:you@me.example/", "ftp://me.example/", "x"):
        with pytest.raises(UsageError):
            callback_of(wrong)


# ---------------------------------------------------------------- by a clock of its own

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
