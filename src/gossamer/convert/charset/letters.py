"""What single bytes tell where pairs of letters leave it open: is it written in Latin letters, and in which of two
encodings that differ in a few?

No word is half Latin and half Greek. So where most bytes beyond ASCII stand alone beside an ASCII letter, as in
`citt\\xe0`, all encodings of other scripts are out. The others are told by the letters in which they differ.
"""

from __future__ import annotations

import re

LATIN = frozenset(
    {"windows-1250", "windows-1252", "windows-1254", "windows-1257", "windows-1258", "ISO-8859-2", "ISO-8859-3"}
)
_RUN = re.compile(rb"[A-Za-z]?[\x80-\xff]+[A-Za-z]?")
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ALONE_MOST = 2
"""Bytes beyond ASCII within a word of Latin letters. More are seldom together."""
_AMONG = 4
"""Bytes to each beyond ASCII, in a text of Latin letters."""
_SIGNS = re.compile(rb"[\x00-\x7f\x85\x91-\x97\xa0\xa9\xab\xae\xb0\xb7\xbb]*")
"""What is a quotation mark, a dash or another sign, and no letter, in most encodings of Latin letters."""
_HIGH = re.compile(rb"[\x80-\x9f]")
_NINTH = re.compile(rb"\d ?\xa4|\xa4 ?\d|[A-Za-z][\xa6\xa8\xb4\xb8\xbc\xbd][a-z]|(?<![\w\x80-\xff])[\xbc\xbd][a-z]{2}")
"""Euro, Š, š, Ž, ž, Œ and œ in ISO-8859-15, which are currency, bars, accents and fractions in windows-1252."""
_THIRD = re.compile(rb"[\xa1\xa6\xac\xb1\xb6\xbc\xbf\xc5\xc6\xd5\xd8\xdd\xde\xe5\xe6\xf5\xf8\xfd\xfe]")
"""Letters of Esperanto and Maltese that only ISO-8859-3 has."""
_THIRD_LEAST = 2
"""Different ones: Danish has some of these bytes, too."""
_MAC = re.compile(rb"[\x80-\x9f](?=[\xe0-\xfe])|\xdf")
"""Capitals, and the last letter, of Apple's Cyrillic, which Windows has at other places."""
_WINDOWS = re.compile(rb"[\xc0-\xde\xff]")


def is_latin(sample: bytes) -> bool:
    """Do most bytes beyond ASCII stand within words of ASCII letters?"""
    runs = _RUN.findall(sample)
    sizes = [len(run.strip(_LETTERS)) for run in runs]
    if all(size <= _ALONE_MOST for size in sizes) and len(sample) > _AMONG * sum(sizes):
        return True
    within = sum(len(run) > size <= _ALONE_MOST for run, size in zip(runs, sizes, strict=True))
    return 2 * within > len(runs)


def corrected(sample: bytes, guess: str) -> str:
    """The guess, or the encoding that the letters speak for in which the two differ."""
    if _SIGNS.fullmatch(sample):
        return "windows-1252"
    if guess in ("windows-1252", "windows-1257", "windows-1254") and not _HIGH.search(sample) and _NINTH.search(sample):
        return "ISO-8859-15"
    if guess == "ISO-8859-3" and len(set(_THIRD.findall(sample))) < _THIRD_LEAST:
        return "windows-1252"
    if guess == "x-mac-cyrillic" and len(_WINDOWS.findall(sample)) >= len(_MAC.findall(sample)):
        return "windows-1251"
    return guess
