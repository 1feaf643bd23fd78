"""A shard says again what it has found for shards that have lost it, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import pytest
from small_shard import SmallShard, said, small_shard

from gossamer.collection.maintain import remake as module
from gossamer.collection.maintain.remake import repost
from gossamer.collection.maintain.writable_shard import WritableShard
from gossamer.errors import Damaged
from gossamer.frontier.discover.discovery import Found, Recent
from gossamer.frontier.entries import URLS
from gossamer.frontier.shards.peers import Peers
from gossamer.plan import Plan
from gossamer.urls import keys

HERE, LOST, WELL = "http://here.test/", "http://lost.test/", "http://well.test/"


class Others:
    """Shard 0 is this one, 1 has lost its rows, 2 is well."""

    count = 3

    def __init__(self) -> None:
        self.posted: list[Found] = []
        self.told: list[tuple[str, str]] = []
        self.commits = 0

    def owner(self, url: str) -> int:
        return {"lost.test": 1, "well.test": 2}.get(url.split("/")[2], 0)

    def ours(self, found: Iterable[Found], recent: Recent) -> Iterator[Found]:
        for each in found:
            self.posted.append(each)
            yield each

    def met(self, digest: str, url: str) -> None:
        self.told.append((digest, url))

    def prepare(self) -> None:
        self.commits += 1


@pytest.fixture
def shard(tmp_path: Path) -> Iterator[SmallShard]:
    with small_shard(tmp_path) as made:
        yield made


def reposted(shard: SmallShard, *lost: int) -> Others:
    shard.commit()
    others = Others()
    repost(WritableShard(shard.folder, Plan(), shard.table, shard.archive, "gossamer"), cast(Peers, others), lost)
    assert shard.table.pending == 0
    return others


def link(url: str, rel: str = "") -> str:
    return f'<a href="{url}" rel="{rel}">there</a>'


def test_links_to_what_is_lost_are_posted_one_step_deeper(shard: SmallShard) -> None:
    shard.keep(HERE, link(LOST) + link(WELL) + link(HERE + "x") + link(LOST + "n", "nofollow"), depth=4)
    assert reposted(shard, 1).posted == [
        Found(LOST, 5, HERE),
        Found(LOST + "n", 5, HERE, followed=False),
    ]
    assert [each.url for each in reposted(shard, 2).posted] == [WELL]


def test_a_page_that_the_frontier_does_not_know_counts_as_a_seed(shard: SmallShard) -> None:
    shard.keep(HERE, link(LOST), depth=4)
    shard.table.delete(URLS, keys.row(HERE))
    assert reposted(shard, 1).posted == [Found(LOST, 1, HERE)]


def test_a_page_that_wants_no_link_followed_is_obeyed(shard: SmallShard) -> None:
    shard.keep(HERE, '<meta name="robots" content="nofollow">' + link(LOST))
    assert [each.followed for each in reposted(shard, 1).posted] == [False]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_target_of_a_redirect_is_as_deep_as_its_source_and_one_hop_away(status: int, shard: SmallShard) -> None:
    shard.keep(HERE, "", status=status, location=LOST, depth=4)
    assert reposted(shard, 1).posted == [Found(LOST, 4, HERE, hops=1)]


def test_a_redirect_to_nowhere_and_a_page_that_is_gone_say_nothing(shard: SmallShard) -> None:
    shard.keep(HERE, link(LOST), status=301)
    shard.keep(HERE + "bad", "", status=301, location="http://[")
    shard.keep(HERE + "gone", link(LOST), status=404, location=LOST)
    assert reposted(shard, 1).posted == []


@pytest.mark.parametrize("status", [200, 299])
def test_every_success_is_a_page_with_links(status: int, shard: SmallShard) -> None:
    shard.keep(HERE, link(LOST), status=status, location=LOST + "not-here")
    assert [each.url for each in reposted(shard, 1).posted] == [LOST]


def test_a_page_without_a_text_is_read_again(shard: SmallShard) -> None:
    shard.archive.texts.close()
    shard.keep(HERE, link(LOST))
    assert [each.url for each in reposted(shard, 1).posted] == [LOST]


def test_a_damaged_record_costs_only_its_own_links(shard: SmallShard, monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(*_: object) -> None:
        raise Damaged("its record is damaged")

    shard.keep(HERE, "", status=301, location=LOST)
    shard.keep("http://other.test/", link(LOST + "2"))
    monkeypatch.setattr(shard.archive, "capture", damaged)
    assert [each.url for each in reposted(shard, 1).posted] == [LOST + "2"]


def test_digests_that_a_lost_shard_has_to_remember_are_told_unless_they_are_of_copies(shard: SmallShard) -> None:
    urls = [f"http://{number}.test/" for number in range(9)]
    digests = {url: shard.keep(url, said(url))[1].digest for url in urls}
    shard.archive.mark(urls[0], copy_of=urls[1])
    wanted = {
        number: sorted((digest, url) for url, digest in digests.items() if int(digest[-8:], 16) % 3 == number)
        for number in range(3)
    }
    copy = (digests[urls[0]], urls[0])
    for number, told in wanted.items():
        assert sorted(reposted(shard, number).told) == [each for each in told if each != copy]


def test_it_is_committed_now_and_then_and_at_the_end(shard: SmallShard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 2)
    for number in range(5):
        shard.keep(f"http://{number}.test/", said(str(number)))
    assert reposted(shard, 1).commits == 3
