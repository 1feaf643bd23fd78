"""Is it Japanese, Chinese or Korean in an encoding of two bytes a character? By the characters that it would have.

Text of one of these languages uses few characters over and over: some two hundred make half of any page, and in
Japanese it is the kana. Bytes that are read in the wrong encoding give rare characters instead, if they can be read at
all. So each encoding is tried, and the one with the most frequent characters wins. A few invalid bytes do no harm:
pages cut their headlines in the middle of a character.
"""

from __future__ import annotations

import re

from gossamer.convert.charset.decode import python_codec
from gossamer.lazy import pattern

_FIRST_LOOK = 256
"""Bytes. What is invalid takes long to decode, and most text of other languages is seen to be so at once."""
_FOUND_LEAST = 3
"""Frequent characters; two may be chance."""
_FREQUENT_LEAST = 0.3
_INVALID_MOST = 0.08
"""Shares of the characters beyond ASCII."""

_KANA = "\u3041-\u3096\u30a1-\u30fc、。「」"
_SIMPLIFIED = """
，。、！？：“”的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可
里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样
现分将外但身些与高意进把法此实回二理美点月明其种声全工己话者向情部正名定女问力机给等几业最间新什打便位因重被走
电四第门相次东政海口使教西再平真
"""
_TRADITIONAL = """
，。、！？：「」的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可
裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣
現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話者向情部正名定女問力機給等幾業最間新什打便位因重被走
電四第門相次東政海口使教西再平真
"""
_SYLLABLES = """
이다는의에을가고를하은지로한기도사인자리서어아나대그시정수일들해있으보라전과만면부스주여제상원요것등니습까장신
문구성업생화동공게음안소비중입할국선용내모조관경했되오당미개계치우불식교회체위마발거와연행물방법학적무통분세영
년때말드트러레력결최더알르단없저간현려유진실민운산차명각강반본종남북노양표특재타금복확작설준
"""

_FREQUENT = tuple(
    (name, python_codec(name), pattern(f"[{''.join(characters.split())}]"))
    for name, characters in (
        ("EUC-JP", _KANA),
        ("Shift_JIS", _KANA),
        ("GBK", _SIMPLIFIED),
        ("Big5", _TRADITIONAL),
        ("EUC-KR", _SYLLABLES),
        ("johab", _SYLLABLES),
    )
)


def asian(sample: bytes) -> str | None:
    """The encoding of a text in one of these languages; None when it is another or too odd to tell."""
    start = sample[:_FIRST_LOOK]
    shares = {
        name: _share(sample.decode(codec, "replace"), frequent)
        for name, codec, frequent in _FREQUENT
        if _is_valid(start.decode(codec, "replace"))
    }
    best = max(shares, key=lambda name: shares[name], default="")
    return best if shares.get(best, 0.0) >= _FREQUENT_LEAST else None


def _share(text: str, frequent: re.Pattern[str]) -> float:
    """How much of what is beyond ASCII is frequent characters; none when too much is invalid."""
    found = len(frequent.findall(text)) if _is_valid(text) else 0
    return found / _beyond_ascii(text) if found >= _FOUND_LEAST else 0.0


def _is_valid(text: str) -> bool:
    """But for a few places, and for a character that was cut off at the end."""
    return text.count("\ufffd") - 1 <= _INVALID_MOST * _beyond_ascii(text)


def _beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))
