"""What a WARC file holds: the words that its writer and its reader share (WARC 1.1, ISO 28500:2017).

A capture is three records, each a gzip member of its own: the response (or a revisit that points back
to an equal one), the request, and metadata. Metadata comes last: when it is whole, all of it is.

Payload digests are `sha256:` and hexadecimal digits, of all that came after the HTTP head, still
chunked and still compressed: that is what warcio, fastwarc and pywb check and look up. Block digests are `sha1:` and
hexadecimal digits, of all that comes after the header of a record: they prove that it is as it was written, which SHA-1
does in half the time, and are not looked up.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha1, sha256
from pathlib import Path

import msgspec

from gossamer import files
from gossamer.errors import Damaged
from gossamer.lazy import pattern
from gossamer.model import URL, Failure, Headers, Visit

CONFORMS_TO = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
REVISIT_EQUAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
REVISIT_NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

NAME = pattern(r"gossamer(?:-[0-9]{2,})?(?:-texts)?-[0-9]{14}-[0-9]{5,}(?:-0)*\.warc\.gz")
"""What we call files: see `warcwriter.Writer` and `mending.rewrite`."""
OUR_FIELDS = frozenset(
    {
        *("warc-type", "warc-record-id", "warc-date", "warc-target-uri", "warc-warcinfo-id", "warc-concurrent-to"),
        *("warc-ip-address", "warc-truncated", "warc-payload-digest", "warc-block-digest", "warc-profile"),
        *("warc-refers-to", "warc-refers-to-target-uri", "warc-refers-to-date", "content-type", "content-length"),
        *("warc-segment-number", "warc-segment-origin-id", "warc-segment-total-length"),
    }
)
"""Fields of a record with a capture that we write, or that are true no more in another file."""
RESOURCE = "resource"
"""The type of a record that holds what was captured without an HTTP head."""
ASIDE = "gossamer-source"
"""The field of a record that an import has kept as it was, and that is no capture: where it comes from."""
LOOKUP = "gossamer-lookup"
"""The address at which such a record is looked up, where that is not its own: that of an answer to POST has what was
sent in it, as pywb writes it."""
JPEG = "image/jpeg"
"""The type of a picture that a browser has made of a page."""
HEAD_END = pattern(rb"\n\r?\n")
_UUID = "urn:uuid:"
"""Where an HTTP head is over."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record lies, and its name."""

    file: str
    offset: int
    length: int
    record: str
    """The UUID of its WARC-Record-ID, or all of one that has none."""


@dataclass(frozen=True, slots=True)
class Original:
    """The response that holds a payload we met again: what a revisit points back to."""

    url: URL
    began: float
    record: str


@dataclass(frozen=True, slots=True)
class Record:
    """One record as it was written."""

    place: Place
    type: str
    fields: Headers
    """The WARC header: lower-case names, values as they stand."""
    block: bytes

    def field(self, name: str) -> str | None:
        """The first value of a field; `name` in lower case."""
        return next((value for key, value in self.fields if key == name), None)

    @property
    def url(self) -> URL | None:
        return self.field("warc-target-uri")

    @property
    def began(self) -> float:
        return instant(self.field("warc-date") or "")

    @property
    def is_aside(self) -> bool:
        """It was kept by an import, and is no capture: see `store.asides`."""
        return any(name == ASIDE for name, _ in self.fields)

    @property
    def original(self) -> Original | None:
        """What a revisit points back to."""
        refers = self.field("warc-refers-to")
        if self.type != "revisit" or refers is None:
            return None
        moment = instant(self.field("warc-refers-to-date") or "")
        return Original(self.field("warc-refers-to-target-uri") or "", moment, uuid_of(refers))

    @property
    def is_as_written(self) -> bool:
        """Has the block its digest? One that has none, as of older files, is believed."""
        told = self.field("warc-block-digest")
        return told is None or told == block_digest(self.block)

    @property
    def head(self) -> bytes:
        """The HTTP head with its empty line; of a record that has none, nothing."""
        return self.block[: self._head_length()]

    @property
    def payload(self) -> bytes:
        """What comes after the HTTP head; of a record that has none, all of it."""
        return self.block[self._head_length() :]

    def _head_length(self) -> int:
        if not (self.field("content-type") or "").startswith("application/http"):
            return 0
        end = HEAD_END.search(self.block)
        return end.end() if end else len(self.block)


class Circumstances(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a capture knows beyond the two HTTP messages; the `gossamer-capture` line of metadata."""

    visit: Visit
    seconds: float
    decoding: str | None = None
    failure: Failure | None = None
    source: str | None = None


def payload_digest(wire: bytes) -> str:
    return f"sha256:{sha256(wire).hexdigest()}"


def block_digest(*parts: bytes) -> str:
    """Of a block that is in parts, which are not joined for it."""
    digest = sha1(usedforsecurity=False)
    for part in parts:
        digest.update(part)
    return f"sha1:{digest.hexdigest()}"


def uuid_of(record_id: str) -> str:
    """The UUID in the value of a WARC-Record-ID; all of a value that is none, in its brackets."""
    bare = record_id.strip().removeprefix("<").removesuffix(">")
    return bare.removeprefix(_UUID) if bare.startswith(_UUID) or not bare else f"<{bare}>"


def id_of(record: str) -> str:
    """The value of a WARC-Record-ID, from what `uuid_of` made of it."""
    return record if record.startswith("<") else f"<{_UUID}{record}>"


def date(moment: float) -> str:
    """A WARC-Date. Milliseconds, rounded, so that a date that was read is written again as it was."""
    seconds, milliseconds = divmod(round(moment * 1000), 1000)
    return f"{_second(seconds)}.{milliseconds:03}Z"


@lru_cache(maxsize=64)
def _second(moment: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment))


def instant(date: str) -> float:
    """Seconds since 1970; 0 for what is no date, or before there was a web. One without a zone is UTC."""
    try:
        then = datetime.fromisoformat(date)
        return max((then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp(), 0.0)
    except (ValueError, OverflowError, OSError):  # the last two for years that the clock of a machine does not have
        return 0.0


def warc_files(folder: Path) -> list[Path]:
    """The WARC files of a folder that we made, in the order they were written."""
    return [folder / name for name in files.names(folder, NAME)]


def placed(folder: Path, name: str) -> Path:
    """The file that a row names. A row may come from anybody: what is no name of ours leads nowhere."""
    if not NAME.fullmatch(name):
        raise Damaged(f"{folder}: a row names the file {name!r}, which is no name of ours; nothing was touched")
    return folder / name
