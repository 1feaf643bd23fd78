"""Digests as they stand in other people's WARC files: an algorithm, a colon, and the value in one of four spellings."""

from __future__ import annotations

import hashlib
from base64 import b32encode, urlsafe_b64encode

from gossamer.store.warc.warc import Record

_ALGORITHMS = {"sha1": "sha1", "sha-1": "sha1", "md5": "md5", "sha256": "sha256", "sha-256": "sha256"}
_CODED = (b"\ntransfer-encoding:", b"\ncontent-encoding:")


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
