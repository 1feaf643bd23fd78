"""What may stand on a terminal? What strangers wrote, without what moves a cursor, paints, or turns words around.

Everything that is printed, logged or written as JSON goes through here. What is escaped are the control characters (C0,
C1, DEL), those that turn the direction of text (Unicode's Bidi_Control; see Boucher and Anderson, "Trojan Source",
2021), separators of lines and paragraphs, and marks that nobody sees: tags, interlinear notes, zero-width spaces. What
scripts need stays: joiners, wide and narrow spaces. In JSON an escape is the same value to every program.
"""

from __future__ import annotations

import json as _json
import logging
import re
import shlex
from datetime import UTC, datetime, timedelta
from math import isfinite

from gossamer.lazy import pattern

_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_BLANK = "\u034f\u115f\u1160\u180e\u3164\uffa0\ufffe\uffff\U0001d173-\U0001d17a"
"""Letters, joints and signs of music that have no shape. The soft hyphen stays: it is in the words of honest pages."""
_UNSEEN = "\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f" + _BLANK
_HARMFUL = _CONTROL + _UNSEEN
_LONE = "\ud800-\udfff"
"""Half a character: what file names that are not UTF-8 are made of. No output can be encoded with it."""
_IN_TEXT = pattern(f"[{_HARMFUL}{_LONE}]")
_IN_LINE = pattern(f"[\n\t{_HARMFUL}{_LONE}]")
_IN_JSON = pattern(f"[{_HARMFUL}]")
_HALF = pattern(f"[{_LONE}]")
_in_json = _json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
CUT = 200
_LOGIN = pattern(r"(?<![^\s/?#'\"@])(?!mailto:[^\s:@]*@)[^\s/?#'\"@]*:[^\s/?#@]*@", re.IGNORECASE)
"""A name and a password, which no message repeats; an address of mail has none."""
_COMMAND = pattern(r"(`gossamer \w+(?: (?:add|list|remove|run))?) DIR\b")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def text(said: str) -> str:
    """For people; newlines and tabs stay."""
    return _IN_TEXT.sub(_escape, said)


def line(said: str) -> str:
    """The same for what must not begin another line."""
    return _IN_LINE.sub(_escape, said)


def cut(said: str, most: int = CUT) -> str:
    """The beginning of what is repeated in a message, where it is longer than a person would read."""
    return said if len(said) <= most else f"{said[:most]}... ({len(said):,} characters)"


def repeated(said: str, most: int = CUT) -> str:
    """What somebody gave, for a message about it: cut, and not within a password."""
    return cut(without_login(said), most)


def without_login(words: str) -> str:
    """Names and passwords that stand before a host are left out."""
    return _LOGIN.sub("...@", words)


def pasted(words: str, folder: str) -> str:
    """The commands that a message names, with the directory that it is about, so that they can be pasted.

    Only who shows it knows what the directory is called: below, a message says DIR."""
    return _COMMAND.sub(lambda found: f"{found[1]} {shlex.quote(folder)}", words)


def json(value: object) -> str:
    """For machines, on one line. Half a character becomes U+FFFD: many readers refuse it, escaped or not. A number that
    has no end becomes null: JSON has none."""
    try:
        said = _in_json(value)
    except ValueError:
        said = _in_json(_with_an_end(value))
    whole = _HALF.sub("\ufffd", said)
    return _IN_JSON.sub(lambda found: _json.dumps(found[0])[1:-1], whole)


def _with_an_end(value: object) -> object:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {key: _with_an_end(each) for key, each in value.items()}
    return [*map(_with_an_end, value)] if isinstance(value, list | tuple) else value


class _Harmless(logging.Filter):
    """What is logged names addresses and repeats what readers complained about."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = text(record.getMessage()), ()
        return True


log = logging.getLogger("gossamer")
"""The one logger of all parts, in every process."""
log.addFilter(_Harmless())


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if found[0] in "\n\t\r":
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}[found[0]]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def counted(number: int, what: str, many: str = "") -> str:
    """A number and what it counts."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {many or what + ('es' if what.endswith('s') else 's')}"


def on_calendar(moment: float | None) -> datetime | None:
    """Seconds since 1970 as a time of UTC; None for what no calendar has."""
    if moment is None:
        return None
    try:
        return _EPOCH + timedelta(seconds=round(moment))
    except (OverflowError, ValueError):
        return None


def timestamp(moment: float | None) -> str | None:
    """The same as RFC 3339 has it."""
    known = on_calendar(moment)
    return f"{known:%Y-%m-%dT%H:%M:%SZ}" if known else None


def size(octets: float) -> str:
    """Bytes in a unit that people can read."""
    number = float(octets)
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"


def span(seconds: float) -> str:
    """A time that people can read."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5_400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3_600:,.1f} h" if seconds < 172_800 else f"{seconds / 86_400:,.0f} days"
