"""Crawls over other protocols than HTTP, through the same frontier, archive and index; servers are on loopback."""

from __future__ import annotations

import asyncio
import shutil
import socket
import socketserver
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer import plugins
from gossamer.errors import InvalidURL, NothingFetched
from gossamer.fetch.protocols import data, ftp, listing
from gossamer.fetch.protocols.asking import Ask
from gossamer.fetch.protocols.deadlines import Course
from gossamer.frontier.why import AddressAnswer
from gossamer.urls.normalize import LONGEST
from gossamer.urls.schemes import canonical, joined
from gossamer.urls.seeds import as_seed

LIMITS = "were read, as many as html_bytes, text_bytes or document_bytes allows"
AT_ONCE: dict[str, Any] = {"delay": 0, "ip_delay": 0, "shards": 1, "patience": 0, "allow_addresses": ["127.0.0.1"]}
CAPSULE = {
    "/": "20 text/gemini\r\n# A capsule\nWords of a small net about otters.\n=> /a one\n=> b/ two\n=> /old three\n"
    "=> /closed four\n=> https://example.org/ elsewhere\n=> mailto:me@example.org mail\n```\n=> /no not a link\n```\n",
    "/robots.txt": "20 text/plain\r\nUser-agent: *\nDisallow: /closed\n",
    "/a": "20 text/plain\r\nA plain page about herons.",
    "/b/": "20\r\n* An item\n> A quote\n=> ../missing gone\n",
    "/old": "31 a?page=2\r\n",
    "/a?page=2": "20 text/html\r\n<title>HTML</title><p>It may be anything.",
    "/closed": "20 text/plain\r\nNobody may read it.",
}


@contextmanager
def served(
    handler: type[socketserver.StreamRequestHandler], context: ssl.SSLContext | None = None, at: str = "127.0.0.1"
) -> Iterator[int]:
    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        request_queue_size = 64

        def get_request(self) -> tuple[Any, Any]:
            connection, address = super().get_request()
            return (context.wrap_socket(connection, server_side=True) if context else connection), address

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Whoever hangs up is no fault of the server."""

    with Server((at, 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


class Gemini(socketserver.StreamRequestHandler):
    asked: list[str] = []  # noqa: RUF012  # of the only server of a test

    def handle(self) -> None:
        url = self.rfile.readline().decode().strip()
        path = "/" + url.split("/", 3)[3]
        self.asked.append(path)
        self.wfile.write(CAPSULE.get(path, "51 not here\r\n").encode())


FOLDERS = {"/": ("type=dir; pub", "type=file; read me.txt", "type=cdir; ."), "/pub/": ("type=file; page.html",)}
FILES = {"/read me.txt": b"Words of a file about otters.", "/pub/page.html": b"<title>Old</title><p>A page of 1995."}


class Ftp(socketserver.StreamRequestHandler):
    """As much of RFC 959 as a client needs that reads."""

    def handle(self) -> None:
        self.say("220 hello")
        data: socket.socket | None = None
        for line in self.rfile:
            verb, _, what = line.decode().strip().partition(" ")
            match verb:
                case "PASV":
                    data = socket.create_server((self.request.getsockname()[0], 0))
                    high, low = divmod(data.getsockname()[1], 256)
                    self.say(f"227 to (10,0,0,1,{high},{low})")
                case "MLSD" | "RETR":
                    found = FILES.get(what) if verb == "RETR" else "\r\n".join(FOLDERS.get(what, ())).encode()
                    if not found or data is None:
                        if data is not None:
                            data.close()
                        self.say("550 nothing there")
                        continue
                    self.say("150 it comes")
                    connection, _ = data.accept()
                    with connection:
                        connection.sendall(found)
                    data.close()
                    self.say("226 that was it")
                case "QUIT":
                    self.say("221 bye")
                    return
                case "PASS":
                    self.say("230 welcome")
                case _:
                    self.say("331 go on" if verb == "USER" else "200 fine")

    def say(self, words: str) -> None:
        self.wfile.write(f"{words}\r\n".encode())


@pytest.fixture
def web(tmp_path: Path) -> Iterator[gossamer.Collection]:
    with gossamer.open(tmp_path / "web") as collection:
        yield collection


def context(folder: Path) -> ssl.SSLContext:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, which makes the certificate of the server")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-subj", "/CN=localhost", "-days", "2", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(certificate, key)
    return made


def test_a_capsule_of_gemini_is_crawled_kept_and_found(web: gossamer.Collection, tmp_path: Path) -> None:
    Gemini.asked.clear()
    with served(Gemini, context(tmp_path)) as port:
        seed = f"gemini://localhost:{port}/"
        status = web.crawl(seed, **AT_ONCE)
    assert status.pages == 4
    page = web.page(seed)
    assert (page.title, page.media_type, page.capture.address) == ("A capsule", "text/gemini", "127.0.0.1")
    assert [link.url.removeprefix(seed) for link in page.links] == ["a", "b/", "old", "closed", "https://example.org/"]
    assert [hit.url for hit in web.search("herons")] == [f"{seed}a"]
    assert web.page(f"{seed}a?page=2").title == "HTML"
    assert web.why(f"{seed}missing").status == 404
    assert "robots.txt" in web.why(f"{seed}closed").reason
    assert "/closed" not in Gemini.asked
    assert not web.verify().problems


def test_folders_of_an_ftp_server_are_followed(web: gossamer.Collection) -> None:
    with served(Ftp) as port:
        seed = f"ftp://127.0.0.1:{port}/"
        status = web.crawl(seed, **AT_ONCE)
    assert status.pages == 4
    assert web.page(f"{seed}read%20me.txt").text == "Words of a file about otters."
    assert web.page(f"{seed}pub/page.html").title == "Old"


def test_what_a_file_of_ftp_is_tells_how_much_of_it_is_wanted(
    web: gossamer.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "/long.bin": b"%PDF-1.4 " + bytes(30_000),
        "/long.txt": b"word " * 6_000,
        "/a.pdf": b"%PDF-" + b"x" * 90_000,
    }
    monkeypatch.setattr(sys.modules[__name__], "FILES", {**files, "/b.png": b"\x89PNG\r\n\x1a\n" + bytes(9_000)})
    monkeypatch.setattr(sys.modules[__name__], "FOLDERS", {"/": ("type=file; b.png",)})
    with served(Ftp) as port:
        home = f"ftp://127.0.0.1:{port}/"
        web.crawl(home, *(f"{home[:-1]}{name}" for name in files), text_bytes=8_000, document_bytes=40_000, **AT_ONCE)

    def came(name: str) -> tuple[int, str]:
        return len(web.page(f"{home}{name}").capture.body), web.why(f"{home}{name}").reason

    assert came("long.bin")[0] == 30_009
    assert "cut" not in came("long.bin")[1]
    assert came("long.txt") == (8_000, f"cut: its first 8,000 bytes {LIMITS}")
    assert came("a.pdf") == (40_000, f"cut: its first 40,000 bytes {LIMITS}; not a PDF file, or damaged")
    assert web.why(f"{home}b.png").reason == "cut: length", "it is not downloaded, as of the web"


class Old(Ftp):
    """One of before 2007: it lists for people, and knows no MLSD."""

    lists = "-rw-r--r-- 1 ftp ftp  29 Nov 17 20:00 read me.txt\r\ndrwxr-xr-x 2 ftp ftp 4096 Jan  1  1995 pub\r\n"
    deeper = "01-01-95  08:00AM  120 page.html\r\nlrwxrwxrwx 1 ftp ftp 3 Jan 1 1995 x -> /\r\ntotal 2\r\n"

    def handle(self) -> None:
        with ExitStack() as opened:
            self.talk(opened)

    def talk(self, opened: ExitStack) -> None:
        self.say("220 hello")
        data: socket.socket | None = None
        here = "/"
        for line in self.rfile:
            verb, _, what = line.decode().strip().partition(" ")
            match verb:
                case "PASV":
                    data = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
                    high, low = divmod(data.getsockname()[1], 256)
                    self.say(f"227 to (127,0,0,1,{high},{low})")
                case "MLSD":
                    self.say("502 not known")
                case "CWD":
                    here = what
                    self.say("250 there" if what.rstrip("/") in ("", "/pub") else "550 no folder")
                case "LIST" | "RETR" if data is not None:
                    listed = self.lists if here == "/" else self.deeper
                    found = FILES.get(what) if verb == "RETR" else listed.encode()
                    if found is None:
                        self.say("550 nothing there")
                        continue
                    self.say("150 it comes")
                    connection, _ = data.accept()
                    with connection:
                        connection.sendall(found)
                    self.say("226 that was it")
                case "USER":
                    self.say("331 go on")
                case "PASS":
                    self.say("230 welcome")
                case _:
                    self.say("200 fine")


def test_folders_of_an_old_ftp_server_are_followed_also_without_a_slash(web: gossamer.Collection) -> None:
    with served(Old) as port:
        web.crawl(f"ftp://127.0.0.1:{port}/", f"ftp://127.0.0.1:{port}/pub", **AT_ONCE)
    home = f"ftp://127.0.0.1:{port}"
    assert {hit.url for hit in web.search("otters")} == {f"{home}/read%20me.txt"}
    assert {hit.url for hit in web.search("1995")} == {f"{home}/pub/page.html"}
    moved = web.why(f"{home}/pub")
    assert isinstance(moved, AddressAnswer)
    assert (moved.status, moved.target) == (301, f"{home}/pub/")


class Dripping(Ftp):
    """Greets for ever, or lists for ever."""

    greets = False

    def handle(self) -> None:
        while self.greets:
            self.say("220-hello")
            time.sleep(0.01)
        super().handle()


class Endless(dict[str, tuple[str, ...]]):
    def get(self, key: str, default: Any = ()) -> Any:
        return default if key != "/" else tuple(f"type=file; {number}.txt" for number in range(30_000))


def test_an_ftp_server_without_end_holds_no_thread(web: gossamer.Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dripping, "greets", True)
    before = threading.active_count()
    with served(Dripping) as port:
        with pytest.raises(NothingFetched, match="no whole answer within 1 s"):
            web.crawl(f"ftp://127.0.0.1:{port}/", total_seconds=1.0, **AT_ONCE)
        deadline = time.monotonic() + 30
        while threading.active_count() > before + 2 and time.monotonic() < deadline:  # the server's own two
            time.sleep(0.05)
        assert threading.active_count() <= before + 2


class Beside(Ftp):
    """Greets for ever at all addresses but one."""

    good = "127.0.0.2"

    def handle(self) -> None:
        while self.request.getsockname()[0] != self.good:
            self.say("220-hello")
            time.sleep(0.2)
        super().handle()


def test_ftp_servers_that_drip_hold_up_no_others(web: gossamer.Collection) -> None:
    with served(Beside, at="") as port:
        hosts = [f"ftp://127.0.0.{number}:{port}/" for number in (*range(3, 43), 2)]
        web.crawl(*hosts, total_seconds=2.0, **{**AT_ONCE, "allow_addresses": ["127.0.0.0/8"]})
    assert web.page(f"ftp://127.0.0.2:{port}/pub/page.html").title == "Old"


def test_a_connection_is_cut_though_it_stands_only_later() -> None:
    with served(Ftp) as port:
        ask = Ask(f"ftp://127.0.0.1:{port}/", "127.0.0.1", port, "127.0.0.1", "/", 5.0, 1 << 20)
        server = ftp._Server(ask.course)
        server.cut()
        with pytest.raises(ConnectionAbortedError):
            ftp._said(server, ask)


def test_a_folder_of_ftp_is_read_up_to_a_number_of_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "FOLDERS", Endless())
    monkeypatch.setattr(listing, "NAMES_MOST", 100)
    with served(Ftp) as port:
        ask = Ask(f"ftp://127.0.0.1:{port}/", "127.0.0.1", port, "127.0.0.1", "/", 5.0, 1 << 20)
        said = asyncio.run(ftp.say(ask))
    assert said.body.count(b"\n=> ") == 100


def test_lines_without_a_word_fill_a_folder_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "LINES_MOST", 1_000)
    folder, lines = listing.Listing("/", Course()), 0
    while folder.take("", "", "") and lines <= listing.LINES_MOST:
        lines += 1
    assert lines == listing.LINES_MOST


def test_the_guard_holds_for_every_protocol(web: gossamer.Collection) -> None:
    with pytest.raises(NothingFetched, match=r"--allow-address 127\.0\.0\.1 opens it"):
        web.crawl("gemini://127.0.0.1/", **{**AT_ONCE, "allow_addresses": ()})


def test_a_protocol_that_nobody_has_is_refused_with_the_cure(web: gossamer.Collection) -> None:
    with pytest.raises(InvalidURL, match=r"gopher:// is not spoken here; .*gemini://.*gossamer\.protocols"):
        web.crawl("gopher://example.org/")
    assert not web.path.exists()


@pytest.mark.parametrize(("slip", "meant"), [("htp", "http"), ("htps", "https"), ("ttps", "https")])
def test_a_slip_in_the_protocol_is_answered_with_what_was_meant(
    web: gossamer.Collection, slip: str, meant: str
) -> None:
    with pytest.raises(InvalidURL, match=rf"{slip}:// is not spoken here; did you mean {meant}://\?"):
        web.crawl(f"{slip}://example.org/")
    with pytest.raises(InvalidURL, match="ftps:// is not spoken here; https://"):
        web.crawl("ftps://example.org/")


def test_data_is_a_page_of_its_own_and_nobody_is_asked(web: gossamer.Collection) -> None:
    body = "<title>Notes</title><p>About otters / and more? <a href=https://example.org/a>out</a> <a href=b>beside</a>"
    page, plain = f"data:text/html;charset=utf-8,{body}<a href=data:,deeper>x</a>", "data:;base64,SGVyb25zIHdhZGU"
    assert web.crawl(page, plain, **{**AT_ONCE, "allow_addresses": ()}).pages == 2
    found = web.page(page)
    assert (found.title, found.media_type, found.capture.address) == ("Notes", "text/html", None)
    assert [link.url for link in found.links] == ["https://example.org/a"]
    assert [hit.url for hit in web.search("herons")] == ["data:///;base64,SGVyb25zIHdhZGU"]
    assert "seed" in web.why("https://example.org/a").reason
    about = web.why(page)
    assert isinstance(about, AddressAnswer)
    assert about.host is None
    assert not web.verify().problems


@pytest.mark.parametrize(
    ("text", "status", "media_type", "body"),
    [
        ("data:,a%20b", 200, "text/plain;charset=US-ASCII", b"a b"),
        ("data:;charset=latin-1,%E9", 200, "text/plain;charset=latin-1", b"\xe9"),
        ("data:text/html;base64,PGI+IA==", 200, "text/html", b"<b> "),
        ("data:image/png;base64,A%2BA/ %0A", 200, "image/png", b"\x03\xe0\x3f"),
        ("data:text/html;base64,!", 400, None, b""),
    ],
)
def test_data_is_read_as_browsers_do(text: str, status: int, media_type: str | None, body: bytes) -> None:
    url = canonical(text)
    said = asyncio.run(data.say(Ask(url, "", 0, "", url.removeprefix("data://"), 5.0, 1 << 20)))
    assert (said.status, dict(said.headers).get("content-type"), said.body) == (status, media_type, body)


def test_an_address_of_another_protocol_may_be_as_long_as_one_of_the_web() -> None:
    for start in ("gemini://example.org/", "data:///,"):
        most = start + "x" * (LONGEST - len(start))
        assert canonical(most) == most
        with pytest.raises(InvalidURL):
            canonical(f"{most}x")


def test_data_is_bounded_and_never_followed(web: gossamer.Collection) -> None:
    with pytest.raises(InvalidURL, match="of 16,384 at most"):
        web.crawl(f"data:,{'x' * 16_384}")
    with pytest.raises(InvalidURL, match="write data:TYPE,DATA"):
        web.crawl("data:text/plain")
    assert as_seed("data:8080/a") == "http://data:8080/a"
    assert joined("data:,x", "gemini://example.org/") is None
    assert joined("data:,x", "data:///text/html,y") is None
    assert joined("a", "data:///text/html,y") is None
    assert not web.path.exists()


PLUGIN = """
from gossamer.fetch.protocols.asking import Said

async def say(ask):
    if ask.path == "/bad":
        raise ValueError("broken")
    return Said(200, b"# Echo\\n=> /bad\\nIt said " + ask.path.encode(), (("content-type", "text/gemini"),))
"""


def test_a_package_adds_a_protocol_by_being_installed(
    web: gossamer.Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = tmp_path / "echoes-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: echoes\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[gossamer.protocols]\necho = echoes:say\n")
    (tmp_path / "echoes.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    plugins.installed.cache_clear()
    plugins.loaded.cache_clear()
    try:
        web.crawl("ECHO://127.0.0.1/hello", **AT_ONCE)
    finally:
        plugins.installed.cache_clear()
        plugins.loaded.cache_clear()
        sys.modules.pop("echoes", None)
    assert "It said /hello" in web.page("echo://127.0.0.1/hello").text
    assert "ValueError: broken" in web.why("echo://127.0.0.1/bad").reason


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("GEMINI://Example.ORG:1965", "gemini://example.org/"),
        ("gemini://me@example.org/a/../b?q#x", "gemini://example.org/b?q"),
        ("ftp://example.org:2121/a b", "ftp://example.org:2121/a%20b"),
        ("gemini://bücher.example/", "gemini://xn--bcher-kva.example/"),
        ("DATA:text/html,<p>a/b?c#d", "data:///text/html,%3Cp%3Ea%2Fb%3Fc"),
        ("data:,", "data:///,"),
    ],
)
def test_addresses_of_other_protocols_have_one_form(text: str, form: str) -> None:
    assert canonical(text) == form == canonical(form)


def test_links_stay_within_their_protocol_or_lead_to_the_web() -> None:
    base = "gemini://example.org/a/b"
    assert joined("../c", base) == "gemini://example.org/c"
    assert joined("//other.example/x", base) == "gemini://other.example/x"
    assert joined("HTTPS://Example.org", base) == "https://example.org/"
    assert joined("gopher://example.org/", base) is None
    assert joined("mailto:me@example.org", base) is None
