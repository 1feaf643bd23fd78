"""See `_score.c`."""

from typing import Any

def scores(
    outline: tuple[Any, ...], weights: tuple[Any, ...], networks: int, width: int, vector: int, /
) -> tuple[bytes, bytes]: ...
def blocks(outline: tuple[Any, ...], /) -> tuple[bytes, bytes]: ...
