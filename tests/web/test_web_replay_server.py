"""What the replay answers besides pages: what was posted, and requests that are not meant for it."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import gossamer
from foreign_files import answer, page, record, zipped
from gossamer.web.replay import replaying

pytestmark = pytest.mark.skipif(importlib.util.find_spec("pywb") is None, reason="pywb is not installed")

SITE = "http://example.com"
FORM = ("application/x-www-form-urlencoded", b"q=a+b&x=1")
JSON = ("application/json", b'{"a": 1, "b": {"c": "x y"}}')
PARTS = (
    "multipart/form-data; boundary=xyz",
    b'--xyz\r\nContent-Disposition: form-data; name="a"\r\n\r\n1 2\r\n--xyz--\r\n',
)
POSTED = {"/form": FORM, "/json": JSON, "/parts": PARTS}


def exchange(path: str, media_type: str, body: bytes) -> list[bytes]:
    """What was posted, and what came."""
    came = record("response", SITE + path, answer(f"<p>Posted to {path}.".encode()))
    name = came.partition(b"WARC-Record-ID: ")[2].partition(b"\r\n")[0].decode()
    sent = f"POST {path} HTTP/1.1\r\nHost: example.com\r\nContent-Type: {media_type}\r\n\r\n".encode() + body
    return [came, record("request", SITE + path, sent, WARC_Concurrent_To=name)]


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("posted")
    records = [page(f"{SITE}/a", "The heron waits")]
    records += [each for path, sent in POSTED.items() for each in exchange(path, *sent)]
    (folder / "x.warc.gz").write_bytes(zipped(records))
    with gossamer.open(folder / "web") as web:
        web.import_files(Path(folder, "x.warc.gz"), shards=1)
    with replaying(folder / "web", 0) as there:
        yield urlsplit(there).port or 0


def asked(port: int, method: str, path: str, sent: tuple[str, bytes] | None = None, host: str = "") -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    fields = {"Host": host or f"localhost:{port}"} | ({"Content-Type": sent[0]} if sent else {})
    connection.request(method, f"/web/mp_/{SITE}{path}", sent[1] if sent else None, fields)
    came = connection.getresponse()
    text = came.read().decode()
    connection.close()
    return came.status, text


@pytest.mark.parametrize("path", list(POSTED))
def test_what_was_posted_is_answered_as_it_was(port: int, path: str) -> None:
    status, text = asked(port, "POST", path, POSTED[path])
    assert (status, f"Posted to {path}." in text) == (200, True)


@pytest.mark.parametrize("host", ["localhost:80@x", "localhost:@", "localhost:x", "localhost:", "localhost, x", "a@b"])
def test_a_host_field_that_is_no_name_is_refused(port: int, host: str) -> None:
    assert asked(port, "GET", "/a", host=host)[0] == 400


def test_another_name_is_refused_and_ours_is_not(port: int) -> None:
    assert asked(port, "GET", "/a", host=f"example.com:{port}")[0] == 403
    for name in ("localhost", "127.0.0.1", "LOCALHOST"):
        status, text = asked(port, "GET", "/a", host=f"{name}:{port}")
        assert (status, "The heron waits" in text) == (200, True)
    assert asked(port, "GET", "/a", host="localhost:99999")[0] == 200
