"""A seed without a scheme over real TLS: https where a server answers that can be believed, http where none does."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import gossamer
from gossamer.fetch import Found, Resolver, Threads
from papers import Papers, made

HOSTS = {"good.test": "127.0.0.21", "plain.test": "127.0.0.22", "leads.test": "127.0.0.23", "false.test": "127.0.0.24"}
QUICK = {"shards": 1, "delay": 0.0, "ip_delay": 0.0, "patience": 0.0, "disk_pause": 0, "disk_pause_share": 0.0}


class Names(Resolver):
    """Looks up what the test says."""

    def __init__(self, clock: gossamer.model.Clock, *_: object) -> None:
        super().__init__(clock, Threads(lambda host: Found((HOSTS[host],))))


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    return made(tmp_path_factory.mktemp("papers"), "good.test", "leads.test")


@contextmanager
def serving(host: str, port: int, tls: ssl.SSLContext | None = None, location: str = "") -> Iterator[None]:
    """The ports are those that an address without one means: not everybody may open them."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = b"" if location else f"<p>port {port} <a href='/more'>more</a>".encode()
            self.send_response(301 if location else 404 if self.path == "/robots.txt" else 200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            if location:
                self.send_header("Location", location + self.path)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that does not believe us hangs up."""

    try:
        server = Server((HOSTS[host], port), Handler)
    except OSError as error:
        pytest.skip(f"port {port} cannot be opened here: {error.strerror}")
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_https_comes_first_and_http_where_it_does_not_answer(
    tmp_path: Path, papers: Papers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gossamer.collection.crawl.network.Resolver", Names)
    with ExitStack() as stack, gossamer.open(tmp_path / "web") as web:
        for served in (
            serving("good.test", 443, papers.good),
            serving("good.test", 80),
            serving("plain.test", 80),
            serving("leads.test", 443, papers.good),
            serving("leads.test", 80, location="https://leads.test"),
            serving("false.test", 443, papers.self_signed),
            serving("false.test", 80),
        ):
            stack.enter_context(served)
        web.crawl(*HOSTS, ca_file=papers.authority, allow_addresses="127.0.0.0/8", sitemaps="never", **QUICK)
        said = {page.url: page.text.split()[1] for page in web.pages()}
        assert said == {
            "https://good.test/": "443",
            "https://good.test/more": "443",
            "http://plain.test/": "80",
            "http://plain.test/more": "80",
            "https://leads.test/": "443",
            "https://leads.test/more": "443",
            "http://false.test/": "80",
            "http://false.test/more": "80",
        }
        for host, words in (("plain", "connect"), ("false", "tls")):
            reason = web.why(f"https://{host}.test/").reason
            assert reason.startswith(f"https does not answer, so http is asked in its place: {words}")
        web.crawl()
        assert len(list(web.pages())) == 8
