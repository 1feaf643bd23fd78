"""Kept runs as lines of tagged text, with the links and the emphasis in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from gossamer.convert.render.kept import Kept
from gossamer.convert.render.spots import Node, Spot


class Lines:
    """Writes runs as lines. The place of a run is its number among the kept ones."""

    def __init__(self, kept: Kept, spots: Sequence[Spot], hrefs: Mapping[int, str]) -> None:
        self._kept = kept
        self._spots = spots
        self._hrefs = hrefs

    def line(self, places: Sequence[int], joint: str = " ") -> str:
        """Runs as one line, with the joint where a block begins or ends."""
        if len(places) == 1 and not self._spots[places[0]].marks:
            return _collapsed(_escaped(self._kept.text(places[0])))
        parts: list[str] = []
        marks: tuple[Node, ...] = ()
        for place in places:
            text = _escaped(self._kept.text(place))
            if text.isspace():
                continue
            wanted = self._spots[place].marks
            picture = wanted[-1] if wanted and wanted[-1][0] == "img" else None
            if picture is not None:
                wanted, text = wanted[:-1], self._picture(picture, self._kept.text(place))
            same = _common(marks, wanted) if marks else 0
            if same < len(marks):
                parts += [f"</{name}>" for name, _ in reversed(marks[same:])]
            if parts:
                parts.append(self._gap(place, joint))
            if same < len(wanted):
                parts += map(self._opened, wanted[same:])
            parts.append(text)
            marks = wanted
        parts += [f"</{name}>" for name, _ in reversed(marks)]
        return _collapsed("".join(parts))

    def kept_as_is(self, places: Sequence[int]) -> str:
        """Runs whose lines and spaces count."""
        parts: list[str] = []
        for place in places:
            if parts and self._kept.parted[place]:
                parts.append("\n" if not parts[-1].endswith("\n") else "")
            elif parts:
                parts.append("\n" * self._kept.breaks[place])
            parts.append(self._kept.text(place))
        return escape("".join(parts).strip("\n").rstrip(), quote=False)

    def _gap(self, place: int, joint: str) -> str:
        if self._kept.parted[place]:
            return joint
        if self._kept.breaks[place]:
            return "<br>"
        return "" if self._kept.steps[place] == 1 else " "

    def _picture(self, picture: Node, text: str) -> str:
        return f'<img src="{escape(self._hrefs[picture[1]])}" alt="{escape(_collapsed(text))}">'

    def _opened(self, mark: Node) -> str:
        name, element = mark
        return f'<a href="{escape(self._hrefs[element])}">' if name == "a" else f"<{name}>"


def _escaped(text: str) -> str:
    return escape(text, quote=False) if "&" in text or "<" in text or ">" in text else text


def _collapsed(line: str) -> str:
    """White space as single spaces."""
    return " ".join(line.split())


def _common(marks: tuple[Node, ...], others: tuple[Node, ...]) -> int:
    count = 0
    for mark, other in zip(marks, others, strict=False):
        if mark != other:
            break
        count += 1
    return count
