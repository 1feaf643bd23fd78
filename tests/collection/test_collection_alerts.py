"""Questions that are kept: each change is told once, to whom this user wants, whatever fails or is killed."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from test_collection_changes import HERE, World

import gossamer
from gossamer.cli.main import main
from gossamer.collection import Collection
from gossamer.collection.alert import saved, telling
from gossamer.collection.alert.telling import News
from gossamer.collection.alert.webhook import Patience, signed
from gossamer.errors import NotFound, UsageError
from tiny_server import tiny_server

SECRET = "a secret of the test"
OPEN = {"allow_addresses": ("127.0.0.0/8",)}
QUICK = Patience(tries=4, wait=0.01)


@dataclass
class Receiver:
    """A webhook that answers as it is told, and remembers what came."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    """The next ones; then 204."""
    came: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    before_answer: Callable[[], object] = lambda: None

    @property
    def deliveries(self) -> list[str]:
        return [fields["x-gossamer-delivery"] for fields, _ in self.came]

    @property
    def messages(self) -> list[Any]:
        return [json.loads(body) for _, body in self.came]


@contextmanager
def receiving() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            found.came.append(({name.lower(): value for name, value in self.headers.items()}, body))
            found.before_answer()
            status = found.answers.pop(0) if found.answers else 204
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", f"{found.url}elsewhere")
            self.end_headers()

        def log_message(self, format: str, *words: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "mine"))
    monkeypatch.setenv("GOSSAMER_WEBHOOK_SECRET", SECRET)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def web(tmp_path: Path, world: World) -> Iterator[Collection]:
    with gossamer.open(tmp_path / "web") as web:
        world.crawl(web, HERE, **OPEN)
        yield web


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as found:
        yield found


def told(web: Collection, **how: Any) -> list[News]:
    news: list[News] = []
    web.close()
    asyncio.run(telling.tell(web.path, news.append, **{"patience": QUICK, **how}))
    return news


def change(world: World, web: Collection, name: str, words: str) -> None:
    world.pages[name] = f"<title>{name}</title><p>{words}"
    world.crawl(web, revisit=True)


def names(news: News) -> list[str]:
    return [each.url.removeprefix(HERE) for each in news.changes]


# ------------------------------------------------------------------ what is told


def test_what_comes_after_an_alert_was_added_is_told_once(web: Collection, world: World) -> None:
    web.add_alert("pages", "page")
    assert told(web) == []
    change(world, web, "edited", "Another page about nothing.")
    change(world, web, "odd", "No such word.")
    (news,) = told(web)
    assert (news.alert, names(news)) == ("pages", ["edited"])
    assert news.changes[0].added == "Another … about nothing."
    assert told(web) == []
    change(world, web, "edited", "One more page.")
    assert [names(each) for each in told(web)] == [["edited"]]


def test_a_capture_that_is_committed_late_is_not_missed(web: Collection, world: World) -> None:
    """Another began after it and was told before."""
    web.add_alert("pages", "page")
    change(world, web, "edited", "Another page.")
    assert len(told(web)) == 1
    known = telling.state.load(web.path)
    late = telling.state.Told(known["pages"].until, ())
    telling.state.save(web.path, {"pages": late})
    assert [names(each) for each in told(web)] == [["edited"]]


def test_of_many_changes_one_message_has_the_newest(
    web: Collection, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "TOLD_MOST", 2)
    web.add_alert("pages", "page")
    world.pages |= {
        name: f"<title>{name}</title><p>This page is another: {name}." for name in ("same", "odd", "edited")
    }
    world.crawl(web, revisit=True)
    (news,) = told(web)
    assert (len(news.changes), news.more) == (2, 1)
    assert told(web) == []


@pytest.mark.parametrize("spoilt", [None, b"", b"\xff", b"[]", b'{"pages": 7}'])
def test_where_what_was_told_cannot_be_read_what_comes_is_new(tmp_path: Path, spoilt: bytes | None) -> None:
    if spoilt is not None:
        (tmp_path / telling.state.FILE).write_bytes(spoilt)
    assert telling.state.load(tmp_path) == {}


def test_what_is_kept_is_a_file_that_people_may_edit(web: Collection) -> None:
    web.add_alert("one", 'the "first" one')
    web.add_alert("two", "second", webhook="HTTP://Example.org:80/hook", secret="$OTHER")
    file = web.path / saved.FILE
    file.write_text(file.read_text().replace("[alert.two]", "# mine\n[alert.two]"))
    assert web.alerts["one"] == saved.Alert('the "first" one')
    assert web.alerts["two"] == saved.Alert("second", "http://example.org/hook", "$OTHER")
    web.remove_alert("one")
    assert "# mine\n[alert.two]" in file.read_text()
    with pytest.raises(NotFound, match="no such alert"):
        web.remove_alert("one")
    for name, query, given in (
        ("two", "again", {}),
        ("a b", "query", {}),
        ("three", " ", {}),
        ("three", "query", {"webhook": "ftp://example.org/"}),
        ("three", "query", {"webhook": "https://me:secret@example.org/"}),
        ("three", "query", {"webhook": "https://example.org/", "secret": "the secret itself"}),
    ):
        with pytest.raises(UsageError):
            web.add_alert(name, query, **given)
    assert list(web.alerts) == ["two"]
    file.write_text("alert = 7")
    with pytest.raises(UsageError, match=r"alerts\.toml: cannot be understood"):
        _ = web.alerts


# --------------------------------------------------------------------- webhooks


def test_a_webhook_gets_it_signed_and_after_failures_once_more(
    web: Collection, world: World, receiver: Receiver
) -> None:
    web.add_alert("pages", "page", webhook=receiver.url)
    change(world, web, "edited", "Another page with <script>alert(1)</script>.")
    receiver.answers = [500, 503]
    (news,) = told(web)
    assert news.problem == ""
    assert len(receiver.came) == 3
    assert len(set(receiver.deliveries)) == 1
    for fields, body in receiver.came:
        expected = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        assert fields["x-gossamer-signature"] == f"sha256={expected}" == signed(SECRET.encode(), body)
        assert fields["content-type"] == "application/json"
    message = receiver.messages[-1]
    assert message["delivery"] == news.delivery == receiver.deliveries[0]
    assert (message["alert"], message["query"], message["collection"]) == ("pages", "page", "web")
    assert [each["url"] for each in message["changes"]] == [HERE + "edited"]
    assert told(web) == []
    assert len(receiver.came) == 3


def test_a_dead_webhook_is_told_and_gets_all_of_it_later(web: Collection, world: World, receiver: Receiver) -> None:
    web.add_alert("pages", "page", webhook=receiver.url)
    web.add_alert("others", "page", webhook=receiver.url)
    web.add_alert("plain", "page")
    change(world, web, "edited", "Another page.")
    receiver.answers = [500] * 4
    first = {each.alert: each for each in told(web)}
    assert first["pages"].problem == first["others"].problem == "http 500"
    assert names(first["plain"]) == ["edited"]
    assert len(receiver.came) == 4, "nobody waits for one webhook twice"
    change(world, web, "odd", "Also a page.")
    again = told(web)
    assert all(each.problem == "" for each in again)
    sent = [(each["alert"], [one["url"].removeprefix(HERE) for one in each["changes"]]) for each in receiver.messages]
    assert sent[4:] == [("others", ["edited"]), ("others", ["odd"]), ("pages", ["edited"]), ("pages", ["odd"])]
    assert receiver.deliveries[6] == receiver.deliveries[0]
    assert told(web) == []


def test_those_whose_webhook_has_failed_come_last_because_the_time_of_a_run_is_for_all(
    web: Collection, world: World, receiver: Receiver
) -> None:
    for number in (1, 2):
        web.add_alert(f"dead-{number}", "page", webhook=f"{receiver.url}/{number}")
    web.add_alert("well", "page", webhook=receiver.url)
    change(world, web, "edited", "Another page.")
    receiver.answers = [500] * 8
    told(web)
    change(world, web, "odd", "Also a page.")
    receiver.came.clear()
    told(web)
    assert [each["alert"] for each in receiver.messages] == ["well", "dead-1", "dead-1", "dead-2", "dead-2"]


@pytest.mark.parametrize(("status", "tries"), [(404, 1), (302, 1), (429, 4)])
def test_what_will_not_pass_is_not_tried_at_once(
    web: Collection, world: World, receiver: Receiver, status: int, tries: int
) -> None:
    web.add_alert("pages", "page", webhook=receiver.url)
    change(world, web, "edited", "Another page.")
    receiver.answers = [status] * 9
    (news,) = told(web)
    assert news.problem.startswith(f"http {status}")
    assert len(receiver.came) == tries


def test_who_is_killed_after_the_delivery_delivers_the_same_again(
    web: Collection, world: World, receiver: Receiver
) -> None:
    web.add_alert("pages", "page", webhook=receiver.url)
    change(world, web, "edited", "Another page.")
    web.close()
    command = [sys.executable, "-m", "gossamer", "alert", "run", str(web.path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    receiver.before_answer = process.kill
    assert process.wait(120) < 0
    assert len(receiver.came) == 1
    receiver.before_answer = lambda: None
    (news,) = told(web)
    assert news.problem == ""
    assert len(receiver.came) == 2
    assert receiver.came[0][1] == receiver.came[1][1]
    assert receiver.deliveries[0] == receiver.deliveries[1]
    assert told(web) == []


def test_a_secret_is_in_the_environment_or_in_a_file_elsewhere(
    web: Collection, world: World, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, outside = web.path / "secret", tmp_path / "secret"
    for file in (inside, outside):
        file.write_text("from a file\n")
    web.add_alert("inside", "page", webhook=receiver.url, secret=f"@{inside}")
    web.add_alert("outside", "page", webhook=receiver.url, secret=f"@{outside}")
    web.add_alert("missing", "page", webhook=receiver.url)
    monkeypatch.delenv("GOSSAMER_WEBHOOK_SECRET")
    change(world, web, "edited", "Another page.")
    problems = {each.alert: each.problem for each in told(web)}
    assert "outside of the collection" in problems["inside"]
    assert "set GOSSAMER_WEBHOOK_SECRET" in problems["missing"]
    assert problems["outside"] == ""
    ((fields, body),) = receiver.came
    assert fields["x-gossamer-signature"] == signed(b"from a file", body)


# ---------------------------------------------------------------- who may be sent to


def test_a_private_address_is_refused_unless_it_is_opened(tmp_path: Path, world: World, receiver: Receiver) -> None:
    with gossamer.open(tmp_path / "closed") as web:
        world.crawl(web, HERE)
        web.add_alert("pages", "page", webhook=receiver.url)
        change(world, web, "edited", "Another page.")
        (news,) = told(web)
    assert news.problem.startswith("blocked-address: 127.0.0.1, loopback")
    assert news.problem.endswith("; `gossamer set DIR allow_addresses=127.0.0.1` opens it")
    assert receiver.came == []


def test_what_would_keep_a_message_from_arriving_is_said_when_the_alert_is_added(
    web: Collection, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    web.change(allow_addresses=["10.0.0.0/8"])
    web.close()
    folder = str(web.path)
    monkeypatch.setenv("SET", "secret")
    add = ["alert", "add", folder]
    assert main([*add, "closed", "page", "--webhook", "http://localhost:9/", "--secret", "$NOT_SET"]) == 0
    said = capsys.readouterr()
    assert f"once an hour while `gossamer watch {folder}` runs" in said.out
    assert "the secret of the webhook is missing: set NOT_SET in the environment" in said.err
    assert f"127.0.0.1 is closed, loopback; `gossamer set {folder} allow_addresses=10.0.0.0/8,127.0.0.1`" in said.err
    assert main(["set", folder, "allow_addresses=10.0.0.0/8,127.0.0.1"]) == 0
    assert web.plan.allow_addresses == ("10.0.0.0/8", "127.0.0.1")
    capsys.readouterr()
    assert main([*add, "open", "page", "--webhook", "http://localhost:9/", "--secret", "$SET"]) == 0
    assert capsys.readouterr().err == ""
    assert web.alert_obstacles("no such alert") == []


@pytest.fixture
def strange(
    tmp_path: Path, web: Collection, world: World, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> Collection:
    """Made by somebody else: with a webhook, and with news for it."""
    web.add_alert("pages", "page", webhook=receiver.url)
    change(world, web, "edited", "Another page.")
    web.close()
    shutil.copytree(web.path, tmp_path / "strange")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    return gossamer.open(tmp_path / "strange")


def test_the_webhook_of_a_stranger_is_sent_nothing_before_a_yes(
    strange: Collection, world: World, receiver: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    (news,) = told(strange)
    assert "not sent" in news.problem
    assert "allow_addresses" in news.problem
    world.crawl(strange, trust_plan=True, revisit=True)
    for news in (*told(strange), *told(strange), *strange.tell_alerts()):
        assert "--trust-alerts" in news.problem
    assert receiver.came == []
    assert main(["alert", "run", str(strange.path)]) == 1
    assert f"`gossamer alert run {strange.path} --trust-alerts` once" in capsys.readouterr().err
    assert main(["alert", "run", str(strange.path), "--trust-alerts"]) == 0
    assert len(receiver.came) == 1
    change(world, strange, "odd", "A page, too.")
    assert [each.problem for each in told(strange)] == [""], "a yes is remembered"


def test_a_yes_is_for_one_address_of_one_collection(strange: Collection, world: World, receiver: Receiver) -> None:
    world.crawl(strange, trust_plan=True, revisit=True)
    assert all(not each.problem for each in told(strange, agreed=True))
    file, sent = strange.path / saved.FILE, len(receiver.came)
    agreed = file.read_text()
    change(world, strange, "odd", "A page, too.")
    for changed in (agreed.replace("/hook", "/other"), agreed.replace(saved.SECRET, "@/etc/hostname")):
        file.write_text(changed)
        (news,) = told(strange)
        assert "--trust-alerts" in news.problem
    assert "signed with @/etc/hostname" in news.problem
    assert len(receiver.came) == sent


# ------------------------------------------------------------------------ crawls


def test_a_crawl_tells_at_its_end_and_never_fails_for_it(
    tmp_path: Path,
    receiver: Receiver,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    folder = str(tmp_path / "crawled")
    pages = {"/": "<title>Home</title><p>Nothing yet."}
    options = ["--delay", "0", "--sitemaps", "never"]
    with tiny_server(pages) as site:
        assert main(["crawl", folder, site.origin + "/", "--allow-address", "127.0.0.0/8", *options]) == 0
        assert main(["alert", "add", folder, "herons", "herons fly", "--webhook", receiver.url]) == 0
        assert main(["alert", "list", folder]) == 0
        assert "herons fly" in capsys.readouterr().out
        pages["/"] = "<title>Home</title><p>Herons fly here."
        assert main(["crawl", folder, "--revisit", *options]) == 0
        out = capsys.readouterr().out
        assert "herons: 1 page new or changed: herons fly" in out
        assert f"herons: delivered to {receiver.url}" in out
        assert len(receiver.came) == 1
        Path(folder, saved.FILE).write_text("nonsense")
        pages["/"] = "<title>Home</title><p>Herons fly there."
        assert main(["crawl", folder, "--revisit", *options]) == 0
        assert "alerts were not told" in caplog.text
    assert len(receiver.came) == 1


def test_a_watch_that_is_stopped_tells_what_is_new(web: Collection, world: World) -> None:
    web.add_alert("pages", "page")
    change(world, web, "edited", "Another page.")
    stop, heard = asyncio.Event(), list[News]()
    stop.set()
    asyncio.run(web.crawl_async(stop=stop, keep_fresh=True, news=heard.append))
    assert [each.alert for each in heard] == ["pages"]


def test_the_command_says_what_is_wrong_with_it(web: Collection, capsys: pytest.CaptureFixture[str]) -> None:
    web.close()
    folder = str(web.path)
    for words in (
        ["add", folder],
        ["add", folder, "name"],
        ["remove", folder],
        ["list", folder, "name"],
        ["run", folder],
        ["run", folder, "--webhook", "https://example.org/"],
        ["add", folder, "name", "query", "--secret", "$NAME"],
        ["list", folder, "--trust-alerts"],
        ["add", folder, "name", "query", "--webhook", "http://[::1"],
        ["add", folder, "name", "query", "--webhook", "http://[x@example.org/"],
        ["add", folder, "name", "query", "--webhook", "https://example.org/", "--secret", "@relative"],
    ):
        assert main(["alert", *words]) == 2, words
    capsys.readouterr()
    assert main(["alert", "run", folder, "--allow-address", "127.0.0.1"]) == 2
    assert "--allow-address: `gossamer alert run` has no such option" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["alert", "list"])
    assert "required: DIR\n" in capsys.readouterr().err
    assert main(["alert", "remove", folder, "name"]) == 8
    assert main(["alert", "list", str(web.path.parent / "nowhere")]) == 3
    assert main(["alert", "add", folder, "name", "page", "-odd"]) == 0
    assert main(["alert", "list", folder, "--json"]) == 0
    told = capsys.readouterr().out.splitlines()[-1]
    assert json.loads(told)["query"] == "page -odd"
