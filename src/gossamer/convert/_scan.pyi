"""See `_scan.c`."""

from typing import TypeAlias

Fields: TypeAlias = tuple[
    str, str, tuple[tuple[str, str, str, str], ...], bool, str | None, tuple[tuple[str, str], ...], str
]
"""Those of `html.Scan`."""

def scan(data: bytes, links_most: int, /) -> Fields | None: ...
