"""Logins from the command to the request, and nowhere else: no file, no command line, no stranger's site."""

from __future__ import annotations

import base64
import gzip
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import gossamer
from crawler_process import descendants, gossamer_command, run_gossamer, with_room
from gossamer.cli.main import main
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.crawl.sent_credentials import kinds
from gossamer.collection.folder import Folder
from gossamer.collection.seed_list import SHORT
from gossamer.errors import InvalidPlan, NothingFetched, UsageError
from gossamer.fetch.logins import Login, Logins, basic, place
from gossamer.frontier.entries import META
from gossamer.store.table.table import Table
from tiny_server import Tiny, page, tiny_server

SECRET = "hush-5f3a9c"
QUICK = {"delay": 0.0, "ip_delay": 0.0, "patience": 0.0, "disk_pause": 0, "disk_pause_share": 0.0}
LOOPBACK = ("--allow-address", "127.0.0.0/8", "--delay", "0", "--patience", "0")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def theirs() -> Iterator[Tiny]:
    """Another site, on another address."""
    with tiny_server({"/": page("/more"), "/more": page(), "/landed": page()}, "127.0.0.2") as tiny:
        yield tiny


@pytest.fixture
def mine(theirs: Tiny) -> Iterator[Tiny]:
    pages = {"/": page("/a", "/moved", f"{theirs.origin}/"), "/a": page(), "/moved": f"{theirs.origin}/landed"}
    with tiny_server(pages) as tiny:
        yield tiny


def everything_in(folder: Path) -> bytes:
    """All bytes of a collection, packed ones unpacked."""
    held = b""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            held += data + (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else b"")
    return held


def unsaid(folder: Path) -> bool:
    held = everything_in(folder)
    assert b"GET / HTTP/1.1" in held, "the request records should be there"
    return SECRET.encode() not in held and base64.b64encode(f"me:{SECRET}".encode()) not in held


def test_what_is_given_goes_to_the_site_of_the_seed_and_into_no_file(tmp_path: Path, mine: Tiny, theirs: Tiny) -> None:
    given = gossamer.Credentials(headers=[f"X-Key: {SECRET}"], auth=("me", SECRET))
    with gossamer.open(tmp_path / "web") as web:
        web.crawl(
            f"{mine.origin}/", scope="any", shards=1, allow_addresses=("127.0.0.0/8",), credentials=given, **QUICK
        )
    for path in ("/robots.txt", "/", "/a", "/moved"):
        assert mine.sent("X-Key", path)[0] == SECRET, path
        assert mine.sent("Authorization", path)[0] == "Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode()
    assert {path for path, _ in theirs.came} >= {"/", "/more", "/landed"}
    for _, fields in theirs.came:
        assert SECRET not in "".join(fields.values())
        assert "authorization" not in fields
    assert unsaid(tmp_path / "web")


def test_what_is_given_is_not_remembered(tmp_path: Path, mine: Tiny) -> None:
    with gossamer.open(tmp_path / "web") as web:
        given = gossamer.Credentials(headers=[f"X-Key: {SECRET}"])
        web.crawl(f"{mine.origin}/", shards=1, allow_addresses=("127.0.0.0/8",), credentials=given, **QUICK)
        web.crawl(revisit=True)
    assert mine.sent("X-Key", "/a") == [SECRET, None]


def test_all_shards_get_it_also_after_a_death_and_no_command_line_has_it(tmp_path: Path, mine: Tiny) -> None:
    """Several shards, one of them killed: it comes back by the pipe, with the login."""
    links = [f"/{number}" for number in range(90)]
    mine.pages = {"/": page(*links), **{link: page() for link in links}}
    folder = with_room(tmp_path / "web")
    jar = tmp_path / "cookies.txt"
    jar.write_text(f"127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\t{SECRET}\n")
    options = ("--shards", "2", "--cookie", str(jar), "--auth", "me", *LOOPBACK[:2], "--delay", "0.01", "--json")
    command = gossamer_command("crawl", str(folder), f"{mine.origin}/", *options)
    environment = {**os.environ, "GOSSAMER_PASSWORD": SECRET}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as crawl:
        wait_for(lambda: len(mine.came) > 20)
        family = descendants(crawl.pid)
        lines = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in family}
        assert len(lines) > 2
        assert not any(SECRET.encode() in line for line in lines.values())
        for pid in family[-2:]:  # the shards, which are the youngest
            os.kill(pid, 9)
        out, complaints = crawl.communicate(timeout=120)
    assert crawl.returncode == 0, complaints
    assert b"started again" in complaints
    assert len({path for path, _ in mine.came}) > 90
    assert set(mine.sent("Cookie", "/89")) == {f"session={SECRET}"}
    for _, fields in mine.came:
        assert fields["cookie"] == f"session={SECRET}"
        assert fields["authorization"].startswith("Basic ")
    assert SECRET.encode() not in out + complaints
    assert unsaid(folder)


def wait_for(is_so: object) -> None:
    until = time.monotonic() + 60
    while not is_so():  # type: ignore[operator]  # a function without arguments
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_plan_that_refers_to_a_secret_sends_it_to_the_site_it_names(
    tmp_path: Path, mine: Tiny, theirs: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", SECRET)
    with gossamer.open(tmp_path / "web") as web:
        settings = {"logins": {mine.origin: ("header X-Key: Bearer $MY_TOKEN",)}, "shards": 1, "scope": "any"}
        web.crawl(f"{mine.origin}/", allow_addresses=("127.0.0.0/8",), **settings, **QUICK)
        web.crawl(revisit=True)  # the plan has it, and this user has made it
    assert mine.sent("X-Key", "/a") == [f"Bearer {SECRET}"] * 2
    assert all(SECRET not in "".join(fields.values()) for _, fields in theirs.came)
    assert "$MY_TOKEN" in (tmp_path / "web" / "plan.toml").read_text()
    assert unsaid(tmp_path / "web")


def test_a_plan_that_holds_a_secret_is_refused_without_repeating_it(tmp_path: Path, mine: Tiny) -> None:
    with gossamer.open(tmp_path / "web") as web, pytest.raises(InvalidPlan, match="does not hold it") as caught:
        web.crawl(f"{mine.origin}/", logins={"example.org": (f"header X-Key: {SECRET}",)})
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("made", ["a collection", "a plan alone"])
def test_a_strangers_plan_sends_nothing_of_ones_own(
    tmp_path: Path, mine: Tiny, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    folder = tmp_path / "web"
    if made == "a collection":
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))
        with gossamer.open(folder) as web:
            web.crawl(f"{mine.origin}/a", shards=1, allow_addresses=("127.0.0.0/8",), **QUICK)
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        mine.came.clear()
    else:
        folder.mkdir()
        (folder / "plan.toml").write_text(f'seeds = ["{mine.origin}/"]\nshards = 1\n')
    with (folder / "plan.toml").open("a") as plan:
        plan.write("\n[logins]\n" if made == "a plan alone" else "")
    text = (folder / "plan.toml").read_text()
    assert "[logins]" in text
    stolen = f'[logins]\n"{mine.origin}" = ["header X-Stolen: $MY_TOKEN"]\n'
    (folder / "plan.toml").write_text(text.replace("[logins]\n", stolen))
    monkeypatch.setenv("MY_TOKEN", SECRET)
    opened = {"allow_addresses": ("127.0.0.0/8",), **QUICK}
    with gossamer.open(folder) as web:
        with pytest.raises(UsageError, match="--trust-plan"):
            web.crawl(revisit=True, **opened)
        with pytest.raises(UsageError, match="--trust-plan"):
            web.crawl(f"{mine.origin}/", revisit=True, **opened)
    assert mine.came == []


def test_what_cannot_be_remembered_is_no_reason_to_send_it(
    tmp_path: Path, mine: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file" / "below"))
    monkeypatch.setenv("MY_TOKEN", SECRET)
    folder = with_room(tmp_path / "web")
    with (folder / "plan.toml").open("a") as plan:
        plan.write(f'seeds = ["{mine.origin}/"]\n[logins]\n"{mine.origin}" = ["header X: $MY_TOKEN"]\n')
    with gossamer.open(folder) as web, pytest.raises(UsageError, match="--trust-plan"):
        web.crawl(allow_addresses=("127.0.0.0/8",), **QUICK)
    assert mine.came == []


def test_a_header_is_not_for_the_seeds_of_a_stranger(
    tmp_path: Path, mine: Tiny, theirs: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))
    opened = {"allow_addresses": ("127.0.0.0/8",), "scope": "any", **QUICK}
    with gossamer.open(tmp_path / "web") as web:
        web.crawl(f"{theirs.origin}/", shards=1, **opened)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    given = gossamer.Credentials(headers=[f"X-Key: {SECRET}"])
    with gossamer.open(tmp_path / "web") as web:
        with pytest.raises(UsageError, match="name one"):
            web.crawl(revisit=True, credentials=given, **opened)
        web.crawl(f"{mine.origin}/", revisit=True, credentials=given, **opened)
    assert mine.sent("X-Key", "/") == [SECRET]
    assert all(SECRET not in "".join(fields.values()) for _, fields in theirs.came)


def test_a_password_is_not_taken_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crawl", str(tmp_path / "web"), "http://127.0.0.1:9/", "--auth", f"me:{SECRET}"]) == 2
    said = capsys.readouterr().err
    assert "GOSSAMER_PASSWORD" in said
    assert SECRET not in said
    assert not (tmp_path / "web").exists()


def test_without_anybody_to_ask_a_password_has_to_be_there(tmp_path: Path) -> None:
    ended = run_gossamer("crawl", str(tmp_path / "web"), "http://127.0.0.1:9/", "--auth", "me")
    assert ended.returncode == 2
    assert "set GOSSAMER_PASSWORD" in ended.stderr


def test_a_crawl_without_the_logins_of_the_one_before_says_so_once(
    tmp_path: Path, mine: Tiny, caplog: pytest.LogCaptureFixture
) -> None:
    given = gossamer.Credentials(headers=[f"X-Key: {SECRET}"], auth=("me", SECRET))
    with gossamer.open(tmp_path / "web") as web:
        web.crawl(f"{mine.origin}/", shards=1, allow_addresses=("127.0.0.0/8",), credentials=given, **QUICK)
        web.crawl(revisit=True, credentials=given)
        assert caplog.messages == []
        web.crawl(revisit=True, credentials=gossamer.Credentials(auth=("me", SECRET)))
        (partly,) = caplog.messages
        web.crawl(revisit=True)
        _, wholly = caplog.messages
        web.crawl(revisit=True)  # the crawl before sent none either
        assert len(caplog.messages) == 2
        assert web.verify().problems == []
    place = mine.origin.removeprefix("http://")
    assert partly.startswith(f"the crawl before sent a header to {place}, and this one does not")
    assert wholly.startswith(f"the crawl before sent a password to {place}, and this one does not")
    assert unsaid(tmp_path / "web")


def test_what_was_refused_is_asked_for_again_by_a_crawl_that_sends_a_header(tmp_path: Path) -> None:
    given = gossamer.Credentials(headers=[f"X-Key: {SECRET}"])
    with tiny_server({"/": page("/a"), "/a": page()}) as tiny, gossamer.open(tmp_path / "web") as web:
        tiny.key = SECRET
        with pytest.raises(NothingFetched, match="http 403"):
            web.crawl(f"{tiny.origin}/", shards=1, allow_addresses=("127.0.0.0/8",), **QUICK)
        with pytest.raises(NothingFetched, match="http 403"):
            web.crawl(credentials=gossamer.Credentials(headers=["X-Key: wrong"]))
        assert web.crawl(credentials=given).pages == 2  # another value for the same header
        with pytest.raises(NothingFetched, match="http 403"):
            web.crawl(revisit=True)
        assert (web.status().pages, web.status().unreached) == (2, 2)
        assert web.crawl(credentials=given).pages == 2
        asked = len(tiny.came)
        web.crawl(credentials=given)
        assert len(tiny.came) == asked


def test_a_spoilt_note_of_what_was_sent_stops_no_crawl(tmp_path: Path, mine: Tiny) -> None:
    with gossamer.open(tmp_path / "web") as web:
        web.crawl(f"{mine.origin}/", shards=1, allow_addresses=("127.0.0.0/8",), **QUICK)
    with Table.open(Folder(tmp_path / "web").table(0), FAMILIES, writable=True) as table:
        table.put(META, b"sent", b"\xc1")
        table.commit()
    with gossamer.open(tmp_path / "web") as web:
        assert web.verify().problems != []
        web.crawl(revisit=True)
        assert web.verify().problems == []


def test_what_was_sent_is_noted_by_kind_and_site_alone() -> None:
    places = tuple(place(f"https://{name}.example/", frozenset()) for name in "abcde")
    fields = (("X-Key", SECRET), basic("me", SECRET), ("Cookie", SECRET))
    before = kinds(Logins((Login(places, fields),)))
    assert len(before) == 15
    assert SECRET not in repr(before)
    assert {kind for kind, _ in before} == {"a header", "a password", "cookies"}


def test_a_seed_that_wants_a_login_says_how_to_give_one(
    tmp_path: Path, mine: Tiny, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine.locked = True
    folder, seed = str(with_room(tmp_path / "web")), f"{mine.origin}/a"
    assert main(["crawl", folder, seed, "--shards", "1", *LOOPBACK]) == 5
    assert "http 401, it wants a login; `--auth USER` logs in, with the password in GOSSAMER" in capsys.readouterr().err
    assert main(["crawl", folder, seed, "--header", "X-Team: blue", *LOOPBACK]) == 5
    assert (
        "http 401, it wants a login, and does not take the header that was sent for one; `--auth USER` logs in"
        in capsys.readouterr().err
    )
    mine.asks = 'Digest realm="members", nonce="1"'
    assert main(["crawl", folder, seed, *LOOPBACK]) == 5
    assert "it wants a login (Digest); a `digest` line in the file of `--login FILE` logs in" in capsys.readouterr().err
    monkeypatch.setenv("GOSSAMER_PASSWORD", SECRET)
    assert main(["crawl", folder, seed, "--auth", "me", *LOOPBACK]) == 0


def test_a_password_in_a_seed_is_said_not_to_be_used_and_shown_nowhere(
    tmp_path: Path, mine: Tiny, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    seed = mine.origin.replace("://", f"://me:{SECRET}@") + "/a"
    folder = str(with_room(tmp_path / "web"))
    assert main(["crawl", folder, seed, "--shards", "1", *LOOPBACK]) == 0
    assert main(["add", folder, seed]) == 0
    words = f"seed {mine.origin}/a: the name and password in it are not used; `--auth USER` logs in"
    assert caplog.text.count(words) == 2
    assert main(["crawl", str(tmp_path / "other"), f"http://me:{SECRET}@[::/"]) == 2
    assert main(["crawl", str(tmp_path / "other"), f"gopher://me:{SECRET}@host.example/"]) == 2
    said = capsys.readouterr()
    assert SECRET not in said.out + said.err + caplog.text
    assert SECRET.encode() not in everything_in(tmp_path / "web")


def test_a_password_in_a_long_list_of_seeds_is_said_not_to_be_used_once(
    tmp_path: Path, mine: Tiny, caplog: pytest.LogCaptureFixture
) -> None:
    plain = [f"{mine.origin}/{number}" for number in range(SHORT)]
    secret = [mine.origin.replace("://", f"://me:{SECRET}@") + place for place in ("/a", "/b")]
    (tmp_path / "seeds").write_text("\n".join([*plain, *secret]))
    folder = str(with_room(tmp_path / "web"))
    main(["crawl", folder, "--seeds", str(tmp_path / "seeds"), "--pages", "1", "--shards", "1", *LOOPBACK])
    assert caplog.text.count("the name and password in it are not used") == 1
    assert SECRET not in caplog.text
    assert SECRET.encode() not in everything_in(tmp_path / "web")


def test_a_revisit_without_the_password_takes_no_page_away(
    tmp_path: Path, mine: Tiny, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`export` wrote none of them, though all were kept."""
    monkeypatch.setenv("GOSSAMER_PASSWORD", SECRET)
    mine.locked, folder = True, str(with_room(tmp_path / "web"))
    assert main(["crawl", folder, f"{mine.origin}/", "--auth", "me", "--shards", "1", *LOOPBACK]) == 0
    with gossamer.open(folder) as web:
        before = [(page.url, page.text) for page in web.pages()]
        assert len(before) == 2
    assert main(["crawl", folder, "--revisit", *LOOPBACK]) == 5
    with gossamer.open(folder) as web:
        assert (web.status().pages, web.status().unreached) == (2, 2)
        assert [(page.url, page.text) for page in web.pages()] == before
    capsys.readouterr()
    assert main(["export", folder, "jsonl"]) == 0
    assert capsys.readouterr().out.count("\n") == 2
