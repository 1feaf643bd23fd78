"""XML in UTF-8, whatever it was written in."""

from __future__ import annotations

from gossamer.convert.charset.decode import utf8


def as_utf8(data: bytes, encoding: str) -> bytes:
    """Expat knows four encodings; the name of another would stop it, so it is told that this is UTF-8."""
    recoded = utf8(data, encoding)
    if recoded.startswith(b"<?xml") and (end := recoded.find(b"?>")) > 0:
        return b'<?xml version="1.0" encoding="UTF-8"?>' + recoded[end + 2 :]
    return recoded
