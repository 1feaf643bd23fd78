"""A server that hears from hubs: over HTTP, with a hub of its own that calls back and signs what it delivers."""

from __future__ import annotations

import hashlib
import hmac
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import wait_for
from gossamer.collection.signal import listening, pings
from gossamer.collection.signal.websub_subscription import LEASE
from gossamer.errors import Damaged, Locked, UsageError
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
