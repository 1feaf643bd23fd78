"""What in a text is not seen, and is not meant to be read?

Soft hyphens and spaces of no width, which keep a word from being found; marks that turn the direction of text; tags,
which programs read and people do not (see `printable`). What scripts need stays: joiners, but between Latin letters;
U+200B in scripts that part words with nothing else; the tags of flags.

The look at a text is compiled, in `_unseen.c`: without, it takes longer than all else that makes a text clean.
"""

from __future__ import annotations

import re

try:
    from gossamer.convert._unseen import look
except ImportError:

    def look(text: str) -> int:  # type: ignore[misc]  # there may be no compiler where it is installed
        """The same, but for texts with half a character it always says that Python has to look."""
        try:
            text.encode()
        except UnicodeEncodeError:
            return HALF
        return UNSEEN | ODD | PILED


__all__ = ["HALF", "MARKS_MOST", "ODD", "PILED", "UNSEEN", "look", "without"]
UNSEEN, ODD, HALF, PILED = 1, 2, 4, 8
"""What `look` finds: something that is not seen; what may not be in normal form C; half a character; more of what may
not be in normal form C than `MARKS_MOST` in a row, as in a pile of accents."""
MARKS_MOST = 30
"""Accents and the like on one letter, as in the Stream-Safe Text Format of Unicode (UAX 15). Putting a pile of them in
order takes time quadratic in its height, and no language has more than a few."""

_USUAL = "\xad\ufeff\u200e\u200f"
_JOINERS = "\u200c\u200d"
_TAGS = "\U000e0000-\U000e007f"
_RUN = re.compile(f"[\xad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb{_TAGS}]+")
_OTHERS = re.compile(f"[^{_JOINERS}]+")
_ALL_TAGS = re.compile(f"[{_TAGS}]+")
_SPACELESS = re.compile("[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf]")
"""Thai, Lao, Tibetan, Burmese, Khmer and their relatives."""
_LAST_LATIN = "\u024f"
_FLAG = "\U0001f3f4"


def without(text: str) -> str:
    """The text without what is not seen. Those that are met most, and are never kept, go first, which is fast."""
    for each in _USUAL:
        text = text.replace(each, "")
    return _RUN.sub(_kept, text) if look(text) & UNSEEN else text


def _kept(found: re.Match[str]) -> str:
    """What stays of some that stand in a row, by what is before and after."""
    run, (start, end) = found[0], found.span()
    before, after = found.string[start - 1 : start], found.string[end : end + 1]
    if run == "\u200b":
        return run if _SPACELESS.match(before) else ""
    if before == _FLAG and _ALL_TAGS.fullmatch(run):
        return run
    return "" if before <= _LAST_LATIN and after <= _LAST_LATIN else _OTHERS.sub("", run)
