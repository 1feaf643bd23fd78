"""What a page says: its title, paragraphs and links, written down as HTML in some encoding."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from gossamer.testing.changes import History
from gossamer.testing.draw import between, fraction, numbers
from gossamer.testing.layout import Layout, topic
from gossamer.testing.links import links, rel
from gossamer.testing.places import Place, Role
from gossamer.testing.prose import paragraphs, prose


class Charset(NamedTuple):
    """An encoding other than UTF-8, and a sentence that is garbage when read in another."""

    label: str
    sentence: str
    bom: bytes = b""


UTF8 = Charset("utf-8", "")
CHARSETS = (
    Charset("windows-1252", "Voix ambiguë d’un cœur qui préfère à l’été les jattes de kiwis."),
    Charset("iso-8859-2", "Příliš žluťoučký kůň úpěl ďábelské ódy."),
    Charset("koi8-r", "Съешь же ещё этих мягких французских булок, да выпей чаю."),
    Charset("windows-1253", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία."),
    Charset("shift_jis", "いろはにほへとちりぬるを、わかよたれそつねならむ。"),
    Charset("gb18030", "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。"),
    Charset("euc-kr", "다람쥐 헌 쳇바퀴에 타고파."),
    Charset("utf-16le", "Zażółć gęślą jaźń, и ещё одна строка.", b"\xff\xfe"),
)


class Written(NamedTuple):
    """A link as it stands in the page."""

    href: str
    text: str
    rel: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A page before it is bytes."""

    title: str
    paragraphs: list[str]
    links: list[Written]
    robots: str = ""
    """The content of a robots meta element, when there is one."""
    charset: Charset = UTF8
    in_meta: bool = False
    """Whether a meta element names the encoding."""

    def encoded(self) -> bytes:
        return self.charset.bom + self.html().encode(self.charset.label)

    def html(self) -> str:
        said = [*self.paragraphs, self.charset.sentence] if self.charset.sentence else self.paragraphs
        return (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{self._meta()}<title>{self.title}</title>\n</head>\n'
            f"<body>\n<h1>{self.title}</h1>\n<p>"
            + "</p>\n<p>".join(said)
            + "</p>\n<ul>\n"
            + "".join([_item(link) for link in self.links])
            + "</ul>\n</body>\n</html>\n"
        )

    def _meta(self) -> str:
        charset = f'<meta charset="{self.charset.label}">\n' if self.in_meta else ""
        return charset + (f'<meta name="robots" content="{self.robots}">\n' if self.robots else "")


def _item(link: Written) -> str:
    rel = f' rel="{link.rel}"' if link.rel else ""
    return f'<li><a href="{escape(link.href)}"{rel}>{link.text}</a></li>\n'


@dataclass(frozen=True, slots=True)
class Author:
    """Writes the pages of one web."""

    layout: Layout
    history: History

    def document(self, place: Place, now: float) -> Document:
        """What stands at a place now."""
        written = [self._written(to, place.host) for to in links(self.layout, place)]
        place = self.layout.served(place)
        mark, charset = self.mark(place), self.charset(place)
        return Document(
            self.layout.sign(place).title,
            paragraphs(self._sentences(place, now)),
            written,
            mark if mark and not self.marked_in_header(place) else "",
            charset,
            in_meta=not charset.bom and not self.charset_in_header(place),
        )

    def _written(self, to: Place, host: int) -> Written:
        """As a page of that host writes it: without the origin where it is its own."""
        target, title = self.layout.sign(to)
        return Written(target if to.host == host else self.layout.url(to), title, rel(to))

    def mark(self, place: Place) -> str:
        """What a page asks of robots."""
        share = self.layout.spec.marks.noindex
        if place.role is Role.PAGE and share and fraction(self.layout.spec.seed, "noindex", *place.key) < share:
            return "noindex"
        return "nofollow" if place.role is Role.CLOSED else ""

    def marked_in_header(self, place: Place) -> bool:
        """Whether it asks in X-Robots-Tag rather than in a meta element."""
        return fraction(self.layout.spec.seed, "marked in header", *place.key) < 0.5

    def charset(self, place: Place) -> Charset:
        spec, key = self.layout.spec, place.original.key
        if not spec.encodings or place.original.role is not Role.PAGE:
            return UTF8
        if fraction(spec.seed, "encoded", *key) >= spec.encodings:
            return UTF8
        return CHARSETS[numbers(1, spec.seed, "charset", *key)[0] % len(CHARSETS)]

    def charset_in_header(self, place: Place) -> bool:
        """Otherwise the page names its encoding itself, in a meta element or by a byte order mark."""
        charset = self.charset(place)
        if charset is UTF8 or charset.bom:
            return charset is UTF8
        return fraction(self.layout.spec.seed, "charset in header", *place.original.key) < 0.5

    def _sentences(self, place: Place, now: float) -> list[list[str]]:
        match place.role:
            case Role.DRAFT:
                edited = self.layout.spec.copies.edited
                return prose(self.layout.spec.seed).edited(self._own(place, now), edited, *place.key)
            case Role.FORM:
                return [*self._template(place), *self._own(place, now)]
            case Role.QUOTE:
                passage = self._own(Place(place.host, Role.PAGE, place.number), now)
                return [*passage[: max(1, len(passage) // 4)], *self._own(place, now)]
        return self._own(place, now)

    def _template(self, place: Place) -> list[list[str]]:
        """As much as the longest of the pages that are built on it say themselves."""
        spec = self.layout.spec
        return prose(spec.seed).sentences(spec.words[1], topic(spec.seed, place.host), "template", place.host)

    def _own(self, place: Place, now: float) -> list[list[str]]:
        """The last quarter is what changes with time."""
        spec, original = self.layout.spec, place.original
        words, nouns = prose(spec.seed), topic(spec.seed, place.host)
        count = round(between(*spec.words, fraction(spec.seed, "length", *original.key)))
        lasting = words.sentences(count * 3 // 4, nouns, *original.key)
        version, _ = self.history.version(original, now)
        rest = max(1, count - sum(map(len, lasting)))
        return lasting + words.sentences(rest, nouns, *original.key, version)
