"""A server between a crawl and S3 that fails, loses conditions, or takes nothing more, when a test says so."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

HOP = frozenset(("connection", "transfer-encoding", "keep-alive"))


class FaultyS3:
    """What it does now."""

    def __init__(self, behind: str) -> None:
        self.behind = urlsplit(behind).netloc
        self.status = 0
        """What is answered in the place of the server behind, to whatever would write; 0: that one is asked."""
        self.conditions = True
        """Whether `If-None-Match` is passed on."""
        self.refused = 0
        self.address = ""


@contextmanager
def faulty_s3(behind: str) -> Iterator[FaultyS3]:
    """Listens on loopback."""
    faults = FaultyS3(behind)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if faults.status and self.command != "GET":
                faults.refused += 1
                self.answer(faults.status, {}, b"<Error><Code>SlowDown</Code></Error>")
                return
            fields = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
            if not faults.conditions:
                fields = {name: value for name, value in fields.items() if name.lower() != "if-none-match"}
            connection = http.client.HTTPConnection(faults.behind, timeout=60)
            try:
                connection.request(self.command, self.path, body, fields)
                came = connection.getresponse()
                self.answer(came.status, dict(came.getheaders()), came.read())
            finally:
                connection.close()

        do_GET = do_PUT = do_DELETE = do_HEAD = do_POST = handle_any

        def answer(self, status: int, fields: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in fields.items():
                if name.lower() not in HOP | {"content-length", "date", "server"}:
                    self.send_header(name, value)
            length = fields.get("Content-Length", "0") if self.command == "HEAD" else str(len(body))
            self.send_header("Content-Length", length)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    faults.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield faults
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
