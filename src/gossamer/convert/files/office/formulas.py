"""Formulas of Word (Office Math, ECMA-376 part 1, section 22.1), to TeX.

Fractions, roots, powers, sums, brackets and matrices get their shape; letters and signs stay the characters they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_SAID = {"m:chr": "sign", "m:begChr": "begin", "m:endChr": "end"}
"""Elements that say something about the one around them, and what."""
LENGTH_MOST = 20_000
"""Characters of a formula."""


@dataclass(slots=True)
class _Node:
    """An element that is open: what was said about it, and what is in it, by name."""

    name: str
    said: dict[str, str] = field(default_factory=dict)
    inner: list[tuple[str, str]] = field(default_factory=list)

    def of(self, name: str) -> str:
        """What its part of this name holds."""
        return "".join(tex for kind, tex in self.inner if kind == name)


class Formula:
    """Is told of the elements of one formula."""

    def __init__(self) -> None:
        self._open = [_Node("m:oMath")]
        self._room = LENGTH_MOST

    @property
    def is_over(self) -> bool:
        """Its own element has ended."""
        return not self._open

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if (about := _SAID.get(name)) and len(self._open) > 1:
            self._open[-2].said[about] = attributes.get("m:val", "")
        self._open.append(_Node(name))

    def text(self, text: str) -> None:
        """Letters and signs."""
        kept = text[: self._room]
        self._room -= len(kept)
        self._open[-1].inner.append(("", kept))

    def end(self) -> str:
        """An element ends: what it is in TeX."""
        node = self._open.pop()
        tex = _tex(node)
        if self._open:
            self._open[-1].inner.append((node.name, tex))
        return tex


def _tex(node: _Node) -> str:
    e, sub, sup = _group(node.of("m:e")), node.of("m:sub"), node.of("m:sup")
    match node.name:
        case "m:f":
            return f"\\frac{{{node.of('m:num')}}}{{{node.of('m:den')}}}"
        case "m:rad":
            degree = node.of("m:deg")
            return f"\\sqrt{f'[{degree}]' if degree else ''}{{{node.of('m:e')}}}"
        case "m:sSup" | "m:sSub" | "m:sSubSup":
            return e + _scripts(sub, sup)
        case "m:sPre":
            return "{}" + _scripts(sub, sup) + e
        case "m:nary":
            return node.said.get("sign", "∫") + _scripts(sub, sup) + " " + node.of("m:e")
        case "m:limLow" | "m:limUpp":
            return e + _scripts(node.of("m:lim"), "") if node.name == "m:limLow" else e + _scripts("", node.of("m:lim"))
        case "m:bar":
            return f"\\overline{{{node.of('m:e')}}}"
        case "m:d":
            inside = ", ".join(tex for kind, tex in node.inner if kind == "m:e")
            return node.said.get("begin", "(") + inside + node.said.get("end", ")")
        case "m:mr":
            return " & ".join(tex for kind, tex in node.inner if kind == "m:e")
        case "m:m" | "m:eqArr":
            rows = " \\\\ ".join(tex for kind, tex in node.inner if kind in ("m:mr", "m:e"))
            return f"\\begin{{matrix}} {rows} \\end{{matrix}}"
        case "m:func":
            return f"{node.of('m:fName')} {node.of('m:e')}"
    return "".join(tex for _, tex in node.inner)


def _group(tex: str) -> str:
    """What a script belongs to."""
    return tex if len(tex) <= 1 else f"{{{tex}}}"


def _scripts(sub: str, sup: str) -> str:
    return (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "")
