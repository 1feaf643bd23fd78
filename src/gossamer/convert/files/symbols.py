"""Characters of fonts that have signs where others have letters. Only the font Symbol is known; bullets are bullets."""

from __future__ import annotations

_FIRST = 0x20
_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
    + " " * 34
    + "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"
)


def symbol(number: int) -> str:
    """The character of the font Symbol; nothing where that has none. Word adds 0xF000 to its number."""
    place = (number & 0xFF) - _FIRST
    return _SYMBOL[place].strip() if 0 <= place < len(_SYMBOL) else ""
