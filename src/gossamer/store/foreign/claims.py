"""What a file from elsewhere says of its captures, held to what can be true: nothing of it is believed as it stands.

Lengths, dates and statuses are checked where they are read. Here are the fields that would otherwise be copied into our
own records and rows: one that cannot be true is left out or cut, and the capture is taken all the same.

A digest in other people's WARC files is an algorithm, a colon, and the value in one of four spellings.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b32encode, urlsafe_b64encode
from dataclasses import replace
from ipaddress import ip_address

from gossamer.errors import InvalidURL
from gossamer.model import URL, Capture, Failure, Headers, Provenance, Visit
from gossamer.store.warc.warc import Circumstances, Record
from gossamer.urls import keys, normalize

STEPS_MOST = 1_000
"""Links, redirects or tries on the way to a page. Each link is a letter in the metadata."""
SECONDS_MOST = 1e6
WORDS_MOST = 1_000
"""Characters of what a file says in words: a validator, or what was wrong with a coding."""
CUT = frozenset({"length", "time", "disconnect", "unspecified"})
"""Why a block was cut, in the words of the standard."""
FIELDS_MOST = 50
"""Further fields of a record."""
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z")
_FIELD = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,4000}")
_ALGORITHMS = {"sha1": "sha1", "sha-1": "sha1", "md5": "md5", "sha256": "sha256", "sha-256": "sha256"}
_CODED = (b"\ntransfer-encoding:", b"\ncontent-encoding:")


def circumstances(told: Circumstances, url: URL) -> Circumstances:
    """How a capture came to be, as far as that can be; its visit was to `url`."""
    seconds = told.seconds if 0 <= told.seconds <= SECONDS_MOST else 0.0
    failure = told.failure and Failure(told.failure.fault, told.failure.detail[:WORDS_MOST])
    return Circumstances(_visit(told.visit, url), seconds, words(told.decoding), failure)


def _visit(visit: Visit, url: URL) -> Visit:
    return replace(
        visit,
        url=url,
        method="GET",
        depth=steps(visit.depth),
        hops=steps(visit.hops),
        attempt=steps(visit.attempt),
        referrer=web_address(visit.referrer),
        owner=_origin(visit.owner),
        etag=words(visit.etag),
        modified=words(visit.modified),
    )


def _origin(said: str | None) -> str | None:
    url = web_address(f"{said}/") if said else None
    return keys.origin(url) if url else None


def steps(count: int) -> int:
    """How many there can be."""
    return min(max(count, 0), STEPS_MOST)


def words(said: str | None) -> str | None:
    """What is too long for what it should be is not it."""
    return said if said is None or len(said) <= WORDS_MOST else None


def web_address(said: str | None) -> URL | None:
    """The canonical form; None for what is no address of the web."""
    try:
        return normalize(said.strip("<> ")) if said else None
    except InvalidURL:
        return None


def provenance(record: Record, capture: Capture) -> Provenance:
    """What is written again of a record, as it was."""
    told = capture.provenance or Provenance()
    named = record.place.record if _UUID.fullmatch(record.place.record) else ""
    return Provenance(named, told.date if _DATE.fullmatch(told.date) else "", further(told.fields))


def further(fields: Headers) -> Headers:
    """Fields that a header can have, and not more of them than anybody writes."""
    sound = [field for field in fields if _FIELD.fullmatch(field[0]) and _VALUE.fullmatch(field[1])]
    return tuple(sound[:FIELDS_MOST])


def ip(said: str | None) -> str | None:
    """The address of a server; None for anything else."""
    try:
        return str(ip_address(said.strip())) if said else None
    except ValueError:
        return None


def why_cut(said: str | None) -> str | None:
    """Why it was cut, if it was."""
    return said if said is None or said in CUT else "unspecified"


def fits(told: str, data: bytes) -> bool:
    """Is it the digest of `data`? One that we cannot count, we believe."""
    name, _, value = told.partition(":")
    algorithm = _ALGORITHMS.get(name.strip().lower())
    if algorithm is None:
        return True
    digest = hashlib.new(algorithm, data, usedforsecurity=False).digest()
    value = value.strip().rstrip("=")
    return (
        value.lower() == digest.hex()
        or value.upper() == b32encode(digest).decode().rstrip("=")
        or value.replace("+", "-").replace("/", "_") == urlsafe_b64encode(digest).decode().rstrip("=")
    )


def wrong(record: Record) -> str:
    """Which digest of a whole record does not fit; empty when all do."""
    block, payload = record.field("warc-block-digest"), record.field("warc-payload-digest")
    if block and not fits(block, record.block):
        return "block"
    if payload and record.type != "revisit" and not fits(payload, record.payload) and not _is_coded(record.head):
        return "payload"
    return ""


def _is_coded(head: bytes) -> bool:
    """Writers do not agree whether a payload is counted before or after its codings are undone."""
    lower = head.lower()
    return any(field in lower for field in _CODED)
