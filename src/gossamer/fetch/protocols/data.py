"""Addresses that hold what they stand for (RFC 2397): nobody is asked, and nothing is waited for."""

from __future__ import annotations

import binascii
from base64 import b64decode
from urllib.parse import unquote, unquote_to_bytes

from gossamer.fetch.protocols.asking import Ask, Said

PLAIN = "text/plain;charset=US-ASCII"
"""What is meant where an address names no media type."""


async def say(ask: Ask) -> Said:
    """What stands in the address."""
    about, comma, held = ask.path.removeprefix("/").partition(",")
    if not comma:
        return Said(400, reason="no comma before the data")
    media_type = unquote(about).strip()
    body = unquote_to_bytes(held)
    if media_type.lower().endswith(";base64"):
        media_type = media_type[: -len(";base64")].rstrip()
        try:
            body = _octets(body)
        except binascii.Error as error:
            return Said(400, reason=f"not base64: {error}")
    if media_type.startswith(";"):
        media_type = f"text/plain{media_type}"
    return Said(200, body[: ask.most + 1], (("content-type", media_type or PLAIN),), "OK")


def _octets(text: bytes) -> bytes:
    """Spaces between and missing signs at the end are forgiven, as browsers do."""
    letters = b"".join(text.split()).rstrip(b"=")
    return b64decode(letters + b"=" * (-len(letters) % 4), validate=True)
