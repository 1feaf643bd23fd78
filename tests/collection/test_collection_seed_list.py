"""A long list of seeds has a file of its own: every seed comes in once, whatever is killed, and the scope holds."""

from __future__ import annotations

import errno
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Outside
from gossamer.collection import seed_list as lists
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl import seeding
from gossamer.collection.folder import Folder
from gossamer.collection.seed_list import SeedList
from gossamer.errors import Damaged, NotFound, StorageError
from gossamer.frontier.entries import META
from gossamer.frontier.ledger import Ledger
from gossamer.model import Capture, Failure, Fault, Visit
from gossamer.plan import load
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from tiny_server import page, tiny_server

QUICK: dict[str, Any] = {"patience": 0, "delay": 0, "ip_delay": 0, "build": False, "sitemaps": "never"}
HOSTS = [f"http://h{number}.example.com/start" for number in range(30)]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of a few seeds."""
    monkeypatch.setattr(lists, "SLICE", 7)


async def answer(visit: Visit) -> Capture:
    """Every page of every host links to the next host and to one outside."""
    if visit.url.endswith("/robots.txt"):
        return Capture(visit, 1.0, 0.1, status=404)
    body = b"<a href='/more'>m</a> <a href='http://h1.example.com/x'>n</a> <a href='http://outside.example.net/'>o</a>"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    fields = (("content-type", "text/html"),)
    return Capture(visit, 1.0, 0.1, 200, fields, b"GET / HTTP/1.1\r\n\r\n", head, wire=body, body=body)


def crawl(folder: Path, *seeds: str, **settings: Any) -> gossamer.Collection:
    clock, web = VirtualClock(), gossamer.open(folder)
    clock.run(web.crawl_async(*seeds, outside=Outside(clock, fetch=answer), **QUICK, **settings))
    return web


def entries(folder: Path) -> dict[str, str]:
    with Table.open(Folder(folder).table(0), FAMILIES, writable=True) as table:
        return {url: entry.state.name for url, entry in Ledger(table).all()}


def test_a_long_list_is_in_its_own_file_and_every_seed_comes_in(tmp_path: Path, small: None) -> None:
    with crawl(tmp_path / "web", seed_list=iter(HOSTS)) as web:
        assert load(tmp_path / "web" / "plan.toml").seeds == ()
        assert {each.url for each in web.pages()} >= set(HOSTS)
        assert list(SeedList(web.path)) == HOSTS
        assert web.verify().problems == []
        assert web.why("http://outside.example.net/").reason == "outside the hosts of the seeds"
        assert web.why("http://h1.example.com/x").state == "done"
        with pytest.raises(NotFound, match=r"never met$"):
            web.why("http://h2.example.com/unknown")


def test_many_seeds_of_a_program_do_not_fill_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.collection.crawl.asked.SHORT", 20)
    with crawl(tmp_path / "web", *HOSTS) as web:
        assert web.plan.seeds == ()
        assert list(SeedList(web.path)) == HOSTS


def test_a_second_list_adds_what_is_new_and_lets_in_what_was_outside(tmp_path: Path, small: None) -> None:
    crawl(tmp_path / "web", seed_list=HOSTS).close()
    before = (tmp_path / "web" / "seeds").read_bytes()
    crawl(tmp_path / "web", seed_list=HOSTS).close()
    assert (tmp_path / "web" / "seeds").read_bytes() == before
    with crawl(tmp_path / "web", seed_list=[*HOSTS[:3], "http://outside.example.net/start", "no address: //"]) as web:
        assert (tmp_path / "web" / "seeds").read_bytes() == before + b"http://outside.example.net/start\n"
        assert web.why("http://outside.example.net/").state == "done"


@pytest.mark.parametrize("scope", ["page", "path", "domain"])
def test_the_scope_is_around_the_seeds_of_a_list(tmp_path: Path, scope: str) -> None:
    crawl(tmp_path / "web", seed_list=HOSTS, scope=scope).close()
    states = entries(tmp_path / "web")
    assert states["http://outside.example.net/"] == "EXCLUDED"
    assert states["http://h3.example.com/more"] == {"page": "EXCLUDED", "path": "EXCLUDED", "domain": "DONE"}[scope]


def test_a_kill_between_slices_loses_no_seed_and_takes_none_twice(
    tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    added: list[str] = []
    real = seeding._add

    def killed(frontier: Any, seeds: list[str]) -> None:
        real(frontier, seeds)
        if len(added) > 10:
            raise KeyboardInterrupt
        added.extend(seeds)

    def noted(frontier: Any, seeds: list[str]) -> None:
        real(frontier, seeds)
        added.extend(seeds)

    with monkeypatch.context() as patch:
        patch.setattr(seeding, "_add", killed)
        with pytest.raises(KeyboardInterrupt):
            crawl(tmp_path / "web", seed_list=HOSTS)
    assert added == HOSTS[:14]
    monkeypatch.setattr(seeding, "_add", noted)
    crawl(tmp_path / "web").close()
    assert added == HOSTS
    crawl(tmp_path / "web").close()
    assert added == HOSTS
    assert entries(tmp_path / "web").keys() >= set(HOSTS)


@pytest.mark.parametrize(
    "what", ["", "garbage", "# seeds 0123456789abcdef\nhttp://h1.example.com/\nno seed\nb.test/\n"]
)
def test_a_spoilt_list_is_named_and_what_is_whole_of_it_stays(tmp_path: Path, what: str) -> None:
    crawl(tmp_path / "web", seed_list=HOSTS).close()
    (tmp_path / "web" / "seeds").write_text(what)
    with gossamer.open(tmp_path / "web") as web:
        assert any("seeds:" in problem for problem in web.verify().problems)
        with pytest.raises(Damaged, match=r"verify .* --repair"):
            web.crawl(pages=1)
        repaired = web.repair()
        assert repaired.left == ()
        assert list(SeedList(web.path)) == (["http://h1.example.com/", "b.test/"] if "b.test" in what else [])
        assert (tmp_path / "web" / "damaged" / "seeds").read_text() == what


def test_the_command_takes_a_list_of_any_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gossamer.cli.seeds.SHORT", 3)
    quick = ("--allow-address", "127.0.0.0/8", "--delay", "0", "--patience", "0", "--shards", "2")
    with tiny_server({f"/{number}": page() for number in range(9)}) as tiny:
        (tmp_path / "urls").write_text("".join(f"{tiny.origin}/{number}\n" for number in range(9)) + "http://[::/\n")
        assert main(["crawl", str(tmp_path / "web"), "--seeds", str(tmp_path / "urls"), "--scope", "page", *quick]) == 0
    assert f"--seeds {tmp_path / 'urls'}: line 10: seed 'http://[::/'" in capsys.readouterr().err
    with gossamer.open(tmp_path / "web") as web:
        assert len(list(web.pages())) == 9
        assert web.plan.seeds == ()
    assert main(["crawl", str(tmp_path / "other"), "--seeds", str(tmp_path / "urls"), "--header", "A: b"]) == 2


def test_lines_that_are_no_address_are_named_and_the_others_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first of them was an error without its file and line."""
    urls = tmp_path / "urls"
    quick = ("--allow-address", "127.0.0.0/8", "--delay", "0", "--patience", "0", "--shards", "1", "--scope", "page")
    with tiny_server({"/": page(), "/2": page()}) as tiny:
        urls.write_text(f"{tiny.origin}/\nnot an address\n# said\nftp://x/\n" + 9 * "ftp://y/\n" + f"{tiny.origin}/2\n")
        assert main(["crawl", str(tmp_path / "web"), "--seeds", str(urls), *quick]) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "--seeds" in line]
    assert said[0].startswith(f"gossamer: --seeds {urls}: line 2: seed 'not an address'")
    assert said[0].endswith("; passed over")
    assert [line.split(": ")[2] for line in said] == [
        "line 2",
        *(f"line {n}" for n in range(4, 13)),
        said[-1].split(": ")[2],
    ]
    assert said[-1].endswith("and 1 line more that is no address")
    with gossamer.open(tmp_path / "web") as web:
        assert len(list(web.pages())) == 2
    urls.write_text("not an address\n")
    assert main(["crawl", str(tmp_path / "other"), "--seeds", str(urls)]) == 2
    assert f"gossamer: --seeds {urls}: no address stands there; line 1: seed" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("row", "cut"),
    [
        ("url,label", "cut -d, -f1 urls | gossamer crawl DIR --seeds -"),
        ("rank\tdomain", "cut -f2 urls | gossamer crawl DIR --seeds -"),
        ("1,a.example", "cut -d, -f2 urls | gossamer crawl DIR --seeds -"),
        ("a.example, b.example", "cut -d, -f1 urls | gossamer crawl DIR --seeds -"),
        ('"http://a.example/","A"', "cut -d, -f1 urls | tr -d '\"' | gossamer crawl DIR --seeds -"),
        ("http://a.example/\tA", "cut -f1 urls | gossamer crawl DIR --seeds -"),
    ],
)
def test_a_table_is_no_list_of_seeds_and_it_is_said_how_it_becomes_one(
    row: str, cut: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("urls").write_text(f"{row}\n")
    assert main(["crawl", "web", "--seeds", "urls"]) == 2
    assert f"is a row of a table; a list of seeds has one address a line: `{cut}`" in capsys.readouterr().err
    assert not Path("web").exists()


def test_a_comma_may_stand_in_an_address_and_a_tab_before_a_comment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urls = tmp_path / "urls"
    quick = ("--allow-address", "127.0.0.0/8", "--delay", "0", "--patience", "0", "--shards", "1", "--scope", "page")
    with tiny_server({"/a,b": page(), "/?c=1,2": page(), "/d": page()}) as tiny:
        urls.write_text(f"{tiny.origin}/a,b\n{tiny.origin}/?c=1,2\n{tiny.origin}/d\t# said\n1,e.example\n")
        assert main(["crawl", str(tmp_path / "web"), "--seeds", str(urls), *quick]) == 0
    assert f"--seeds {urls}: line 4: '1,e.example' is a row of a table; passed over" in capsys.readouterr().err
    with gossamer.open(tmp_path / "web") as web:
        assert len(list(web.pages())) == 3


# ------------------------------------------------------------------------ a seed without a scheme


class Sites:
    """Hosts, of which some answer by http alone."""

    def __init__(self, *plain: str, leads_to_https: bool = False) -> None:
        self.asked: list[str] = []
        self._plain = plain
        self._leads = leads_to_https

    async def fetch(self, visit: Visit) -> Capture:
        self.asked.append(visit.url)
        if visit.url.startswith("https:") and any(name in visit.url for name in self._plain):
            return Capture(visit, 1.0, 0.1, failure=Failure(Fault.CONNECT, "connection refused"))
        if self._leads and visit.url == "http://plain.example.com/":
            return Capture(visit, 1.0, 0.1, 301, (("location", "https://plain.example.com/"),))
        return await answer(visit)


def ask(folder: Path, sites: Sites, *seeds: str, **settings: Any) -> gossamer.Collection:
    clock, web = VirtualClock(), gossamer.open(folder)
    clock.run(web.crawl_async(*seeds, outside=Outside(clock, fetch=sites.fetch), **{**QUICK, **settings}))
    return web


@pytest.mark.parametrize("scope", ["host", "page"])
def test_a_seed_without_a_scheme_is_https_or_else_http(tmp_path: Path, scope: str) -> None:
    sites = Sites("plain")
    with ask(tmp_path / "web", sites, "good.example.com", "plain.example.com", scope=scope) as web:
        pages = {each.url for each in web.pages()}
        assert {"https://good.example.com/", "http://plain.example.com/"} <= pages
        assert ("http://plain.example.com/more" in pages) is (scope == "host")
        assert not any("http://good" in url for url in sites.asked)
        why = web.why("https://plain.example.com/")
        assert (why.state, why.reason[:21]) == ("excluded", "https does not answer")
        assert web.plan.seeds == ("good.example.com/", "plain.example.com/")
        assert web.verify().problems == []
        count = len(sites.asked)
    ask(tmp_path / "web", sites).close()
    assert len(sites.asked) == count


def test_a_seed_with_its_scheme_or_a_port_is_asked_for_as_it_is(tmp_path: Path) -> None:
    sites = Sites("plain")
    seeds = ("https://plain.example.com/", "other.example.com:8080", "http://third.example.com/", "localhost")
    with ask(tmp_path / "web", sites, *seeds) as web:
        assert "http://plain.example.com/" not in sites.asked
        assert web.plan.seeds[1:] == (
            "http://other.example.com:8080/",
            "http://third.example.com/",
            "http://localhost/",
        )


def test_http_that_leads_to_https_lets_it_in_again(tmp_path: Path) -> None:
    with ask(tmp_path / "web", Sites("plain", leads_to_https=True), "plain.example.com", "good.example.com") as web:
        assert web.why("http://plain.example.com/").reason == "redirect to https://plain.example.com/"
        assert web.why("https://plain.example.com/").state == "queued"


def test_a_kill_between_https_and_http_loses_nothing(tmp_path: Path) -> None:
    class Killed(Sites):
        async def fetch(self, visit: Visit) -> Capture:
            if visit.url.startswith("https://plain"):
                raise KeyboardInterrupt
            return await super().fetch(visit)

    with pytest.raises(KeyboardInterrupt):
        ask(tmp_path / "web", Killed("plain"), "plain.example.com")
    with ask(tmp_path / "web", Sites("plain")) as web:
        assert "http://plain.example.com/" in {each.url for each in web.pages()}


def test_guesses_of_a_list_are_guesses_too(tmp_path: Path) -> None:
    with ask(
        tmp_path / "web", Sites("plain"), seed_list=["plain.example.com/a", "plain.example.com/b", "x.test"]
    ) as web:
        pages = {each.url for each in web.pages()}
    assert {"http://plain.example.com/a", "http://plain.example.com/b", "https://x.test/"} <= pages


def test_a_list_is_read_only_as_far_as_it_is_new(tmp_path: Path, small: None) -> None:
    (tmp_path / "web").mkdir()
    seeds = SeedList(tmp_path / "web")
    assert seeds.add(HOSTS) == 30
    notes = [each.note for each in seeds.slices()]
    assert [len(each.seeds) for each in seeds.slices(notes[0])] == [7, 7, 7, 2]
    assert list(seeds.slices(notes[-1])) == []
    assert len(list(seeds.slices(b"fedcba9876543210 5"))) == len(notes)


def test_seeds_that_failed_are_tried_again_when_a_list_is_given_again(tmp_path: Path) -> None:
    with tiny_server({"/a": page("/gone"), "/b": page()}) as tiny, gossamer.open(tmp_path / "web") as web:
        seeds = [f"{tiny.origin}/{name}" for name in "abc"]
        settings = {"shards": 1, "allow_addresses": "127.0.0.1", "disk_pause": 0, "disk_pause_share": 0.0}
        web.crawl(seed_list=iter(seeds), **settings, **QUICK)
        assert web.why(seeds[2]).state == web.why(f"{tiny.origin}/gone").state == "failed"
        tiny.pages = {**tiny.pages, "/c": page(), "/gone": page()}
        web.crawl()
        assert web.why(seeds[2]).state == "failed"  # nobody has asked for it
        tiny.came.clear()
        web.crawl(seed_list=iter(seeds))
        assert web.why(seeds[2]).state == "done"
        assert {path for path, _ in tiny.came} <= {"/c", "/robots.txt"}  # what was found by a link has not been named


# ------------------------------------------------------------------------------ the file itself


@pytest.fixture
def listed(tmp_path: Path) -> SeedList:
    return SeedList(tmp_path)


def test_without_a_file_a_list_is_empty_and_sound(listed: SeedList) -> None:
    assert not listed
    assert (list(listed), listed.mark(), list(listed.check())) == ([], "", [])
    assert listed.mend(listed.folder / "aside") == ([], None)
    assert listed.add([]) == 0
    assert list(listed.folder.iterdir()) == [], "nothing came, and nothing is left"


def test_what_is_new_is_counted_and_changes_the_mark(listed: SeedList, caplog: pytest.LogCaptureFixture) -> None:
    assert listed.add(["a.test", "A.test", "http://b.test", "http://[", "http://]"]) == 2
    assert list(listed) == ["a.test/", "http://b.test/"]
    assert "2 lines of the list passed over" in caplog.text
    assert "seed 'http://['" in caplog.text
    before = listed.mark()
    assert listed.add(["b.test", "c.test"]) == 2, "without its scheme it is another"
    assert listed.mark() not in ("", before)
    caplog.clear()
    assert listed.add(["c.test"]) == 0
    assert caplog.text == ""
    assert [path.name for path in listed.folder.iterdir()] == ["seeds"]


def test_the_beginning_of_a_list_stays_as_it_was_when_more_comes(listed: SeedList, small: None) -> None:
    listed.add(HOSTS[:10])
    first, second = listed.slices()
    before = listed.path.read_bytes()
    listed.add(HOSTS)
    assert listed.path.read_bytes().startswith(before)
    assert [seed for each in listed.slices(first.note) for seed in each.seeds] == HOSTS[7:]
    assert [seed for each in listed.slices(second.note) for seed in each.seeds] == HOSTS[10:]
    assert [seed for each in listed.slices(first.note[:17] + b"x") for seed in each.seeds] == HOSTS


@pytest.mark.parametrize(
    "line", [b"\xff.test/\n", b"no seed\n", b"a.test/ b\n", b"\n", b"a.test/", b"a.test/" + b"x" * 70_000 + b"\n"]
)
def test_a_line_that_we_did_not_write_is_damage_and_goes_when_it_is_mended(listed: SeedList, line: bytes) -> None:
    listed.add(["a.test", "b.test"])
    head, *lines = listed.path.read_bytes().splitlines(keepends=True)
    spoilt = head + lines[0] + line if line == b"a.test/" else head + lines[0] + line + lines[1]
    listed.path.write_bytes(spoilt)
    (wrong,) = listed.check()
    assert "--repair" in wrong
    told, aside = listed.mend(listed.folder / "aside")
    assert told == [wrong]
    assert aside is not None
    assert aside.read_bytes() == spoilt
    assert list(listed) == ["a.test/", "b.test/"][: 1 + (line != b"a.test/")]
    assert not listed.path.read_bytes().startswith(head), "every shard reads it from its beginning"
    assert list(listed.check()) == []


def test_what_stands_in_the_place_of_a_list_is_named_elsewhere(listed: SeedList) -> None:
    listed.path.mkdir()
    assert list(listed.check()) == []


def test_a_list_that_cannot_be_written_is_the_fault_of_the_disk(
    listed: SeedList, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(lists.os, "fsync", full)
    with pytest.raises(StorageError, match="the disk is full"):
        listed.add(["a.test"])
    assert not listed


# ------------------------------------------------------------------------------ into the frontier


class Noting:
    """A frontier that writes down what it is given, and knows some guesses."""

    def __init__(self, *known: str) -> None:
        self.known, self.guesses, self.found = set(known), set[str](), list[str]()

    def guess(self, urls: Any) -> list[str]:
        self.guesses |= set(urls)
        return [url for url in urls if url not in self.known]

    def add(self, found: Any) -> None:
        self.found += [each.url for each in found]


def test_a_seed_without_a_scheme_is_a_guess_and_one_that_is_known_is_not_added_again() -> None:
    frontier = Noting("https://a.test/")
    seeding._add(frontier, ["a.test/", "b.test/", "http://a.test/", "https://c.test/"])  # type: ignore[arg-type]  # a fake
    assert frontier.guesses == {"https://a.test/", "https://b.test/"}
    assert frontier.found == ["https://b.test/", "http://a.test/", "https://c.test/"]


def test_a_seed_without_a_scheme_stands_for_two_addresses() -> None:
    both = ["https://a.test/", "http://a.test/", "http://b.test/"]
    assert list(seeding.both(["a.test/", "http://b.test/"])) == both


def test_each_slice_of_a_list_is_noted_in_the_commit_that_brings_it_in(tmp_path: Path) -> None:
    frontier, commits, asked = Noting(), list[tuple[bytes | None, int]](), list[bytes]()
    with Table.open(tmp_path, FAMILIES, writable=True) as table:

        def now() -> None:
            commits.append((table.get(META, seeding.LISTED), len(frontier.found)))

        def listed(note: bytes) -> list[tuple[list[str], bytes]]:
            asked.append(note)
            return [(["http://a.test/", "http://b.test/"], b"1"), (["http://c.test/"], b"2")]

        mine, committing = SimpleNamespace(listed=listed), SimpleNamespace(now=now)
        for _ in range(2):
            taken = seeding.take_in_list(table, mine, frontier, committing)  # type: ignore[arg-type]  # fakes
            assert len(list(taken)) == 2
    assert commits[:2] == [(b"1", 2), (b"2", 3)]
    assert asked == [b"", b"2"]
