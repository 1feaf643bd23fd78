"""See `_scan.c`."""

from typing import TypeAlias

Arrays: TypeAlias = tuple[
    bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes
]
"""The fields of `outline.Outline`, numbers in the order of bytes of the machine."""

Fields: TypeAlias = tuple[
    str,
    str,
    tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes],
    bool,
    str | None,
    tuple[tuple[str, str], ...],
    str,
    int,
    tuple[int, int],
    Arrays | None,
]
"""Those of `html.Scan`; links are columns, see `pointers`."""

def pointers(
    columns: tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes], places: tuple[str, ...], /
) -> tuple[tuple[str, str, str, str], ...]: ...
def scan(data: bytes, links_most: int, outlined: bool, /) -> Fields | None: ...
