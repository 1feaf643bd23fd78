"""What does a row say? One that does not decode is damage, like a table that cannot be read.

Nothing of ours writes such a row, and the checksums of a table that somebody else has written agree with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from gossamer.errors import Damaged

T = TypeVar("T")


def decoder(kind: type[T]) -> Callable[[bytes], T]:
    """From the stored form of a row to its value."""
    decode = msgspec.msgpack.Decoder(kind).decode

    def decoded(data: bytes) -> T:
        try:
            return decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Damaged(
                f"a row of the table, {kind.__name__}, cannot be read ({error}); `gossamer verify DIR --repair` makes"
                " the table again from the archive"
            ) from error

    return decoded
