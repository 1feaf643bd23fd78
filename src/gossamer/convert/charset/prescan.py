"""Does a document say what its encoding is? The prescan of the HTML standard (section 13.2.3.2), on bytes.

Where the letter of the standard and the browsers part, we go with the browsers:

- The standard stops after 1,024 bytes. Browsers read on to the end of the head, so we do.
- The standard sees a meta element inside a title or a script. Browsers skip what is not markup. But if all bytes of
  a document are ASCII the answer makes no difference to its text, and then the letter holds.
"""

from __future__ import annotations

import re

from gossamer.convert.charset.labels import encoding_named

_UNCONDITIONAL = 1024
_TAG = re.compile(rb"<(?:(!--)|(/?)([A-Za-z][^\t\n\f\r />]*+)|[!/?])")
_ATTRIBUTE = re.compile(
    rb"""[\t\n\f\r /]*+ ([^\t\n\f\r />][^\t\n\f\r />=]*+)
    (?: [\t\n\f\r ]*+ = [\t\n\f\r ]*+
        (?: "([^"]*+)(?:"|\Z) | '([^']*+)(?:'|\Z) | ([^\t\n\f\r >]*+) ) | (?!) )?+""",
    re.VERBOSE,
)
_TAG_END = re.compile(rb"[\t\n\f\r /]*+>")
_IN_CONTENT = re.compile(
    rb"""charset [\t\n\f\r ]*+ = [\t\n\f\r ]*+
    (?: "([^"]*+)" | '([^']*+)' | ([^\t\n\f\r ;"'][^\t\n\f\r ;]*+) | ["'] )""",
    re.VERBOSE | re.IGNORECASE,
)
_XML = re.compile(rb"""<\?xml[^>]*?encoding[\0-\x20]*+=[\0-\x20]*+(?:"([^">\0-\x20]*+)"|'([^'>\0-\x20]*+)')[^>]*+>""")

_IN_HEAD = frozenset(b"script noscript style link meta object title base".split())
_OUTER = frozenset((b"html", b"head"))
_NOT_MARKUP = {
    name: re.compile(rb"</%s(?=[\t\n\f\r />])" % name, re.IGNORECASE)
    for name in b"title textarea style xmp iframe noembed noframes script".split()
}


def declared_in_html(data: bytes) -> str | None:
    """The encoding that the document itself names, in its XML declaration or a meta element."""
    if data.startswith((b"<\0?\0x\0", b"\0<\0?\0x")):
        return "UTF-16BE" if data[0] == 0 else "UTF-16LE"
    found = _declared_in_meta(data, as_browsers=True)
    if found is None and data.isascii():
        found = _declared_in_meta(data, as_browsers=False)
    return found or declared_in_xml(data)


def declared_in_xml(data: bytes) -> str | None:
    """The encoding that an XML declaration names."""
    found = _XML.match(data)
    return _usable(found[1] or found[2] or b"") if found else None


def _declared_in_meta(data: bytes, *, as_browsers: bool) -> str | None:
    position = 0
    in_head = True
    while (tag := _TAG.search(data, position)) and (in_head or tag.start() < _UNCONDITIONAL):
        name = tag[3].lower() if tag[3] else b""
        if not name:
            position = _after(data, b"-->", tag.start() + 2) if tag[1] else _after(data, b">", tag.end())
            continue
        position, attributes = _attributes(data, tag.end())
        if position > len(data):
            return None
        if not tag[2]:
            if name == b"meta" and (encoding := _meta_encoding(attributes)):
                return encoding
            if as_browsers and name in _NOT_MARKUP:
                end = _NOT_MARKUP[name].search(data, position)
                position = end.start() if end else len(data)
        in_head = in_head and (name in _IN_HEAD or (name in _OUTER and not tag[2]))
    return None


def _after(data: bytes, mark: bytes, start: int) -> int:
    found = data.find(mark, start)
    return found + len(mark) if found >= 0 else len(data)


def _attributes(data: bytes, position: int) -> tuple[int, dict[bytes, bytes]]:
    """The attributes of a tag and where it ends, which is behind the data if it does not."""
    attributes: dict[bytes, bytes] = {}
    while found := _ATTRIBUTE.match(data, position):
        attributes.setdefault(found[1].lower(), found[2] or found[3] or found[4] or b"")
        position = found.end()
    end = _TAG_END.match(data, position)
    return (end.end() if end else len(data) + 1), attributes


def _meta_encoding(attributes: dict[bytes, bytes]) -> str | None:
    if b"charset" in attributes:
        return _usable(attributes[b"charset"])
    if attributes.get(b"http-equiv", b"").lower() != b"content-type":
        return None
    found = _IN_CONTENT.search(attributes.get(b"content", b""))
    return _usable(found[1] or found[2] or found[3] or b"") if found else None


def _usable(label: bytes) -> str | None:
    """A label in readable ASCII cannot truly mean UTF-16, and x-user-defined was meant for other things."""
    encoding = encoding_named(label.decode("latin-1"))
    return {"UTF-16BE": "UTF-8", "UTF-16LE": "UTF-8", "x-user-defined": "windows-1252"}.get(encoding or "", encoding)
