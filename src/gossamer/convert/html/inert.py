"""How is a page shown that is not trusted? As it looked, and so that nothing in it runs, loads, sends or leads away.

The page is parsed and written anew from what is known to be harmless: elements and attributes that are on a list. All
else is left out, whether it has a name by now or gets one later; so nothing has to be recognised as dangerous. Text and
values are escaped as they are written, and styles are gathered in the head, because only there their end is certain. A
link is handed to the caller, who says where it leads. A picture is shown if the page itself holds it, as a data URL;
what was kept with the page is put into it in that form (`dressing`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import NamedTuple

from gossamer.convert.charset.decode import utf8
from gossamer.convert.html.defuse import TAGS_MOST, Bounded, bounded, tame
from gossamer.convert.html.inlining import Dress, Holder
from gossamer.convert.html.requisites import candidates
from gossamer.convert.html.tree import Node, Tree, as_html, parse
from gossamer.urls import resolve

NODES_MOST = 200_000
"""Elements and texts that are written; each takes some microseconds."""
CUT = '<hr><p class="cut">The page goes on; the rest is too much to be shown.</p>'


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SHOWN = _names(
    "a abbr acronym address area article aside b bdi bdo big blockquote br button caption center cite code col "
    "colgroup data dd del details dfn dialog dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 "
    "h6 header hgroup hr i img input ins kbd label legend li main map mark menu meter nav ol optgroup option output "
    "p pre progress q rp rt ruby s samp search section select small span strike strong sub summary sup table tbody "
    "td textarea tfoot th thead time tr tt u ul var wbr"
)
_DROPPED = _names(
    "applet audio base canvas embed fencedframe frame frameset head iframe link meta noembed noframes object portal "
    "script style svg template title video"
)
"""With all that is in them. Of other elements that are not shown, what is in them is."""
_PLAIN = {"listing": "pre", "plaintext": "pre", "xmp": "pre"}
"""Elements whose text is no markup, and what stands for them: there text is escaped."""
_VOID = _names("area br col hr img input wbr")
_ATTRIBUTES = _names(
    "abbr align alt aria-hidden aria-label axis bgcolor border cellpadding cellspacing char charoff checked class "
    "clear color cols colspan compact coords datetime dir disabled face frame headers height high hspace id label "
    "lang low max maxlength min multiple name noshade nowrap open optimum placeholder readonly reversed role rows "
    "rowspan rules scope selected shape size span start style summary text title type usemap valign value vspace "
    "width wrap"
)
_PICTURE = re.compile(r"data:image/(?:avif|bmp|gif|jpeg|png|webp)[;,]", re.IGNORECASE).match
_LOADS = re.compile(r"url\((?!\s*[\"']?\s*data:)|image-set\(|src\(", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})\s?|([G-Zg-z]))")
_IMPORT = re.compile("@import", re.IGNORECASE)
_DOCTYPE = re.compile(rb"\s*(?:<!--.*?-->\s*)*<!doctype", re.IGNORECASE | re.DOTALL).match
_LOOKED = 2_000
"""Bytes in which the document type is looked for: without it a browser lays out as those of 1998 did."""


class Original(NamedTuple):
    """A page as it came, without its transfer and content codings."""

    data: bytes
    encoding: str
    """By its WHATWG name."""
    url: str
    xml: bool = False
    """It is of the kind that is written as XML."""


def inert(original: Original, link: Callable[[str], str], held: Holder = lambda url: None) -> str:
    """A page as a browser may show it. `link` gives the address that stands for the target of a link, `held` what was
    kept of an address that the page needs."""
    data = utf8(as_html(original.data) if original.xml else original.data, original.encoding)
    root = title = ""
    found = Bounded(tame(data), cut=False) if data.count(b"<") <= TAGS_MOST else bounded(data)
    writer = _Writer(link, Dress(held), cut=found.cut)
    for number, piece in enumerate(found.pieces):
        tree = parse(piece, scripting=False)
        if not number:
            root, title, writer.base = _root(tree), _title(tree), _base(tree, original.url)
        writer.write(tree)
    kind = "<!doctype html>\n" if _DOCTYPE(data[:_LOOKED]) else ""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title>{writer.styles}'
    return f"{kind}<html{root}><head>{head}</head>\n<body{writer.body}>{writer.text}</body></html>\n"


def _root(tree: Tree) -> str:
    return _attributes(tree.root.attributes) if tree.root is not None else ""


def _title(tree: Tree) -> str:
    found = tree.css_first("title")
    return found.text() if found is not None else ""


def _base(tree: Tree, url: str) -> str:
    found = tree.css_first("base[href]")
    href = found.attributes.get("href") if found is not None else None
    return (resolve([href], url)[0] if href else None) or url


class _Writer:
    """Writes the bodies of pieces, one after the other."""

    def __init__(self, link: Callable[[str], str], dress: Dress, *, cut: bool) -> None:
        self.base = ""
        self.body = ""
        """Its attributes."""
        self._link = link
        self._dress = dress
        self._parts: list[str] = []
        self._styles: list[str] = []
        self._hrefs: dict[str, str | None] = {}
        self._left = NODES_MOST
        self._cut = cut

    @property
    def text(self) -> str:
        """What stands in the body."""
        return "".join(self._parts) + (CUT if self._cut or self._left <= 0 else "")

    @property
    def styles(self) -> str:
        """As elements of the head."""
        return "".join(f"<style>{style}</style>" for style in self._styles)

    def write(self, tree: Tree) -> None:
        """One more piece."""
        self._styles += (_style(self._sheet(each)) for each in tree.css('style, link[rel~="stylesheet" i][href]'))
        # The selectors find `xlink:href` in a drawing, too.
        hrefs = [href for each in tree.css("a[href], area[href]") if (href := each.attributes.get("href"))]
        self._hrefs = dict(zip(hrefs, resolve(hrefs, self.base), strict=True))
        if tree.body is not None:
            self.body = self.body or self._attributes(tree.body.attributes)
            self._walk(tree.body)

    def _sheet(self, node: Node) -> str:
        """The text of a style element, or of the stylesheet that a link element names."""
        attributes = node.attributes
        if node.tag == "style":
            return self._dress.style(node.text(), self.base)
        if "alternate" in (attributes.get("rel") or "").lower().split() or "disabled" in attributes:
            return ""
        return self._dress.sheet(attributes.get("href") or "", self.base, attributes.get("media") or "")

    def _attributes(self, attributes: Mapping[str, str | None]) -> str:
        style = attributes.get("style") or ""
        dressed = {**attributes, "style": self._dress.style(style, self.base)} if "(" in style else attributes
        if (background := attributes.get("background")) and (found := self._dress.picture(background, self.base)):
            dressed = {**dressed, "style": f'background-image: url("{found}"); {dressed.get("style") or ""}'}
        return _attributes(dressed)

    def _walk(self, top: Node) -> None:
        """Without recursion: pages are as deep as somebody likes."""
        node, depth = top.child, 0
        while node is not None and self._left > 0:
            self._left -= 1
            inner = node.child if self._open(node) else None
            if inner is not None:
                node, depth = inner, depth + 1
                continue
            while node is not None and node.next is None and depth:
                node, depth = node.parent, depth - 1
                self._close(node)
            node = node.next if node is not None else None
        while node is not None and depth:
            node, depth = node.parent, depth - 1
            self._close(node)

    def _open(self, node: Node) -> bool:
        """Write the beginning; whether what is in it is to be written too. What has nothing in it is closed at once."""
        if node.is_text_node:
            self._parts.append(escape(node.text_content or "", quote=False))
            return False
        name = _name(node)
        if name is None or name in _DROPPED:
            return False
        if name in _SHOWN:
            self._parts.append(f"<{name}{self._pointer(name, node.attributes)}{self._attributes(node.attributes)}>")
            # A parser passes over the first line break in these, so that of the page would be lost.
            if name in ("pre", "textarea"):
                self._parts.append("\n")
            if node.child is None and name not in _VOID:
                self._parts.append(f"</{name}>")
        return name not in _VOID

    def _close(self, node: Node | None) -> None:
        name = _name(node) if node is not None else None
        if name in _SHOWN:
            self._parts.append(f"</{name}>")

    def _pointer(self, name: str, attributes: Mapping[str, str | None]) -> str:
        """The one attribute that leads somewhere, or shows something."""
        if name in ("a", "area"):
            href = attributes.get("href") or ""
            target = self._hrefs.get(href)
            place = href if href.startswith("#") else self._link(target) if target else ""
            return f' href="{escape(place)}"' if place else ""
        if name != "img":
            return ""
        source = attributes.get("src") or next(candidates(attributes.get("srcset") or ""), "")
        shown = source if _PICTURE(source) else self._dress.picture(source, self.base)
        return f' src="{escape(shown)}"' if shown else ""


def _name(node: Node) -> str | None:
    name = node.tag if node.is_element_node else None
    return _PLAIN.get(name, name) if name is not None else None


def _attributes(attributes: Mapping[str, str | None]) -> str:
    shown = ((name, value or "") for name, value in attributes.items() if name in _ATTRIBUTES)
    return "".join(f' {name}="{escape(_style(value) if name == "style" else value)}"' for name, value in shown)


def _style(css: str) -> str:
    """Styles that load nothing. A policy of the server says the same to the browser, in case one is written in a way
    that is not seen here."""
    plain = _ESCAPE.sub(_letter, css)
    return _IMPORT.sub("@none", _LOADS.sub("none(", plain)).replace("</", "<\\/")


def _letter(escaped: re.Match[str]) -> str:
    """Names may be written with escapes, such as `u\\72l`. Signs that are escaped for a reason stay so."""
    code = int(escaped[1], 16) if escaped[1] else ord(escaped[2])
    return chr(code) if code < 0x80 and chr(code).isalpha() else escaped[0]
