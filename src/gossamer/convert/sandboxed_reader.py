"""The inside of the sandbox where files and large pages are read: what `sandbox` asks for, it answers."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from gossamer.convert.document import read_here
from gossamer.convert.files import xls  # noqa: F401  # before the processes are forked: once for all
from gossamer.convert.files.added import load_all
from gossamer.convert.files.formats import READERS, Ours
from gossamer.convert.files.pdf import pdfium  # noqa: F401  # before the processes are forked: once for all
from gossamer.convert.sandboxed import Task
from gossamer.convert.source import Source
from gossamer.convert.type.mime import MimeType

_encode = msgspec.msgpack.Encoder().encode
_task = msgspec.msgpack.Decoder(Task).decode

load_all()  # as above
for reader in READERS.values():
    if isinstance(reader, Ours):
        reader.load()  # as above


read_here(Source(b"<p>The first page loads what all others need.", MimeType("text", "html"), None))  # as above


def read(data: bytes, body: bytes = b"") -> bytes:
    """A task becomes a page, both packed; what is to be read is not."""
    task = _task(data)
    if task.fields is None:
        return _encode(replace(read_here(Source(body, task.kind, task.url, date=task.date)), content=""))
    said = {"date": task.date, "listing": task.listing, **task.fields._asdict()}
    return _encode(read_here(Source(body, task.kind, task.url, **said)))
