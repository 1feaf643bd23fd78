"""Exact copies: the same bytes under another address. They are marked, never dropped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gossamer.model import Page


class Copies:
    """Marks pages whose digest is known from another address."""

    def __init__(self, first: Callable[[str], str | None]) -> None:
        """`first` gives the address that a digest was met at first."""
        self._first = first

    def mark(self, page: Page) -> Page:
        """The page, with `copy_of` set when it is one."""
        first = self._first(page.digest) if page.digest else None
        return page if first is None or first == page.url else replace(page, copy_of=first)
