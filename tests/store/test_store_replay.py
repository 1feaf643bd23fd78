"""pywb, the replay tool of the field, plays our files back and would index them as we do."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from store_samples import BEGAN, INFO, StillClock, capture

from gossamer.model import Capture
from gossamer.store.cdxj import Entry, line, write_sorted
from gossamer.store.warc.warc import Original, payload_digest, warc_files
from gossamer.store.warc.writer import Writer

pytestmark = pytest.mark.skipif(importlib.util.find_spec("pywb") is None, reason="pywb is not installed")

PAGE = b"<!doctype html><title>Words</title>" + b"<p>words words words " * 500
HOST = "http://example.com"
UMLAUTS = "http://xn--bcher-kva.example/%C3%BC?q=%C3%A9"
CHUNKS = b"".join(b"%x\r\n%s\r\n" % (len(PAGE[at : at + 777]), PAGE[at : at + 777]) for at in range(0, len(PAGE), 777))

# It patches the whole process for gevent, so it gets one of its own.
REPLAY = """
import json, sys
from gevent.monkey import patch_all
patch_all()
from pywb.apps.frontendapp import FrontEndApp
from werkzeug.test import Client
folder, asked = sys.argv[1], json.loads(sys.argv[2])
web = {"index_paths": folder + "/index.cdxj", "archive_paths": folder + "/"}
client = Client(FrontEndApp(custom_config={"collections": {"web": web}}))
for url, stamp in asked:
    answer = client.get(f"/web/{stamp}id_/{url}")
    told = [answer.status_code, answer.get_data().hex(), answer.headers.get("Location")]
    print("answer", json.dumps(told))
"""


class Made:
    """A folder of WARC files with its index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.entries: list[Entry] = []
        self.writer = Writer(folder, INFO, StillClock(), max_bytes=4000)

    def add(self, one: Capture, original: Original | None = None) -> Original:
        digest = payload_digest(one.wire)
        place = self.writer.capture(one, digest, (), original)
        if one.status != 304:
            self.entries.append(
                Entry(
                    one.visit.url, one.began, "text/html", "text/html", one.status, digest, place, original is not None
                )
            )
        return Original(one.visit.url, one.began, place.record)

    def close(self) -> None:
        self.writer.close()
        with (self.folder / "index.cdxj").open("wb") as out:
            write_sorted(map(line, self.entries), out)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = Made(tmp_path_factory.mktemp("replay"))
    plain = made.add(capture(f"{HOST}/plain", PAGE))
    made.add(capture(f"{HOST}/copy", PAGE, began=BEGAN + 60), plain)
    made.add(capture(f"{HOST}/plain", PAGE, began=BEGAN + 120), plain)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    made.add(capture(f"{HOST}/chunked", CHUNKS + b"0\r\n\r\n", head=head))
    made.add(capture(f"{HOST}/gzip", zlib.compress(PAGE, 9, 31), coding="gzip"))
    head = f"HTTP/1.1 301 Moved Permanently\r\nLocation: {HOST}/plain\r\nContent-Length: 0\r\n\r\n".encode()
    made.add(capture(f"{HOST}/moved", b"", head=head))
    made.add(capture(UMLAUTS, PAGE + b"umlauts"))
    kept = made.add(capture(f"{HOST}/kept", PAGE + b"kept"))
    head = b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n'
    made.add(capture(f"{HOST}/kept", b"", head=head, began=BEGAN + 86_400), kept)
    made.close()
    return made.folder


def test_pywb_replays_what_was_captured(folder: Path) -> None:
    expected = {
        (f"{HOST}/plain", "20261115000000"): (200, PAGE, None),
        (f"{HOST}/copy", "20261115"): (200, PAGE, None),
        (f"{HOST}/plain", "20261115000200"): (200, PAGE, None),
        (f"{HOST}/chunked", "2026"): (200, PAGE, None),
        (f"{HOST}/gzip", "2026"): (200, PAGE, None),
        (f"{HOST}/moved", "2026"): (301, b"", f"{HOST}/plain"),
        (UMLAUTS, "2026"): (200, PAGE + b"umlauts", None),
        (f"{HOST}/kept", "20261116"): (200, PAGE + b"kept", None),
    }
    assert len(warc_files(folder)) > 1
    said = run_pywb("-c", REPLAY, str(folder), json.dumps(list(expected)), inside=folder)
    answers = [json.loads(row[7:]) for row in said.splitlines() if row.startswith("answer ")]
    assert [(status, bytes.fromhex(body), moved) for status, body, moved in answers] == list(expected.values())


def test_pywb_makes_the_same_index(folder: Path) -> None:
    program = "from pywb.indexer.cdxindexer import main; main()"
    names = [path.name for path in warc_files(folder)]
    said = run_pywb("-c", program, "--cdxj", "--sort", *names, inside=folder)
    theirs = [row.split(" ", 2) for row in said.splitlines()]
    ours = [row.split(" ", 2) for row in (folder / "index.cdxj").read_text().splitlines()]
    replayable = [(key, stamp, json.loads(told)) for key, stamp, told in theirs if '"digest"' in told]
    expected = [(key, stamp, json.loads(told)) for key, stamp, told in ours]
    for _, _, told in replayable + expected:
        told["mime"] = told["mime"].replace("unk", "text/html")
        told.pop("mime-detected", None)  # what the bytes are of, which pywb does not look at
        if told["mime"] == "warc/revisit":
            told.pop("status", None)  # which cdxj-indexer has and pywb has not
    assert replayable == expected


def run_pywb(*arguments: str, inside: Path) -> str:
    command = [sys.executable, "-W", "ignore", *arguments]
    done = subprocess.run(command, capture_output=True, cwd=inside, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
