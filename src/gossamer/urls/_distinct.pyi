"""See `_distinct.c`."""

from collections.abc import Callable

def distinct(
    hrefs: bytes, ends: bytes, marks: bytes, page: str, otherwise: Callable[[str], str | None], /
) -> tuple[tuple[str, ...], bytes, bytes, bytes]: ...
