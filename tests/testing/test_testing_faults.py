"""Each thing that can be asked of a made web appears when it is asked for."""

from __future__ import annotations

import gzip
import re
from collections import Counter
from difflib import SequenceMatcher
from urllib.parse import urljoin, urlsplit

import pytest
from made_webs import TimedWeb
from naive_robot import Robot, decoded, links_of

from gossamer.errors import UsageError
from gossamer.model import Fault, Visit
from gossamer.testing import (
    Changes,
    Copies,
    Errors,
    Marks,
    Reach,
    Redirects,
    RobotsFiles,
    Sitemaps,
    Traps,
    WebSpec,
)

DAY = 86_400.0


def test_missing_pages_are_linked_and_answer_404() -> None:
    web = TimedWeb(WebSpec(pages=200, errors=Errors(missing=0.25)))
    missing = web.linked("/missing/")
    assert 30 < len(missing) < 70
    assert {answer.status for answer in web.ask(*missing)} == {404}
    assert web.reachable() == set(web.pages())


@pytest.mark.parametrize("way", ["text", "echo", "home", "page"])
def test_a_soft_host_never_says_404(way: str) -> None:
    web = TimedWeb(WebSpec(pages=20, errors=Errors(missing=1.0, soft=1.0, soft_way=way)))
    dead = [*web.linked("/missing/"), "http://h0.example/nowhere", "http://h0.example/calendar/2024/05.html"]
    answers = web.ask(*dead)
    assert all(map(web.is_soft_404, dead))
    if way in ("home", "page"):
        target = "/" if way == "home" else "/error.html"
        assert {(answer.status, answer.header("location")) for answer in answers} == {(302, target)}
        (error,) = web.ask(urljoin(web.seed, target))
        assert error.status == 200
    else:
        assert {answer.status for answer in answers} == {200}
        assert len({answer.body for answer in answers}) == (1 if way == "text" else len(dead))
    assert not any(map(web.is_soft_404, web.pages()))
    assert {answer.status for answer in web.ask(*web.pages())} == {200}
    assert web.reachable() == set(web.pages())
    assert web.ask("http://h0.example/robots.txt")[0].status == 404


def test_each_soft_host_has_a_way_of_its_own_and_the_others_say_404() -> None:
    web = TimedWeb(WebSpec(hosts=40, pages=1, errors=Errors(soft=0.5)))
    answers = web.ask(*[f"{web.home(host)}nowhere" for host in range(40)])
    kinds = Counter((answer.status, answer.header("location"), b"no page" in answer.body) for answer in answers)
    assert set(kinds) == {
        (404, None, False),
        (200, None, False),
        (200, None, True),
        (302, "/", False),
        (302, "/error.html", False),
    }


def test_broken_and_busy_servers_say_so() -> None:
    web = TimedWeb(WebSpec(errors=Errors(broken=1.0, busy=1.0, retry_after=77)))
    assert {answer.status for answer in web.ask(*web.linked("/broken/"))} == {500}
    busy = web.ask(*web.linked("/busy/"))
    assert {(answer.status, answer.header("retry-after")) for answer in busy} == {(503, "77")}
    assert {entry.retry_after for entry in web.log.entries} == {0, 77}


def test_a_dropped_connection_is_a_reset() -> None:
    web = TimedWeb(WebSpec(errors=Errors(dropped=1.0)))
    (answer,) = web.ask(web.linked("/dropped/")[0])
    assert answer.failure
    assert (answer.failure.fault, answer.status, answer.head, answer.headers) == (Fault.RESET, 0, b"", ())
    assert not web.log.entries[0].finished


def test_a_silent_server_is_waited_for_and_then_a_timeout() -> None:
    web = TimedWeb(WebSpec(errors=Errors(silent=1.0)))
    (answer,) = web.ask(web.linked("/silent/")[0])
    assert answer.failure
    assert (answer.failure.fault, answer.seconds) == (Fault.TIMEOUT, 20.0)
    (entry,) = web.log.entries
    assert (entry.ended - entry.began, entry.finished, entry.status) == (20.0, False, 0)


@pytest.mark.parametrize("compressed", [True, False])
def test_a_cut_body_keeps_what_came(compressed: bool) -> None:
    web = TimedWeb(WebSpec(gzip=compressed, errors=Errors(cut=1.0)))
    (answer,) = web.ask(web.linked("/cut/")[0])
    assert answer.failure
    assert (answer.status, answer.truncated, answer.failure.fault) == (200, "disconnect", Fault.INCOMPLETE)
    assert 0 < len(answer.wire) < int(answer.header("content-length") or 0)
    assert answer.body.startswith(b"<!DOCTYPE html>")
    assert b"</html>" not in answer.body


def test_transient_faults_pass_after_so_many_failures() -> None:
    errors = Errors(broken=1.0, busy=1.0, dropped=1.0, silent=1.0, cut=1.0, transient=1.0, failures=3)
    web = TimedWeb(WebSpec(pages=4, errors=errors))
    faulty = [link.url for link in web.links(web.seed) if re.search("broken|busy|dropped|silent|cut", link.url)]
    assert len(faulty) == 5
    for url in faulty:
        good = [a.status == 200 and not a.failure for a in web.ask(*[url] * 5)]
        assert good == [False, False, False, True, True]
    assert set(faulty) <= web.reachable()


def test_a_share_of_the_faults_passes() -> None:
    web = TimedWeb(WebSpec(pages=300, errors=Errors(broken=1.0, transient=0.4, failures=1)))
    healed = {url for url in web.linked("/broken/") if web.ask(url, url)[1].status == 200}
    assert 80 < len(healed) < 160
    assert web.reachable() == set(web.pages()) | healed


def test_chains_of_redirects_end_at_pages_that_nothing_else_links_to() -> None:
    web = TimedWeb(WebSpec(hosts=3, pages=40, redirects=Redirects(chains=0.5, hops=3, across=0.5)))
    reachable = web.reachable()
    ends: Counter[bool] = Counter()
    statuses = set()
    for start in web.linked("/moved/"):
        url, hops = start, 0
        while (answer := web.ask(url)[0]).status != 200:
            statuses.add(answer.status)
            url, hops = urljoin(url, answer.header("location") or ""), hops + 1
        assert (hops, "/landing/" in url, url in reachable) == (3, True, True)
        ends[urlsplit(url).netloc == urlsplit(start).netloc] += 1
    assert statuses == {301, 302, 303, 307, 308}
    assert min(ends[True], ends[False]) > 10
    assert not web.linked("/landing/")


def test_a_loop_of_redirects_never_ends() -> None:
    web = TimedWeb(WebSpec(redirects=Redirects(loops=1.0)))
    start = url = web.linked("/loop/")[0]
    for _ in range(2):
        url = urljoin(url, web.ask(url)[0].header("location") or "")
    assert url == start
    assert web.reachable() == set(web.pages())


def test_robots_rules_forbid_private_pages_and_the_log_tells_on_who_asks() -> None:
    web = TimedWeb(WebSpec(pages=30, robots=RobotsFiles(rules=1.0, private=1.0, delays=1.0, delay=7.5)))
    text = web.ask(f"{web.seed}robots.txt")[0].body.decode()
    lines = ["User-agent: *", "Disallow: /private/", "Allow: /private/open/", "Crawl-delay: 7.5"]
    assert text.splitlines() == lines
    assert web.crawl_delay(0) == 7.5
    private = {url for url in web.linked("/private/") if "/open/" not in url}
    assert len(private) == 30
    assert {url for url in web.linked("/private/") if web.allows(url)} == set(web.linked("/private/open/"))
    assert {answer.status for answer in web.ask(*private)} == {200}
    assert {entry.url for entry in web.log.disallowed()} == private
    assert web.reachable() == set(web.pages()) | set(web.linked("/private/open/"))


def test_only_a_share_of_the_hosts_has_rules() -> None:
    web = TimedWeb(WebSpec(hosts=100, pages=1, robots=RobotsFiles(rules=0.3, delays=0.3)))
    found = web.ask(*(f"{web.home(host)}robots.txt" for host in range(100)))
    assert 15 < sum(b"Disallow" in answer.body for answer in found) < 45
    assert 15 < sum(b"Crawl-delay" in answer.body for answer in found) < 45
    assert sum(answer.status == 404 for answer in found) > 30
    assert [web.crawl_delay(host) is not None for host in range(100)] == [b"Crawl-delay" in a.body for a in found]


def test_robots_can_be_redirected() -> None:
    web = TimedWeb(WebSpec(robots=RobotsFiles(rules=1.0, moved=1.0)))
    moved, policy = web.ask(f"{web.seed}robots.txt", f"{web.seed}policy.txt")
    assert (moved.status, moved.header("location")) == (301, "/policy.txt")
    assert b"Disallow: /private/" in policy.body


def test_a_host_whose_robots_file_is_broken_is_closed() -> None:
    web = TimedWeb(WebSpec(hosts=3, pages=5, robots=RobotsFiles(broken=1.0)))
    assert [web.ask(f"{web.home(host)}robots.txt")[0].status for host in range(3)] == [404, 500, 500]
    assert web.reachable() == {url for url in web.pages() if url.startswith(web.seed)}
    web.ask(web.home(1))
    assert [entry.url for entry in web.log.disallowed()] == [web.home(1)]


def test_a_broken_robots_file_can_recover() -> None:
    web = TimedWeb(WebSpec(hosts=2, pages=5, robots=RobotsFiles(broken=1.0, failures=2)))
    robots = f"{web.home(1)}robots.txt"
    answers = web.ask(web.home(1), robots, robots, web.home(1), robots, web.home(1))
    assert [answer.status for answer in answers] == [200, 500, 500, 200, 200, 200]
    assert len(web.log.disallowed()) == 2
    assert web.reachable() == set(web.pages())


@pytest.mark.parametrize("name", ["calendar", "echo", "sessions", "facets", "keys"])
def test_a_trap_has_no_end_and_its_addresses_are_known(name: str) -> None:
    web = TimedWeb(WebSpec(pages=5, traps=Traps(**{name: 1.0})))
    inside = [link.url for link in web.links(web.seed) if web.is_trap(link.url)]
    assert len(inside) == 1
    met: set[str] = set()
    while inside and len(met) < 300:
        url = inside.pop(0)
        if url not in met:
            met.add(url)
            (answer,) = web.ask(url)
            assert answer.status == 200
            assert links_of(answer) == list(web.links(url))
            inside += [link.url for link in links_of(answer) if web.is_trap(link.url)]
    assert len(met) == 300
    assert not any(web.is_trap(url) for url in web.pages())
    assert web.reachable() == set(web.pages())


def test_a_session_trap_shows_five_documents_under_many_addresses() -> None:
    web = TimedWeb(WebSpec(pages=5, traps=Traps(sessions=1.0)))
    texts = Counter()
    urls = [link.url for link in web.links(web.seed) if web.is_trap(link.url)]
    for _ in range(60):
        answer = web.ask(urls.pop(0))[0]
        texts[re.sub(r"\?sid=\w+", "", decoded(answer))] += 1
        urls += [link.url for link in links_of(answer) if web.is_trap(link.url)]
    assert len(texts) == 5


def test_junk_keys_change_nothing_and_are_new_in_every_link() -> None:
    web = TimedWeb(WebSpec(pages=5, traps=Traps(keys=1.0)))
    urls = [link.url for link in web.links(web.seed) if web.is_trap(link.url)]
    said: dict[str, set[str]] = {}
    for url in urls:
        if len(urls) > 400:
            break
        urls += [link.url for link in web.links(url) if web.is_trap(link.url)]
    for url, answer in zip(urls[:200], web.ask(*urls[:200]), strict=True):
        item = re.search(r"item=(\d+)", url)
        assert item
        said.setdefault(item[1], set()).add(re.sub("href=.*?>", "", decoded(answer)))
    assert len(set(urls)) == len(urls)
    assert len(said) > 20
    assert all(len(texts) == 1 for texts in said.values())
    assert len({next(iter(texts)) for texts in said.values()}) == len(said)


def test_a_trap_answers_nonsense_with_404() -> None:
    web = TimedWeb(WebSpec(traps=Traps(calendar=1.0, echo=1.0, sessions=1.0, facets=1.0)))
    wrong = [
        "calendar/2026/13.html",
        "calendar",
        "echo/A%20",
        "visitor/9",
        "catalogue?colour=pink",
        "catalogue?",
    ]
    wrong += ["catalogue?page=-1", "catalogue?page=01", "catalogue?size=small&size=large", "sitemap-0.xml"]
    assert {answer.status for answer in web.ask(*(web.seed + path for path in wrong))} == {404}


def test_exact_copies_are_equal_to_the_byte() -> None:
    web = TimedWeb(WebSpec(hosts=2, pages=50, encodings=0.5, copies=Copies(exact=0.4)))
    pairs = list(web.copies())
    assert 25 < len(pairs) < 55
    for pair in pairs:
        copy, original = web.ask(*pair)
        assert copy.body == original.body
    bodies = {answer.body for answer in web.ask(*web.pages())}
    assert len(bodies) == 100
    assert web.reachable() == set(web.pages()) | {copy for copy, _ in pairs}


def test_near_copies_differ_in_the_share_of_words_asked_for() -> None:
    web = TimedWeb(WebSpec(pages=40, words=(300, 300), copies=Copies(near=1.0, edited=0.1)))
    changed, total = 0, 0
    for pair in web.near_copies():
        draft, original = (re.findall("<p>(.*)</p>", decoded(answer)) for answer in web.ask(*pair))
        words = [" ".join(text).lower().split() for text in (draft, original)]
        assert len(words[0]) == len(words[1])
        changed += sum(one != other for one, other in zip(*words, strict=True))
        total += len(words[0])
        assert 0.75 < SequenceMatcher(None, *words, autojunk=False).ratio() < 1
    assert 0.08 < changed / total < 0.12


def sentences(web: TimedWeb, url: str) -> set[str]:
    text = " ".join(re.findall("<p>(.*)</p>", decoded(web.ask(url)[0])))
    return set(text.split(". "))


def test_forms_of_a_host_share_most_of_their_words_and_quotations_a_passage() -> None:
    web = TimedWeb(WebSpec(hosts=2, pages=20, words=(100, 100), copies=Copies(forms=0.5, quoted=0.5)))
    said = {url: sentences(web, url) for url in web.reachable()}
    forms = [url for url in said if "/form/" in url and url.startswith(web.home(0))]
    template = set.intersection(*(said[url] for url in forms))
    assert len(forms) > 3
    assert all(0.4 < len(template) / len(said[url]) < 0.6 for url in forms)
    quotes = [url for url in said if "/quote/" in url]
    assert len(quotes) > 8
    for url in quotes:
        (quoted,) = (page for page in web.pages() if said[url] & said[page])
        assert 0.1 < len(said[url] & said[quoted]) / len(said[url]) < 0.4
        assert web.original(url) == url


def test_a_mirror_serves_the_pages_of_another_host_byte_for_byte() -> None:
    copies = Copies(exact=0.3, near=0.3, mirrors=2)
    web = TimedWeb(WebSpec(hosts=5, pages=15, crosslinks=0, encodings=0.3, copies=copies))
    assert list(web.mirrors()) == [("h3.example", "h1.example"), ("h4.example", "h0.example")]
    pages = [url for url in web.reachable() if url.startswith("http://h4.example/") and not url.endswith("example/")]
    twins = [url.replace("h4.example", "h0.example") for url in pages]
    assert len(pages) > 15
    assert [answer.body for answer in web.ask(*pages)] == [answer.body for answer in web.ask(*twins)]
    assert {web.original(url) for url in pages} == {web.original(url) for url in twins}
    with pytest.raises(UsageError, match="half of the hosts"):
        WebSpec(hosts=3, copies=Copies(mirrors=2))


def test_pages_change_at_their_rate_and_say_when() -> None:
    web = TimedWeb(WebSpec(pages=300, changes=Changes(pages=0.5, rate=(2.0, 2.0))))
    now = web.clock.wall()
    histories = [web.changes(url, now, now + 30 * DAY) for url in web.pages()]
    changing = [history for history in histories if history]
    assert 110 < len(changing) < 190
    mean = sum(map(len, changing)) / len(changing)
    spread = sum((len(history) - mean) ** 2 for history in changing) / len(changing)
    assert 56 < mean < 64
    assert 40 < spread < 85  # of a Poisson process the variance is the mean
    assert all(history == sorted(history) and now < history[0] <= now + 30 * DAY for history in changing)


def test_an_answer_is_304_until_the_page_changes() -> None:
    web = TimedWeb(WebSpec(pages=50, changes=Changes(pages=1.0, rate=(0.1, 5.0))))
    for url in web.pages():
        (first,) = web.ask(url)
        etag, modified = first.header("etag"), first.header("last-modified")
        moment = web.changes(url, web.clock.wall(), web.clock.wall() + 1000 * DAY)[0]
        web.clock.advance(moment - web.clock.wall() - 0.01)
        same = web.ask(Visit(url, etag=etag), Visit(url, modified=modified))
        assert [(a.status, a.wire) for a in same] == [(304, b"")] * 2
        web.clock.advance(1.02)
        later, plain = web.ask(Visit(url, etag=etag, modified=modified), url)
        assert (later.status, later.body) == (200, plain.body)
        assert later.body != first.body
        words = first.body.split(), later.body.split()
        assert SequenceMatcher(None, *words, autojunk=False).ratio() > 0.5


def test_a_page_that_does_not_change_stays_the_same_for_years() -> None:
    web = TimedWeb(WebSpec(pages=3))
    (first,) = web.ask(web.seed)
    web.clock.advance(1000 * DAY)
    (later,) = web.ask(Visit(web.seed, modified=first.header("last-modified")))
    assert (later.status, web.changes(web.seed, 0.0, 4e9)) == (304, [])


def test_sitemaps_name_pages_that_nothing_else_does() -> None:
    web = TimedWeb(WebSpec(hosts=2, pages=20, sitemaps=Sitemaps(hosts=1.0, orphans=4)))
    (robots,) = web.ask(f"{web.home(1)}robots.txt")
    assert f"Sitemap: {web.home(1)}sitemap.xml" in robots.body.decode()
    listed = re.findall("<loc>(.*?)</loc>", web.ask(f"{web.home(1)}sitemap.xml")[0].body.decode())
    orphans = [url for url in listed if "/orphan/" in url]
    assert (len(listed), len(orphans)) == (24, 4)
    assert {answer.status for answer in web.ask(*listed)} == {200}
    assert web.reachable() - web.reachable(Reach(sitemaps=False)) >= set(orphans)
    assert web.reachable(Reach(sitemaps=False)) == set(web.pages())


def test_a_long_sitemap_is_an_index() -> None:
    web = TimedWeb(WebSpec(pages=2_300, sitemaps=Sitemaps(hosts=1.0)))
    (index,) = web.ask(f"{web.seed}sitemap.xml")
    parts = re.findall("<loc>(.*?)</loc>", index.body.decode())
    lengths = [answer.body.count(b"<url>") for answer in web.ask(*parts)]
    assert lengths == [1000, 1000, 300]
    assert web.ask(f"{web.seed}sitemap-3.xml")[0].status == 404


def test_other_encodings_are_declared_in_each_way_and_can_be_read() -> None:
    web = TimedWeb(WebSpec(pages=200, encodings=0.5))
    declared: Counter[str] = Counter()
    for answer in web.ask(*web.pages()):
        in_header = "charset=" in (answer.header("content-type") or "")
        in_meta = b"<meta charset" in answer.body
        marked = answer.body.startswith(b"\xff\xfe")
        assert in_header + in_meta + marked == 1
        text = decoded(answer)
        assert text.startswith("<!DOCTYPE html>")
        if not text.isascii():
            declared["header" if in_header else "meta" if in_meta else "mark"] += 1
    assert min(declared.values()) >= 5
    assert len(declared) == 3
    assert 70 < declared.total() < 130


def test_noindex_pages_are_fetched_and_nofollow_is_not_followed() -> None:
    web = TimedWeb(WebSpec(pages=60, marks=Marks(noindex=0.5, nofollow_pages=0.5, nofollow_links=0.5)))
    answers = web.ask(*web.pages())
    in_header = {a.visit.url for a in answers if a.header("x-robots-tag") == "noindex"}
    in_meta = {a.visit.url for a in answers if b'<meta name="robots" content="noindex">' in a.body}
    assert min(len(in_header), len(in_meta)) > 5
    assert not in_header & in_meta
    assert web.reachable() == set(web.pages()) | set(web.linked("/closed/"))
    sponsored = [link for url in web.pages() for link in web.links(url) if link.rel == "nofollow"]
    assert {answer.status for answer in web.ask(*{link.url for link in sponsored})} == {200}
    hidden = {link.url for url in web.linked("/closed/") for link in web.links(url) if "/hidden/" in link.url}
    assert len(hidden) == len(web.linked("/closed/"))
    assert web.clock.run(Robot(web).crawl()) == web.reachable()


def test_gzip_is_for_those_who_accept_it() -> None:
    plain, packed = (TimedWeb(WebSpec(gzip=gzipped)).ask("http://h0.example/")[0] for gzipped in (False, True))
    assert packed.header("content-encoding") == "gzip"
    assert gzip.decompress(packed.wire) == packed.body == plain.body
    assert packed.header("content-length") == str(len(packed.wire))


def test_latency_is_a_hosts_own_and_takes_virtual_time() -> None:
    web = TimedWeb(WebSpec(hosts=20, pages=2, latency=(0.1, 10.0)))
    took = {urlsplit(a.visit.url).netloc: set() for a in web.ask(*web.pages())}
    for answer in web.ask(*web.pages()):
        took[urlsplit(answer.visit.url).netloc].add(round(answer.seconds, 6))
    assert all(len(seconds) == 1 for seconds in took.values())
    latencies = sorted(seconds.pop() for seconds in took.values())
    assert 0.1 <= latencies[0] < 1 < latencies[-1] <= 10


def test_words_and_links_are_as_many_as_asked_for() -> None:
    web = TimedWeb(WebSpec(hosts=3, pages=100, words=(40, 400), links=10, crosslinks=3))
    lengths = [len(" ".join(re.findall("<p>(.*)</p>", decoded(a))).split()) for a in web.ask(*web.pages())]
    assert 38 <= min(lengths) < 80
    assert 250 < max(lengths) <= 415
    inner = list(web.pages())[7]
    own = [link for link in web.links(inner) if urlsplit(link.url).netloc == web.host(0)]
    assert (len(own), len(web.links(inner)) - len(own)) == (1 + 10, 3)


def test_words_follow_zipfs_law_and_hosts_have_topics() -> None:
    web = TimedWeb(WebSpec(hosts=2, pages=150, crosslinks=0))
    by_host: dict[str, Counter[str]] = {web.host(0): Counter(), web.host(1): Counter()}
    for answer in web.ask(*web.pages()):
        text = " ".join(re.findall("<p>(.*)</p>", decoded(answer)))
        by_host[urlsplit(answer.visit.url).netloc].update(re.findall("[a-z]+", text.lower()))
    one, other = by_host.values()
    assert len(one | other) > 1000
    assert sum(1 for count in (one + other).values() if count < 10) > 500
    topical = [word for word, count in one.items() if count > 100 and other[word] < count / 5]
    assert len(topical) >= 5
