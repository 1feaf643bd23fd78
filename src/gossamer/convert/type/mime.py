"""What does a Content-Type say, and what the name of a file? MIME types parsed as browsers parse them.

The rules are those of the WHATWG MIME Sniffing standard (section 4) and, for a header that is sent more than once or
holds a list, of the Fetch standard ("extract a MIME type").

The name of a file tells only types that are read; for all others the content decides. The tables of the system are not
asked: a name should mean the same on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from gossamer.convert.type.names import ENDINGS

_TOKEN = re.compile(r"[-!#$%&'*+.^_`|~A-Za-z0-9]+").fullmatch
NAME_MOST = 127
"""Characters of a type or a subtype that are believed (RFC 6838, section 4.2). Browsers know no limit; our rows do."""
_QUOTABLE = re.compile(r"[\t\x20-\x7e\x80-\xff]*").fullmatch
_WHITESPACE = "\t\n\r "
_REMEMBERED = 128
"""Types. A host sends a handful."""
_PARAMETER = re.compile(
    r"""[\t\n\r ]*+ ([^;=]*+)  # a name
    (?: = (?: "((?:[^"\\]|\\.)*+) (?:\\\Z)?+ "?+ [^;]*+  # a quoted value; what stands after it is passed over
            | ([^;]*+) ) )?+
    (?:;|\Z)""",
    re.VERBOSE | re.DOTALL,
).match
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_LISTED = re.compile(r'(?:[^",]|"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|(?!))*+', re.DOTALL).match

_JAVASCRIPT = re.compile(
    r"(?:application|text)/(?:x-)?(?:ecma|java)script|text/(?:javascript1\.[0-5]|jscript|livescript)"
).fullmatch
_FONT = re.compile(r"application/(?:font-(?:cff|off|sfnt|ttf|woff)|vnd\.ms-(?:fontobject|opentype))").fullmatch
_ARCHIVES = frozenset({"application/zip", "application/x-rar-compressed", "application/x-gzip"})
_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."
TYPES = {
    "html": "text/html",
    "htm": "text/html",
    "xhtml": "application/xhtml+xml",
    "xht": "application/xhtml+xml",
    "xml": "application/xml",
    "rss": "application/rss+xml",
    "atom": "application/atom+xml",
    "rdf": "application/rdf+xml",
    "pdf": "application/pdf",
    "docx": f"{_OFFICE}wordprocessingml.document",
    "xlsx": f"{_OFFICE}spreadsheetml.sheet",
    "xlsb": "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    "pptx": f"{_OFFICE}presentationml.presentation",
    "doc": "application/msword",
    "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
    "rtf": "application/rtf",
    "odt": f"{_OPEN}text",
    "ods": f"{_OPEN}spreadsheet",
    "odp": f"{_OPEN}presentation",
    "epub": "application/epub+zip",
    "msg": "application/vnd.ms-outlook",
    "eml": "message/rfc822",
    "mht": "message/rfc822",
    "mhtml": "message/rfc822",
    "ipynb": "application/x-ipynb+json",
    "json": "application/json",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "tab": "text/tab-separated-values",
    "md": "text/markdown",
    "markdown": "text/markdown",
    "txt": "text/plain",
    "text": "text/plain",
    "log": "text/plain",
    "zip": "application/zip",
    "gz": "application/x-gzip",
    "tgz": "application/x-gzip",
    "bz2": "application/x-bzip2",
    "xz": "application/x-xz",
    "tar": "application/x-tar",
    "mbox": "application/mbox",
    **ENDINGS,
}
"""By the ending of a name."""


class MimeType(NamedTuple):
    """A type, in lower case, and its parameters in the order they came."""

    type: str
    subtype: str
    parameters: tuple[tuple[str, str], ...] = ()

    @property
    def essence(self) -> str:
        """The type without its parameters."""
        return f"{self.type}/{self.subtype}"

    @property
    def charset(self) -> str | None:
        """The label of an encoding, if one is named."""
        return next((value for name, value in self.parameters if name == "charset"), None)

    def __str__(self) -> str:
        return self.essence + "".join(f";{name}={_quoted(value)}" for name, value in self.parameters)


def parse(text: str) -> MimeType | None:
    """Read one MIME type; None when it is none."""
    kind, slash, rest = text.strip(_WHITESPACE).partition("/")
    subtype, _, parameters = rest.partition(";")
    subtype = subtype.rstrip(_WHITESPACE)
    if not (slash and _TOKEN(kind) and _TOKEN(subtype)):
        return None
    return MimeType(kind.lower(), subtype.lower(), _parameters(parameters))


def extract(values: Iterable[str]) -> MimeType | None:
    """What all Content-Type fields of a response say together: the last one that is valid, more or less."""
    return _extracted(",".join(values))


@lru_cache(maxsize=_REMEMBERED)
def _extracted(values: str) -> MimeType | None:
    result: MimeType | None = None
    charset: str | None = None
    for value in listed((values,)):
        found = parse(value)
        if found is None or found.essence == "*/*" or max(len(found.type), len(found.subtype)) > NAME_MOST:
            continue
        if result is None or found.essence != result.essence:
            charset = found.charset
        elif charset is not None and found.charset is None:
            found = found._replace(parameters=(*found.parameters, ("charset", charset)))
        result = found
    return result


def listed(values: Iterable[str]) -> list[str]:
    """The members of a header that may be a list, repeated, or both. Commas in quotes do not divide."""
    text = ",".join(values)
    members: list[str] = []
    position = 0
    while position <= len(text):
        found = _LISTED(text, position)
        end = found.end() if found else len(text)
        members.append(text[position:end].strip("\t "))
        position = end + 1
    return members


@lru_cache(maxsize=_REMEMBERED)
def groups(mime: MimeType) -> frozenset[str]:
    """The families of the MIME Sniffing standard that a type belongs to, by their names there."""
    essence, kind, subtype = mime.essence, mime.type, mime.subtype
    xml = subtype.endswith("+xml") or essence in ("application/xml", "text/xml")
    html = essence == "text/html"
    members = {
        "image": kind == "image",
        "audio or video": kind in ("audio", "video") or essence == "application/ogg",
        "font": kind == "font" or _FONT(essence) is not None,
        "ZIP-based": subtype.endswith("+zip") or essence == "application/zip",
        "archive": essence in _ARCHIVES,
        "XML": xml,
        "HTML": html,
        "scriptable": xml or html or essence == "application/pdf",
        "JavaScript": _JAVASCRIPT(essence) is not None,
        "JSON": subtype.endswith("+json") or essence in ("application/json", "text/json"),
    }
    return frozenset(name for name, belongs in members.items() if belongs)


def _parameters(text: str) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    position = 0
    while position < len(text):
        part = _PARAMETER(text, position)
        if part is None:  # pragma: no cover - every part of the pattern may be empty
            break
        position = part.end()
        name, quoted, plain = part[1].lower(), part[2], part[3]
        value = _ESCAPED.sub(r"\1", quoted) if quoted is not None else (plain or "").rstrip(_WHITESPACE)
        if (quoted is not None or value) and name not in found and _TOKEN(name) and _QUOTABLE(value):
            found[name] = value
    return tuple(found.items())


def _quoted(value: str) -> str:
    if _TOKEN(value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def type_by_name(name: str) -> str | None:
    """The media type that the ending of a file name stands for; None when that is nothing we know."""
    return TYPES.get(PurePosixPath(name).suffix.lstrip(".").lower())
