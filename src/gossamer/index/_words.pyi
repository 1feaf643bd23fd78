"""See `_words.c`."""

from collections.abc import Callable

class Stems:
    def __init__(
        self,
        stem: Callable[[str], str],
        most: int,
        same_start: int = 0,
        pieces: frozenset[str] | None = None,
    ) -> None: ...
    def joined(self, text: str, /) -> str: ...
    def met(
        self,
        text: str,
        terms: tuple[str, ...],
        parts: Callable[[str], tuple[tuple[int, int, int], ...]],
        start: int = 0,
        end: int = ...,
        /,
    ) -> bytes: ...
