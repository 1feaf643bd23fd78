"""The inside of the sandbox where files and large pages are read: what `sandbox` asks for, it answers.

Nothing is loaded here that only some of them need: `Apart` says what is.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from gossamer.convert.document import read_here
from gossamer.convert.sandboxed import Task
from gossamer.convert.source import Source

_encode = msgspec.msgpack.Encoder(enc_hook=tuple).encode  # of links that are not made yet
_task = msgspec.msgpack.Decoder(Task).decode


def read(data: bytes, body: bytes = b"") -> bytes:
    """A task becomes a page, both packed; what is to be read is not."""
    task = _task(data)
    if task.fields is None:
        return _encode(replace(read_here(Source(body, task.kind, task.url, date=task.date)), content=""))
    said = {"date": task.date, "listing": task.listing, **task.fields._asdict()}
    return _encode(read_here(Source(body, task.kind, task.url, **said)))
