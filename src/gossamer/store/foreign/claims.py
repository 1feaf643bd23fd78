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
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from uuid import UUID

from gossamer.errors import InvalidURL
from gossamer.model import URL, Asked, Capture, Failure, Headers, Provenance, Visit
from gossamer.store.warc.warc import ASIDE, LOOKUP, OUR_FIELDS, Circumstances, Record, id_of, instant
from gossamer.urls import keys, normalize

STEPS_MOST = 1_000
"""Links, redirects or tries on the way to a page. Each link is a letter in the metadata."""
SECONDS_MOST = 1e6
WORDS_MOST = 1_000
"""Characters of what a file says in words: a validator, or what was wrong with a coding."""
CUT = frozenset({"length", "time", "disconnect", "unspecified"})
"""Why a block was cut, in the words of the standard."""
_HEAD_MOST = 64 << 10
"""Bytes at the beginning of an answer in which its date is looked for."""
FIELDS_MOST, MUCH = 50, 70
"""Further fields of a record, and all of them."""
_ID = re.compile(r"<[!-;=?-~]{1,1000}>|[!-;=?-~]{1,200}")
"""The name of a record, as `uuid_of` has it; of a URI all of it."""
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z", re.ASCII)
_DAY_OF_YEAR = re.compile(r"(\d{4})-(\d\d)-(\d{2,3})(T\d\d:\d\d:\d\d.*)", re.ASCII)
_SERVER_DATE = re.compile(rb"(?im)^date:([^\r\n]{0,100})")
AS_WRITTEN = "x-warc-date"
"""The field with the date as the file has it, where that is none that WARC knows."""
UNDATED = 1.0
"""The moment of what has no date at all: before everything else that there is of its address."""
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


def bare(said: str) -> str:
    """An address without the angle brackets around it, as older files have them; one at its end alone is part of it."""
    said = said.strip()
    return said[1:].removesuffix(">").strip() if said.startswith("<") else said


def web_address(said: str | None) -> URL | None:
    """The canonical form; None for what is no address of the web."""
    try:
        return normalize(bare(said)) if said else None
    except InvalidURL:
        return None


def provenance(record: Record, capture: Capture, cut: str) -> Provenance:
    """What is written again of a record, as it was. One that we have `cut` is another record, with another name."""
    told = capture.provenance or Provenance()
    moment = told.date if _DATE.fullmatch(told.date) else ""
    return Provenance("" if cut else name(record.place.record), moment, further(told.fields), told.type)


def asked(request: Record) -> Asked:
    """The same of a request."""
    said = request.field("warc-date") or ""
    unknown = tuple(field for field in request.fields if field[0] not in OUR_FIELDS)
    return Asked(name(request.place.record), said if _DATE.fullmatch(said) else "", further(unknown))


def name(said: str) -> str:
    """How a record is called; nothing where nobody could be called so."""
    return said if _ID.fullmatch(said) else ""


def aside(record: Record, cut: str, info: str, lookup: str = "") -> Record:
    """A record that is kept as it is, with all of its fields that a header can have. `cut` is why only its beginning is
    here, `info` the record that says who made its file."""
    named = ("" if cut else name(record.place.record)) or _made_up(record)
    kind = record.type if _FIELD.fullmatch(record.type) else "metadata"
    ours = {
        "warc-type": kind,
        "warc-record-id": id_of(named),
        "warc-truncated": cut or why_cut(record.field("warc-truncated")) or "",
        "warc-warcinfo-id": record.field("warc-warcinfo-id") or (id_of(info) if info else ""),
        LOOKUP: lookup,
        ASIDE: f"{record.place.file}@{record.place.offset}",
    }
    theirs = (field for field in further(record.fields, MUCH) if field[0] not in ours)
    sound = tuple(field for field in (*ours.items(), *theirs) if _VALUE.fullmatch(field[1]))
    return Record(replace(record.place, record=named), kind, sound, record.block)


def _made_up(record: Record) -> str:
    """A name for a record that has none: the same one each time that it comes."""
    told = hashlib.sha256(f"{record.type}\0{record.url}\0{record.field('warc-date')}\0".encode("utf-8", "replace"))
    told.update(record.block)
    return str(UUID(bytes=told.digest()[:16], version=4))


def further(fields: Headers, most: int = FIELDS_MOST) -> Headers:
    """Fields that a header can have, and not more of them than anybody writes; none of those that only we write."""
    sound = [field for field in fields if _FIELD.fullmatch(field[0]) and _VALUE.fullmatch(field[1])]
    return tuple(field for field in sound if field[0] not in (ASIDE, LOOKUP))[:most]


def dated(record: Record, otherwise: float) -> Record:
    """With a date as WARC wants it. Where there is none, that of the server counts, `otherwise`, or else `UNDATED`."""
    said = (record.field("warc-date") or "").strip()
    if _DATE.fullmatch(said) and instant(said) > 0:
        return record
    moment = instant(said) or _by_day_of_year(said) or server_date(record.head) or otherwise or UNDATED
    kept = tuple(field for field in record.fields if field[0] not in ("warc-date", AS_WRITTEN))
    as_written = ((AS_WRITTEN, said),) if said else ()
    return replace(record, fields=(("warc-date", _written(moment)), *kept, *as_written))


def server_date(head: bytes) -> float:
    """When the answer was sent, as its server says; 0 where it does not."""
    said = _SERVER_DATE.search(head, 0, _HEAD_MOST)
    try:
        return max(parsedate_to_datetime(said[1].decode("latin-1").strip()).timestamp(), 0.0) if said else 0.0
    except (ValueError, TypeError, OverflowError, OSError):
        return 0.0


def _by_day_of_year(said: str) -> float:
    """ClueWeb09 counts days from the beginning of the year: 2008-10-294 is the 20th of October."""
    found = _DAY_OF_YEAR.fullmatch(said)
    if found is None:
        return 0.0
    year, month, day, rest = found.groups()
    try:
        then = datetime(int(year), 1, 1, tzinfo=UTC) + timedelta(days=int(day) - 1)
    except (ValueError, OverflowError):
        return 0.0
    return instant(f"{then:%Y-%m-%d}{rest}") if f"{then:%Y-%m}" == f"{year}-{month}" else 0.0


def _written(moment: float) -> str:
    then = datetime.fromtimestamp(moment, UTC)
    return then.isoformat(timespec="microseconds" if then.microsecond else "seconds").replace("+00:00", "Z")


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
