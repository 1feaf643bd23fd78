"""Good files of every format that is imported, and what may become of them: seeded, and each alone.

for name, data in broken("warc.gz", seed, 25): ...
"""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable, Iterator
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from foreign_files import answer, page, plain, record, zipped, zipped_whole, zstandard_frames, zstandard_with_dictionary

PAGES = 4
_NUMBER = re.compile(rb"(?i)(?<=length: )\d+|(?<=HTTP/1.1 )\d+|(?<=\"depth\":)\d+|(?<= )\d{14}|(?<= )\d+(?=\n)")
_NUMBERS = (b"0", b"-1", b"99999999999999999999", b"9" * 200, b"4294967296", b"1e9", b"\xd9\xa3", b"")
_BYTES = (b"\0", b"\xff", b"\n", b"\r\n\r\n", b"WARC/1.0\r\n", b"<DOC>", b":", b"\xed\xa0\x80", b"A" * 3_000)


def url(name: str, number: int) -> str:
    return f"http://{name}.example/{number}"


def _records(name: str) -> list[bytes]:
    found = []
    for number in range(PAGES):
        where = url(name, number)
        told = f'gossamer-capture: {{"visit":{{"url":"{where}","depth":1}},"seconds":0.5}}\r\nhopsFromSeed: LL\r\n'
        found.append(page(where, f"Words of {name} {number}"))
        found.append(record("request", where, b"GET / HTTP/1.1\r\n\r\n"))
        found.append(record("metadata", where, told.encode()))
    return found


def _arc(name: str) -> bytes:
    parts = [b"filedesc://x.arc 0.0.0.0 20200517102030 text/plain 9\n1 0 Test\n\n"]
    for number in range(PAGES):
        body = answer(f"<p>Words of {name} {number}.".encode())
        parts.append(f"{url(name, number)} 10.0.0.1 20200517102030 text/html {len(body)}\n".encode() + body + b"\n")
    return b"".join(parts)


def _trec(name: str) -> bytes:
    parts = []
    for number in range(PAGES):
        body = f"<p>Words of {name} {number}."
        first = f"{url(name, number)} 10.0.0.1 20200517102030 text/html {len(body)}"
        head = "HTTP/1.1 200 OK\nContent-Type: text/html\n\n"
        parts.append(f"<DOC>\n<DOCNO>{number}</DOCNO>\n<DOCHDR>\n{first}\n{head}</DOCHDR>\n{body}\n</DOC>\n")
    return "".join(parts).encode()


def _wacz(name: str, how: int) -> bytes:
    out = io.BytesIO()
    with ZipFile(out, "w", how) as wacz:
        wacz.writestr("archive/a.warc.gz", zipped(_records(name)))
    return out.getvalue()


FORMATS: dict[str, Callable[[str], bytes]] = {
    "warc": lambda name: plain(_records(name)),
    "warc.gz": lambda name: zipped(_records(name)),
    "whole.warc.gz": lambda name: zipped_whole(_records(name)),
    "warc.zst": lambda name: zstandard_frames(_records(name)),
    "dictionary.warc.zst": lambda name: zstandard_with_dictionary(_records(name)),
    "arc": _arc,
    "arc.gz": lambda name: zipped([_arc(name)]),
    "trec": _trec,
    "stored.wacz": lambda name: _wacz(name, ZIP_STORED),
    "deflated.wacz": lambda name: _wacz(name, ZIP_DEFLATED),
}


def changed(data: bytes, chance: random.Random) -> bytes:
    """One thing happens to it."""
    at = chance.randrange(len(data))
    length = chance.choice((1, 1, 2, 10, 100, 1_000))
    match chance.randrange(7):
        case 0:
            return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]
        case 1:
            return data[:at]
        case 2:
            return data[:at] + data[at + length :]
        case 3:
            return data[:at] + chance.choice(_BYTES) + data[at:]
        case 4:
            return data[: at + length] + data[at:]
        case 5:
            return data[:at] + chance.randbytes(length) + data[at + length :]
        case _:
            return _renumbered(data, chance)


def _renumbered(data: bytes, chance: random.Random) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:  # it is packed
        return data[: len(data) // 2]
    one = chance.choice(found)
    return data[: one.start()] + chance.choice(_NUMBERS) + data[one.end() :]


def broken(form: str, seed: int, count: int) -> Iterator[tuple[str, bytes]]:
    """So many files with their names, each changed once to three times."""
    for number in range(count):
        chance = random.Random(f"{form} {seed} {number}")
        data = FORMATS[form](f"s{seed}n{number}")
        for _ in range(chance.choice((1, 1, 2, 3))):
            data = changed(data, chance) or b"x"
        yield f"s{seed}n{number}.{form}", data
