"""Which media type does the name of a file tell? Only those that are read; for all others the content decides.

The tables of the system are not asked: a name should mean the same on every machine.
"""

from __future__ import annotations

from pathlib import PurePosixPath

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
}
"""By the ending of a name."""


def type_by_name(name: str) -> str | None:
    """The media type that the ending of a file name stands for; None when that is nothing we know."""
    return TYPES.get(PurePosixPath(name).suffix.lstrip(".").lower())
