"""Headers and footers of OpenDocument files. They stand in the master pages, among what every new file has."""

from __future__ import annotations

from gossamer import tagged
from gossamer.convert.files.flow import Block

_PLACES = frozenset(f"style:{place}{which}" for place in ("header", "footer") for which in ("", "-left", "-first"))
_FIELDS = frozenset(f"text:{name}" for name in ("page-number", "page-count", "sheet-name", "date", "time", "title"))
"""Their text is a sample, not what will be printed."""


class Masters:
    """Takes the elements of the common styles and gives the lines of headers and footers, each once.

    Of the masters of slides only those that are `used` count. Their other placeholders say where to click.
    """

    def __init__(self, used: set[str]) -> None:
        self._used = used
        self._lines: dict[str, None] = {}
        self._is_used = False
        self._within: list[bool] = []
        """For each place and frame that is open, whether it is read."""
        self._words: list[str] | None = None
        self._fields = 0
        self._has_field = False

    @property
    def blocks(self) -> list[Block]:
        return [Block("paragraph", tagged.words(line)) for line in self._lines]

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in _PLACES:
            self._within.append(attributes.get("style:display") != "false")
        elif name == "draw:frame":
            is_text = attributes.get("presentation:class", "") in ("header", "footer", "")
            self._within.append(is_text and self._is_used)
        elif name == "style:master-page":
            self._is_used = attributes.get("style:name") in self._used
        elif name == "text:p" and self._within and self._within[-1]:
            self._words, self._has_field = [], False
        elif name in _FIELDS:
            self._fields += 1
            self._has_field = True

    def end(self, name: str) -> None:
        if name in _PLACES or name == "draw:frame":
            self._within.pop()
        elif name in _FIELDS:
            self._fields -= 1
        elif name == "text:p" and self._words is not None:
            self._keep(" ".join("".join(self._words).split()))
            self._words = None

    def text(self, text: str) -> None:
        if self._words is not None and not self._fields:
            self._words.append(text)

    def _keep(self, line: str) -> None:
        """A word or two beside the number of the page are no text."""
        if line and not (self._has_field and len(line.split()) <= 2):
            self._lines.setdefault(line)
