"""See `_words.c`."""

from collections.abc import Callable

class Stems:
    def __init__(self, stem: Callable[[str], str], most: int) -> None: ...
    def joined(self, text: str, /) -> str: ...
