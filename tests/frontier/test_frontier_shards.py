"""What is found in one shard counts in the shard that it belongs to: once, and as if it had been found there."""

from __future__ import annotations

from pathlib import Path

import pytest
from books import books
from shards import Crew, crew, home

from gossamer.engine import termination
from gossamer.frontier import Politeness, why
from gossamer.frontier.discover.discovery import Found
from gossamer.frontier.entries import FIRSTS, State
from gossamer.frontier.polite.granted_pages import GrantedPages
from gossamer.frontier.polite.lent_ips import LentIps
from gossamer.frontier.queue.rank import importance as by_importance
from gossamer.frontier.rules import Outward
from gossamer.frontier.shards.peers import LENT, Linked
from gossamer.frontier.worth.budget import stored
from gossamer.frontier.worth.opic import Books as Cash
from gossamer.frontier.worth.opic import _books as cash_of
from gossamer.frontier.worth.opic import importance
from gossamer.model import Kind, Visit
from gossamer.urls import keys, site
from gossamer.urls.scope import Scope

OURS, THEIRS = home(0, 2), home(1, 2)
DIGESTS = {shard: f"sha256:{'0' * 56}{shard:08x}" for shard in (0, 1)}
"""A digest that each of two shards remembers for all."""


def test_an_address_of_another_shard_is_queued_there_and_only_there(tmp_path: Path) -> None:
    with crew(tmp_path) as working:
        ours, theirs = working[0], working[1]
        ours.frontier.add([Found(OURS)])
        ours.frontier.sift()
        assert not working.mail
        ours.answered(OURS, 200, THEIRS, f"{OURS}next")
        assert ours.peers.waiting
        assert not working.mail, "what is not durable does not travel"
        working.settle()
        assert ours.frontier.ledger.get(THEIRS) is None
        assert ours.state(f"{OURS}next") == "QUEUED"
        assert theirs.frontier.ledger.get(f"{OURS}next") is None
        entry = theirs.entry(THEIRS)
        assert (entry.state, entry.depth, entry.referrer, entry.kind) == (State.QUEUED, 1, OURS, Kind.PAGE)
        assert not ours.peers.waiting
        assert not theirs.peers.waiting


def test_all_that_is_known_of_a_link_travels(tmp_path: Path) -> None:
    with crew(tmp_path) as working:
        found = Found(f"{THEIRS}map", 2, OURS, Kind.SITEMAP, 3, True, 4)
        working[0].frontier.add([found, Found(f"{THEIRS}no", 1, OURS, followed=False)])
        working.settle()
        entry = working[1].entry(found.url)
        assert (entry.depth, entry.referrer, entry.kind, entry.hops, entry.hint) == (2, OURS, Kind.SITEMAP, 3, 4)
        assert working[1].entry(f"{THEIRS}no").reason == "only nofollow links lead to it"


def test_a_link_is_posted_once_unless_it_says_more_than_before(tmp_path: Path) -> None:
    with crew(tmp_path) as working:
        posts = []
        for depth, followed in ((3, False), (3, False), (3, True), (4, True), (3, True), (2, True)):
            working[0].frontier.add([Found(THEIRS, depth, OURS, followed=followed)])
            posts.append(working[0].peers.waiting)
            working.settle()
        assert posts == [True, False, True, False, False, True]
        assert (working[1].state(THEIRS), working[1].entry(THEIRS).depth) == ("QUEUED", 2)


def test_a_site_gets_its_credit_in_its_own_shard_and_once(tmp_path: Path) -> None:
    other = home(0, 2, 1)
    with crew(tmp_path) as working:
        for page in (OURS, f"{OURS}2", f"{OURS}3"):
            working[0].frontier.add([Found(page)])
            working[0].frontier.sift()
            working[0].answered(page, 200, THEIRS, other)
            working.settle()
        name = keys.host(THEIRS)
        assert stored(working[1].table, name).linkers == 1
        assert stored(working[0].table, name).linkers == 0
        assert stored(working[0].table, keys.host(other)).linkers == 1


@pytest.mark.parametrize("rememberer", [0, 1])
def test_the_second_page_with_the_same_body_is_a_copy_of_the_first_wherever_they_are(
    tmp_path: Path, rememberer: int
) -> None:
    told: list[tuple[str, str, str]] = []
    digest = DIGESTS[rememberer]
    outward = Outward(copied=lambda *copy: not told.append(copy))
    with crew(tmp_path, outward=outward) as working:
        for shard, page in ((0, OURS), (1, THEIRS), (1, THEIRS)):
            if page != THEIRS or working[1].frontier.ledger.get(THEIRS) is None:
                working[shard].frontier.add([Found(page)])
                working[shard].frontier.sift()
            else:
                working[shard].frontier.revisit()
            working[shard].answered(page, page={"digest": digest})
            working.settle()
        assert told[0] == (THEIRS, digest, OURS)
        assert working[1].entry(THEIRS).copy
        assert not working[0].entry(OURS).copy
        assert working[1].frontier.ledger.counts.duplicates == 1
        assert working[rememberer].table.get(FIRSTS, digest.encode()) == OURS.encode()
        assert working[1 - rememberer].table.get(FIRSTS, digest.encode()) is None


def test_a_page_is_no_copy_of_itself_nor_of_what_has_changed_since(tmp_path: Path) -> None:
    asked: list[str] = []

    def changed(url: str, digest: str, of: str) -> bool:
        asked.append(url)
        return False

    with crew(tmp_path, outward=Outward(copied=changed)) as working:
        working[0].frontier.add([Found(OURS)])
        working[0].frontier.sift()
        working[0].answered(OURS, page={"digest": DIGESTS[0]})
        working[0].frontier.revisit()
        working[0].answered(OURS, page={"digest": DIGESTS[0]})
        working.settle()
        assert asked == []
        working[1].frontier.add([Found(THEIRS)])
        working[1].frontier.sift()
        working[1].answered(THEIRS, page={"digest": DIGESTS[0]})
        working.settle()
        assert asked == [THEIRS]
        assert not working[1].entry(THEIRS).copy


@pytest.mark.parametrize(
    ("status", "body", "page"),
    [
        (200, b"", {"digest": DIGESTS[0]}),
        (203, b"a page", {"digest": DIGESTS[0]}),
        (200, b"a page", {}),
        (200, b"a page", {"digest": DIGESTS[0], "copy_of": "http://a.example/"}),
    ],
)
def test_what_is_empty_or_partial_or_known_as_a_copy_is_nothings_original(
    tmp_path: Path, status: int, body: bytes, page: dict[str, str]
) -> None:
    with crew(tmp_path) as working:
        working[0].frontier.add([Found(OURS)])
        working[0].frontier.sift()
        working[0].answered(OURS, status, body=body, page=page)
        working.settle()
        assert list(working[0].table.scan(FIRSTS)) == []


def test_cash_goes_to_the_pages_of_other_shards_and_none_is_lost(tmp_path: Path) -> None:
    with crew(tmp_path, weigh=True, order=by_importance) as working:
        working[0].frontier.add([Found(OURS)])
        working.settle()
        working[0].answered(OURS, 200, THEIRS, f"{THEIRS}2", f"{OURS}2")
        working.settle()
        books: list[Cash] = [cash_of(shard.table) or Cash() for shard in working.shards]
        assert sum(each.total for each in books) == 2 * Cash().total
        assert books[1].total > Cash().total
        shares = [importance(working[1].table, url) for url in (THEIRS, f"{THEIRS}2")]
        assert shares[0] == shares[1]
        assert (books[1].total - Cash().total) % 2 == 0


# ------------------------------------------------------------------ robots.txt


def rules(text: str) -> bytes:
    return f"User-agent: *\n{text}\n".encode()


def ask_elsewhere(working: Crew) -> Visit:
    """The robots.txt of ours redirects to a site of the other shard. Gives the visit that the other is to make."""
    ours = working[0]
    name, there = keys.origin(OURS), f"{THEIRS}robots.txt"
    ours.frontier.add([Found(f"{OURS}page")])
    ours.frontier.sift()
    asked = Visit(f"{OURS}robots.txt", Kind.ROBOTS, owner=name)
    ours.answered(asked.url, 301, visit=asked, headers=(("location", there),))
    assert [to for _, to, _ in working.mail] == [1]
    return Visit(there, Kind.ROBOTS, hops=1, owner=name)


def test_a_robots_txt_that_redirects_to_another_shard_is_read_there_and_obeyed_here(tmp_path: Path) -> None:
    with crew(tmp_path) as working:
        hop = ask_elsewhere(working)
        working.deliver()
        origin = working[1].frontier._rooms.active.get(keys.origin(THEIRS))
        assert list(origin.urgent) == [hop]
        working[1].answered(hop.url, 200, visit=hop, body=rules("Disallow: /page\nCrawl-delay: 7"))
        assert not origin.urgent
        working.deliver()
        ours = working[0].frontier._rooms.active.get(keys.origin(OURS))
        assert not ours.asking
        assert ours.rules is not None
        assert not ours.rules.allows("Gossamer", f"{OURS}page")
        assert ours.host.crawl_delay == 7.0
        known = why.about_host(working[1].table, keys.host(THEIRS), asked_of(working))
        assert known is None or keys.origin(THEIRS) not in known.robots, "it was not asked for itself"


def asked_of(working: Crew) -> why.Asked:
    return why.Asked(Politeness(), "Gossamer", site, working[0].clock.wall())


def test_a_question_that_a_dead_shard_had_is_asked_again_when_it_is_back(tmp_path: Path) -> None:
    with crew(tmp_path) as working:
        ask_elsewhere(working)
        working.mail.clear()
        ours = working[0].frontier._rooms.active.get(keys.origin(OURS))
        assert ours.asking
        working[0].peers.reborn(1)
        assert not ours.asking
        assert ours.placed, "it has its turn again"
        working.mail.clear()


def test_an_answer_that_nobody_waits_for_any_more_changes_nothing(tmp_path: Path) -> None:
    with crew(tmp_path) as working:
        hop = ask_elsewhere(working)
        working.deliver()
        working[0].peers.reborn(1)
        working[1].answered(hop.url, 200, visit=hop, body=rules("Disallow: /"))
        working.deliver()
        assert working[0].frontier._rooms.active.get(keys.origin(OURS)).rules is None


# -------------------------------------------------------------- start and end


def test_a_new_shard_greets_all_others_and_not_itself(tmp_path: Path) -> None:
    with crew(tmp_path, 3) as working:
        working[1].peers.greet()
        assert [(source, to) for source, to, _ in working.mail] == [(1, 0), (1, 2)]
        assert (working[1].peers.me, working[1].peers.count) == (1, 3)
        working.mail.clear()
        working[2].peers.well()
        assert [shard.post.wells for shard in working.shards] == [0, 0, 1]


def test_what_was_lost_on_the_way_is_sent_again_to_a_shard_that_is_reborn(tmp_path: Path) -> None:
    with crew(tmp_path) as working:
        working[0].frontier.add([Found(THEIRS)])
        working[0].commit()
        assert len(working.mail) == 1
        working.mail.clear()
        working[0].peers.reborn(1)
        working.settle()
        assert working[1].state(THEIRS) == "QUEUED"


def test_the_supervisor_hears_how_a_shard_is_and_holds_it(tmp_path: Path) -> None:
    with crew(tmp_path) as working:
        peers, words = working[0].peers, working[0].post.words
        peers.report(idle=True)
        peers.report(idle=True)
        assert words == [termination.Report(True, (0, 0), (0, 0))], "said once"
        assert not peers.held
        peers.order(termination.Ask(1), idle=True)
        assert words[1:] == [termination.Answer(1, termination.Report(True, (0, 0), (0, 0)))]
        assert peers.held
        assert working[0].frontier._handing_out.next() is None
        peers.order(termination.GoOn(1), idle=True)
        assert not peers.held
        working[0].frontier.add([Found(THEIRS)])
        working[0].frontier.sift()
        peers.report(idle=True)
        assert words[-1] == termination.Report(True, (0, 1), (0, 0)), "what is posted counts before it travels"
        assert not peers.over
        peers.order(termination.End(), idle=True)
        assert peers.over
        assert peers.held
        assert len(words) == 3, "a verdict needs no answer"


def test_a_page_limit_counts_the_pages_of_all_shards(tmp_path: Path) -> None:
    with crew(tmp_path, pages=2) as working:
        quotas = [shard.frontier._handing_out.quota for shard in working.shards]
        assert not quotas[0].claim(), "until all have begun nobody knows what is left"
        for shard in working.shards:
            shard.peers.leases.begin(shard.peers.me, 0)
        assert quotas[0].claim()
        assert not quotas[1].full()
        assert quotas[1].claim()
        assert quotas[0].full()
        assert not quotas[0].claim()
        quotas[1].settle(kept=False)
        assert quotas[0].claim()
        quotas[0].settle(kept=True)
        quotas[0].settle(kept=True)
        assert working[0].peers.leases.kept() == 2
        assert quotas[1].full()


def test_without_a_limit_the_gate_is_not_asked(tmp_path: Path) -> None:
    with crew(tmp_path) as working:
        assert working[0].frontier._handing_out.quota is None
        assert not working[0].frontier._handing_out._is_full()


def test_an_address_is_split_by_the_shard_of_its_site(tmp_path: Path) -> None:
    with crew(tmp_path, 3) as working:
        homes = [home(index, 3) for index in range(3)]
        assert working[1].peers.split([*homes, f"{homes[2]}x"]) == (
            [homes[1]],
            {0: [homes[0]], 2: [homes[2], f"{homes[2]}x"]},
        )
        assert [working[0].peers.owner(each) for each in homes] == [0, 1, 2]


FOUND = {
    "a redirect of a seed": (Linked(f"{OURS}x", 0, "http://seed.example/", Kind.PAGE, 1, True), True),
    "a redirect of a page": (Linked(f"{OURS}x", 1, "http://seed.example/", Kind.PAGE, 1, True), False),
    "a seed": (Linked(f"{OURS}x", 0, None, Kind.PAGE, 0, True), False),
    "a sitemap that moved": (Linked(f"{OURS}x", 0, "http://seed.example/", Kind.SITEMAP, 1, True), False),
}


@pytest.mark.parametrize(("item", "widens"), FOUND.values(), ids=FOUND.keys())
def test_of_what_another_shard_found_only_the_redirect_of_a_seed_widens_the_scope(
    tmp_path: Path, item: Linked, widens: bool
) -> None:
    scope = Scope(kind="host", seeds=frozenset({"http://seed.example/"}))
    with books(tmp_path, scope=scope) as held:
        held.frontier.take([item])
        held.frontier.add([Found(f"{OURS}y", 1)])
        held.frontier.sift()
        assert held.state(f"{OURS}y") == ("QUEUED" if widens else "EXCLUDED")


def test_what_shards_say_of_addresses_reaches_those_who_lend_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with crew(tmp_path) as working:
        heard: list[tuple[int, bytes]] = []
        peers, pages = working[0].peers, GrantedPages(lambda message: None)
        lent = LentIps(peers.leases, 0, 2, lambda *_: None, lambda: 0.0, pages, delay=0.5, at_once=1)  # type: ignore[arg-type]  # of one machine
        monkeypatch.setattr(lent, "heard", lambda source, message: heard.append((source, message)))
        monkeypatch.setattr(peers, "leases", lent)
        peers.heard(1, LENT + b"as it was sent")
        assert heard == [(1, b"as it was sent")]


def test_what_another_shard_does_not_have_for_good_is_counted(tmp_path: Path) -> None:
    with crew(tmp_path) as working:
        working[0].frontier.add([Found(THEIRS)])
        working[0].frontier.sift()
        assert [shard.peers.unsent for shard in working.shards] == [1, 0]
        working.settle()
        assert [shard.peers.unsent for shard in working.shards] == [0, 0]
