"""The words that made pages are written with, by their place in a sentence."""

from __future__ import annotations

_LISTS = {
    "noun": """
        river lamp bridge garden window harbour engine market letter mountain teacher forest kitchen
        station paper island winter village machine doctor bottle castle shadow candle farmer ladder
        mirror pocket ribbon saddle tunnel valley wagon anchor basket copper desert feather glacier hammer
        insect jacket kettle lantern meadow needle orchard painter quarry rocket sailor temple umbrella
        violin weaver barrel canyon drawer elbow fountain granite hedge ivory jungle kingdom lemon marble
        nephew oyster parrot quilt raven spider thunder uncle velvet willow yard acorn blanket compass
        dragon evening falcon grain helmet inlet jewel kernel linen mill night ocean pebble queen rope
        silver tower union vine whale yarn zebra bell cloud door field gate hill ink kite leaf moss nest
        oak plum reed stone thread urn vase wheel""",
    "adjective": """
        old small quiet bright early heavy distant green narrow gentle strange hollow wooden patient cold
        golden careful deep pale sudden lonely proud crooked rapid modest ancient empty foreign humble
        bitter curious eastern faithful grey honest idle jolly keen lively mild noble odd plain rare sharp
        tidy useful vast warm young""",
    "verb": """
        carries follows finds keeps opens watches holds crosses builds paints gathers hides mends turns
        sells remembers forgets lifts guards answers brings calls draws enters feeds greets hears joins
        knows leads measures names offers passes questions reaches seeks teaches visits wants""",
    "determiner": "the this every one that our their each another his her some",
    "preposition": "in of near under beside over past with before behind along above without",
    "adverb": "slowly often never always quickly again seldom gladly",
    "conjunction": "and but while because so",
}

WORDS: dict[str, list[str]] = {slot: words.split() for slot, words in _LISTS.items()}

PATTERNS: tuple[tuple[str, ...], ...] = tuple(
    tuple(pattern.split())
    for pattern in (
        "determiner adjective noun verb determiner noun",
        "determiner noun verb preposition determiner adjective noun",
        "determiner noun adverb verb determiner noun preposition determiner noun",
        "adverb determiner noun verb determiner adjective noun preposition determiner noun",
        "determiner noun verb determiner adjective noun conjunction determiner noun verb determiner noun",
        "determiner noun verb determiner noun",
        "determiner adjective noun verb preposition determiner noun preposition determiner noun",
        "determiner noun preposition determiner noun verb determiner adjective noun",
    )
)
"""Sentences as slots to be filled; the first noun is the subject."""
