"""What lies behind search forms is reached with few questions, and no form is sent that changes something."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

import gossamer
from crawler_process import gossamer_command, run_gossamer, with_room
from gossamer.collection import Outside
from gossamer.collection.column_families import FAMILIES
from gossamer.collection.folder import Folder
from gossamer.convert.html.forms import forms
from gossamer.frontier.forms import forms as form_part
from gossamer.frontier.forms.asking import DRY, Asking, telling
from gossamer.frontier.forms.form_rows import FormRow, stored
from gossamer.frontier.forms.harmless import refusal
from gossamer.model import Capture, Visit
from gossamer.store.table.table import Table
from gossamer.testing import VirtualClock
from harness.database_site import PAGE, Database

HOME = "http://a.test/"
KINDS = ("words", "choices", "both")


@dataclass
class Site:
    """Answers for a made database, and remembers what it was asked."""

    database: Database
    more: dict[str, str] = field(default_factory=dict)
    clock: VirtualClock = field(default_factory=lambda: VirtualClock(1.79e9))
    asked: list[str] = field(default_factory=list)

    async def fetch(self, visit: Visit) -> Capture:
        began = self.clock.wall()
        await asyncio.sleep(0.01)
        parts = urlsplit(visit.url)
        self.asked.append(visit.url)
        body = self.more.get(parts.path) or self.database.page(parts.path, parts.query)
        data, status = (body or "").encode(), 404 if body is None else 200
        head = f"HTTP/1.1 {status} X\r\ncontent-type: text/html; charset=utf-8\r\n\r\n".encode()
        fields = (("content-type", "text/html; charset=utf-8"),)
        return Capture(visit, began, 0.01, status, fields, b"GET / HTTP/1.1\r\n\r\n", head, data, data, "192.0.2.1")

    def crawl(self, folder: Path, **settings: object) -> None:
        with gossamer.open(folder) as web:
            outside = Outside(self.clock, self.fetch)
            how: dict[str, object] = {"build": False, "forms": "search", **settings}
            self.clock.run(web.crawl_async(HOME, outside=outside, disk_pause=0, disk_pause_share=0.0, **how))

    @property
    def answers(self) -> list[str]:
        return [url for url in self.asked if "/find?" in url]

    def reached(self, part: float) -> int | None:
        """Requests for answers after which so many of the records were shown."""
        shown: set[int] = set()
        for count, url in enumerate(self.answers, 1):
            asked = dict(parse_qsl(urlsplit(url).query))
            start = int(asked.get("page", "1")) * PAGE - PAGE
            shown |= {*self.database.found(asked)[start : start + PAGE]}
            if len(shown) >= part * self.database.count:
                return count
        return None


def rows(folder: Path) -> list[FormRow]:
    with Table.open(Folder(folder).table(0), FAMILIES, writable=False) as table:
        return [row for _, row in stored(table)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_crawl_reaches_nine_tenths_with_few_questions(tmp_path: Path, kind: str) -> None:
    site = Site(Database(240, kind))
    site.crawl(tmp_path / "web")
    needed = site.reached(0.9)
    assert needed is not None
    assert needed <= 3 * site.database.oracle(0.9)
    assert len({url for url in site.asked if "/r/" in url}) >= 216
    (row,) = rows(tmp_path / "web")
    assert row.ended == "its answers bring nothing new"
    assert row.requests == len(site.answers)
    assert 0.9 * 240 <= row.records <= 240
    assert 216 <= row.estimate() <= 270
    said = run_gossamer("why", str(tmp_path / "web"), HOME).stdout
    assert f"{row.requests} requests have brought {row.records} records" in said
    summed = run_gossamer("status", str(tmp_path / "web")).stdout
    assert f"forms       1 sent; {row.requests} requests brought {row.records} records, about " in summed
    around = run_gossamer("links", str(tmp_path / "web"), HOME).stdout
    assert "forms: 1" in around
    assert "GET http://a.test/find (" in around


def test_without_the_setting_no_form_is_sent(tmp_path: Path) -> None:
    site = Site(Database(40))
    site.crawl(tmp_path / "web", forms="off")
    assert not site.answers
    assert not rows(tmp_path / "web")
    with gossamer.open(tmp_path / "web") as web:
        assert web.status().forms is None
    around = run_gossamer("links", str(tmp_path / "web"), HOME).stdout
    assert "not sent; --forms search or --forms all does it" in around


def simulated(database: Database, part: float) -> tuple[int | None, FormRow]:
    """The same without a crawl: requests for so many of the records, and how it ended."""
    (form,) = forms((database.page("/") or "").encode(), HOME)
    row = form_part._row(form, HOME, 1, "")
    row.own = tuple(word for number in range(3) for word in database.words[number])
    asking, seen, needed = Asking(row, 1_000_000), dict[int, set[str]](), None
    while (values := asking.next()) is not None:
        key = row.key(row.address(values) or "")
        assert key is not None
        numbers = database.found(dict(values))
        for start in range(0, max(len(numbers), 1), PAGE):
            here = numbers[start : start + PAGE]
            new = [number for number in here if number not in seen]
            for number in here:
                times = seen.setdefault(number, set())
                row.once += (len(times) == 0) - (len(times) == 1)
                row.twice += (len(times) == 1) - (len(times) == 2)
                times.add(key)
            row.records = len(seen)
            asking.answered(key, records=len(here), new=len(new), first=start == 0)
            asking.learn(" ".join(database.words[number]) for number in new)
            if needed is None and len(seen) >= part * database.count:
                needed = row.requests
            if here and len(new) < 0.1 * len(here) and asking.is_covered():
                break
    return needed, row


@pytest.mark.parametrize("shown", [40, 10_000])
@pytest.mark.parametrize("kind", KINDS)
def test_few_questions_are_enough_whatever_a_site_shows(kind: str, shown: int) -> None:
    database = Database(600, kind, shown)
    needed, _ = simulated(database, 0.9)
    assert needed is not None
    assert needed <= 3 * database.oracle(0.9)


@pytest.mark.soak
@pytest.mark.parametrize("shown", [100, 300, 100_000])
@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_records_are_reached(kind: str, shown: int) -> None:
    database = Database(10_000, kind, shown)
    needed, row = simulated(database, 0.9)
    assert needed is not None
    assert needed <= 3 * database.oracle(0.9)
    assert row.records >= 0.9 * 10_000


def test_a_budget_ends_it(tmp_path: Path) -> None:
    site = Site(Database(200, "words"))
    site.crawl(tmp_path / "web", form_budget=12)
    (row,) = rows(tmp_path / "web")
    assert "budget of 12 requests" in row.ended
    assert 12 <= len(site.answers) <= 12 + 12  # pages of the answers before were queued already


def test_a_search_that_finds_nothing_is_soon_left(tmp_path: Path) -> None:
    site = Site(Database(50, "words"), more={"/find": "<title>Nothing</title><p>Nothing was found, as always."})
    site.crawl(tmp_path / "web")
    (row,) = rows(tmp_path / "web")
    assert not row.records
    assert len(site.answers) <= 2 * DRY + 2


def test_a_crawl_that_is_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    site = Site(Database(100, "choices"))
    site.crawl(tmp_path / "web", pages=30)
    before = len(site.answers)
    assert before
    with gossamer.open(tmp_path / "web") as web:
        halfway = web.status().forms
    assert halfway is not None
    assert (halfway.sent, halfway.going) == (1, 1)
    site.crawl(tmp_path / "web", pages=0)
    assert len(site.answers) == len(set(site.answers)) > before
    (row,) = rows(tmp_path / "web")
    assert 97 <= row.records <= 100  # those that stand beside the form need no question
    with gossamer.open(tmp_path / "web") as web:
        forms_now = web.status().forms
    assert forms_now is not None
    assert (forms_now.sent, forms_now.going, forms_now.refused) == (1, 0, 0)
    assert (forms_now.requests, forms_now.records) == (row.requests, row.records)


def test_robots_and_scope_hold_for_answers(tmp_path: Path) -> None:
    forbidden = Site(Database(40), more={"/robots.txt": "User-agent: *\nDisallow: /find\n"})
    forbidden.crawl(tmp_path / "robots")
    assert not forbidden.answers
    assert rows(tmp_path / "robots")[0].ended == "robots.txt forbids its answers"
    outside = Site(Database(40))
    outside.crawl(tmp_path / "scope", exclude=("/find",))
    assert not outside.answers
    assert "excluded by pattern" in rows(tmp_path / "scope")[0].ended


DANGEROUS = [
    "<form method=post action=/find><input name=q><button>Search</button></form>",
    "<form action=/delete><input name=id><button>Go</button></form>",
    "<form action=/x><input type=text name=id><button>Delete this entry</button></form>",
    "<form action=/x><input name=q><input type=hidden name=action value=delete></form>",
    "<form action=/basket/add><select name=size><option>1<option>2</select></form>",
    "<form action=/x><select name=amount><option>1<option>2</select><button>Buy now</button></form>",
    "<form action=/x><input name=coupon><button>Place order</button></form>",
    "<form action=/x class=newsletter><input name=mail></form>",
    "<form action=/x><input type=email name=a><button>Go</button></form>",
    "<form action=/x><label>Your e-mail <input name=a></label></form>",
    "<form action=/subscribe><input name=name></form>",
    "<form action=/x><textarea name=text></textarea></form>",
    "<form action=/x><input name=t><button>Post comment</button></form>",
    "<form action=/x><input name=u><input type=password name=p></form>",
    "<form action=/login><input name=u></form>",
    "<form action=/x><input name=q><button>L\u00f6schen</button></form>",
    "<form action=/x><input name=q><button>Supprimer</button></form>",
    "<form action=/x><select name=n><option>1<option>2</select><button>A\u00f1adir al carrito</button></form>",
    "<form action=/x><input name=q><button>\u5220\u9664</button></form>",
    "<form action=/vote><select name=v><option>1<option>2</select></form>",
    "<form action=/x><input type=file name=f></form>",
    "<form action=http://other.test/find><input name=q></form>",
    "<form action=/x><input name=q><input type=hidden name=csrf_token value=a81f></form>",
    "<form action=/x><input name=id><button>\u0423\u0434\u0430\u043b\u0438\u0442\u044c</button></form>",
    "<form action=/x><select name=op><option value=show>Show<option value=delete>Delete</select></form>",
    "<form action=/x><select name=op><option>Show<option value=del>D</select></form>",
    "<form action=/disk/wipe><select name=id><option>1<option>2</select></form>",
    "<form action=/proc/kill><select name=id><option>1<option>2</select></form>",
    "<form action=/db/clear><select name=id><option>1<option>2</select></form>",
    "<form action=/x><input name=id><button><img alt=Delete src=x></button></form>",
    "<form action=/x><input name=id><input type=image alt=Delete></form>",
    "<form action=/x><input name=id><button>De\u00adlete</button></form>",
    "<form action=/x><input name=id><button>\uff24\uff45\uff4c\uff45\uff54\uff45</button></form>",
    "<form action=/x><input name=id><button formaction=/gone>Go</button></form>",
    "<form action=/x><input name=id><button formmethod=post>Go</button></form>",
    "<form action=/x onsubmit='this.method=\"post\"'><input name=id></form>",
    "<form action=/x><input name=id><input type=hidden name=op value=del></form>",
    "<form action=/x><input name=id><button>Hapus</button></form>",
    "<form action=/x><input name=id><button>Disable</button></form>",
    "<form action=/x><input name=name><input name=pin></form>",
]


def test_no_dangerous_form_is_sent(tmp_path: Path) -> None:
    site = Site(Database(3), more={"/": "<title>Danger</title>" + "".join(DANGEROUS)})
    for wanted in ("search", "all"):
        site.crawl(tmp_path / wanted, forms=wanted)
    assert {urlsplit(url).path for url in site.asked} <= {"/", "/robots.txt", "/sitemap.xml"}
    assert all(row.refused for row in rows(tmp_path / "all"))


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ("<form action=/find role=search><input type=search name=q><button>Search</button></form>", ""),
        ("<form action=/suche><input name=wort><select name=ort><option>a<option>b</select></form>", ""),
        ("<form action=/jobs><select name=city><option>a<option>b</select><button>Show</button></form>", ""),
        (
            "<form action=/find onsubmit='return check()'><input name=q><select name=sort><option>Recently added"
            "<option>Last updated<option>New releases first</select><button>Search</button></form>",
            "",
        ),
        ("<form action=/x><input name=a><input name=b></form>", "only --forms all"),
        ("<form action=/x><input name=q><input type=checkbox name=c></form>", "only --forms all"),
        ("<form action=/x><button>Go</button></form>", "nothing to fill in"),
    ],
)
def test_what_a_search_form_is(form: str, reason: str) -> None:
    (found,) = forms(form.encode(), HOME)
    assert reason in refusal(found, HOME, "search")
    assert bool(reason) == bool(refusal(found, HOME, "search"))
    if "only" in reason:
        assert not refusal(found, HOME, "all")


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ("<form method=post action=/find><input name=q></form>", "it is not sent by GET"),
        ("<form action=/x><input name=q><input type=file name=f></form>", "it sends files"),
        ("<form action=https://other.test/find><input name=q></form>", "it is sent to another host, other.test"),
        ("<form action=http://db.test/find><input name=q></form>", "it leads from https to http"),
        ("<form action=/x><input name=q><button formaction=/gone>Go</button></form>", "a button or a script of it"),
        ("<form action=/x><input name=q><textarea name=t></textarea></form>", "it has a field for long text"),
        ("<form action=/x><input name=q><input type=date name=d></form>", "it has a field for date"),
        (
            "<form action=/x><input name=q><input type=hidden name=sid value=a81f></form>",
            "its field sid holds only once",
        ),
        ("<form action=/del><input name=q></form>", "its address says that it changes something: del"),
        ("<form action=/unsubscribed><input name=q></form>", "its address says that it changes something: subscri"),
        (
            "<form action=/x><input name=q><input type=hidden name=op value=wipe></form>",
            "its fields say that it changes something: wipe",
        ),
        (
            "<form action=/x><input name=q><input type=hidden name=op value=checkout></form>",
            "its fields say that it changes something: checkout",
        ),
        (
            "<form action=/x><input name=q><button>Undo it</button></form>",
            "its button says that it changes something: Undo",
        ),
        (
            "<form action=/x><select name=o><option>a<option>Ban them</select></form>",
            "one of its options says that it changes something: Ban",
        ),
        (
            "<form action=/x><select name=o><option>a<option value=ban>b</select></form>",
            "one of its options says that it changes something: ban",
        ),
        ("<form action=/x><p>Buy it</p><input name=q></form>", "its words say that it changes something: Buy"),
        ("<form action=/x><label>Phone <input name=q></label></form>", "it asks for something personal: Phone"),
        ("<form action=/x><input name=a><input name=b></form>", "it has more than one field for words"),
        ("<form action=/x><input name=q><input type=radio name=c value=1></form>", "it has boxes or buttons to choose"),
        ("<form action=/x><input></form>", "there is nothing to fill in"),
        ("<form action=/x><select name=o><option>a</select></form>", "there is nothing to fill in"),
        ("<form action=/x><select name=o><option>a<option>b</select></form>", ""),
        ("<form action=/x><input name=q><input type=hidden name=sid value=''></form>", ""),
        ("<form action=/x><input name=q><p>Phone</p></form>", ""),
        ("<form action=/x><select name=o><option>a<option>Recently undone</select></form>", ""),
        ("<form action=/x><input name=q><input type=radio value=1></form>", ""),
    ],
)
def test_a_form_that_is_not_sent_says_why(form: str, reason: str) -> None:
    (found,) = forms(form.encode(), "https://db.test/")
    said = refusal(found, "https://db.test/", "search")
    assert said.startswith(reason)
    assert bool(said) == bool(reason)


def test_words_that_describe_pages_are_asked_first() -> None:
    from collections import Counter

    pages = Counter({"the": 10, "heron": 8, "cascade": 5, "contact": 9})
    assert telling(pages, 10)[:2] == ("heron", "cascade")


@contextmanager
def served(database: Database) -> Iterator[tuple[str, list[str]]]:
    """The database on a socket, for a crawl that is killed."""
    came: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            came.append(self.path)
            path, _, query = self.path.partition("?")
            body = database.page(path, query)
            data = (body or "").encode()
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", came
        finally:
            server.shutdown()
            thread.join()


def test_a_killed_crawl_asks_on_where_it_was(tmp_path: Path) -> None:
    folder = with_room(tmp_path / "web")
    with served(Database(120, "choices")) as (origin, came):
        options = ("--forms", "search", "--allow-address", "127.0.0.0/8", "--delay", "0.005", "--patience", "0")
        more = ("--shards", "1", "-q", "--set", "build=false")
        command = gossamer_command("crawl", str(folder), f"{origin}/", *options, *more)
        with subprocess.Popen(command, start_new_session=True) as crawl:
            until = time.monotonic() + 120
            while len(came) < 70 and time.monotonic() < until and crawl.poll() is None:
                time.sleep(0.02)
            os.killpg(crawl.pid, signal.SIGKILL)
        outcome = run_gossamer("crawl", str(folder), "-q")
        assert outcome.returncode == 0, outcome.stderr
        assert {f"/r/{number}" for number in range(120)} <= set(came)
    (row,) = rows(folder)
    assert 117 <= row.records <= 120
    assert row.ended


def test_a_form_is_sent_as_if_its_first_button_were_pressed_with_what_nobody_has_to_touch() -> None:
    (form,) = forms(
        b"<form action=/find><input name=q><input type=hidden name=lang value=en><input type=checkbox name=all checked>"
        b"<input type=checkbox name=old><button name=go value=1>Find</button><input type=submit name=other value=2>"
        b"<select name=kind><option value=''>Any<option value=a>A<option value=b selected>B</select></form>",
        HOME,
    )
    row = form_part._row(form, HOME, 1, "")
    fixed = dict(row.fixed)
    assert {name: fixed[name] for name in ("lang", "go", "all")} == {"lang": "en", "go": "1", "all": "on"}
    assert not {"other", "old"} & {*fixed}
    (choice,) = row.choices
    assert choice[0] == "kind"
    assert set(choice[2]) == {"a"}
