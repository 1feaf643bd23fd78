"""Which forms has a page? Where each sends what is filled in, and which fields it has.

They are read from the tree of the page, apart from its words and links: most crawls want none, and the reader that
every page goes through knows nothing of them. The rules are those of the HTML standard for what is sent ("constructing
the entry list"): a control without a name or that is disabled is no part of it, and of radio buttons the chosen one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from gossamer.convert.charset.charset import judged
from gossamer.convert.charset.decode import python_codec, utf8
from gossamer.convert.charset.labels import encoding_named
from gossamer.convert.html.defuse import tame
from gossamer.convert.html.tree import Node, Tree, parse
from gossamer.convert.type import mime
from gossamer.model import HTML, URL, Capture
from gossamer.urls import resolve

FORMS_MOST = 50
_CONTROLS_MOST = 200
_OPTIONS_MOST = 1_000
_LABEL_MOST = 200
"""Characters."""
_WORDS_MOST, _SHOWN_MOST = 100_000, 2_000
_POSTS = re.compile(r"post|method|action|fetch|XMLHttp", re.IGNORECASE)
_CONTROLS = "input, select, textarea, button"
_BUTTONS = frozenset({"submit", "image", "button", "reset"})
_NEVER_SENT = frozenset({"UTF-8", "UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE", "replacement"})
"""A form of a page in one of these is sent in UTF-8 (Encoding standard, "get an output encoding")."""


class Control(NamedTuple):
    """A field of a form."""

    kind: str
    """text, search, password, hidden, checkbox, radio, select, textarea, submit and the like."""
    name: str
    value: str = ""
    """What it has before anybody fills it in; of a select the chosen option."""
    options: tuple[tuple[str, str], ...] = ()
    """Of a select or of radio buttons: what is sent, and how it is called."""
    label: str = ""
    """What is written beside it, in it or about it."""
    sent: bool = True
    """Is it sent when nobody touches it? A box that is not ticked is not, nor a button."""


class Form(NamedTuple):
    """What a page asks for."""

    action: URL
    method: str
    """get, post or dialog."""
    controls: tuple[Control, ...]
    words: str
    """What is written in it, with the names by which the page knows it."""
    encoding: str = "utf-8"
    """What it is sent in, by the name that Python knows."""
    files: bool = False
    """It sends files, or text as they are sent."""
    overruled: bool = False
    """A button, or a script of its own, sends it elsewhere or in another way."""


def of_capture(capture: Capture) -> tuple[Form, ...]:
    """The forms of a page as it came."""
    kind = mime.extract(capture.header_values("content-type"))
    if kind is not None and kind.essence not in HTML:
        return ()
    encoding = judged(capture.body, kind).used
    return forms(utf8(capture.body, encoding), capture.visit.url, encoding)


def forms(page: bytes, url: URL, encoding: str = "UTF-8") -> tuple[Form, ...]:
    """The forms of a page that is in UTF-8 now; what it was in before is what its forms are sent in."""
    if b"<form" not in page.lower():
        return ()
    return tuple(islice((form for part in tame(page) for form in _in(parse(part), url, encoding)), FORMS_MOST))


def _in(tree: Tree, url: URL, encoding: str) -> Iterator[Form]:
    labels = {node.attributes.get("for"): _text(node) for node in tree.css("label[for]")}
    base = next((node.attributes.get("href") for node in tree.css("base[href]")), None)
    around = resolve([base], url)[0] or url if base else url
    outside = [node for node in tree.css("[form]") if node.tag in ("input", "select", "textarea", "button")]
    for node in tree.css("form"):
        said = node.attributes
        action = resolve([(said.get("action") or "").strip() or url], around)[0]
        if action is None:
            continue
        mine = [each for each in node.css(_CONTROLS) if not each.attributes.get("form")]
        mine += [each for each in outside if said.get("id") and each.attributes.get("form") == said.get("id")]
        named = " ".join(
            filter(None, (said.get(key) for key in ("id", "name", "class", "role", "aria-label", "title")))
        )
        controls = _controls(mine[:_CONTROLS_MOST], labels)
        method = (said.get("method") or "get").strip().lower()
        yield Form(
            action,
            method if method in ("post", "dialog") else "get",
            controls,
            f"{named} {_words(node)}".strip(),
            _sent_in(said.get("accept-charset") or "", encoding),
            (said.get("enctype") or "").lower().startswith("multipart")
            or any(each.kind == "file" for each in controls),
            _POSTS.search(said.get("onsubmit") or "") is not None
            or any("formaction" in each.attributes or "formmethod" in each.attributes for each in mine),
        )


def _sent_in(accepted: str, page: str) -> str:
    """The first encoding that a form asks for and that there is; else the one of its page."""
    named = (encoding_named(label) for label in accepted.replace(",", " ").split())
    encoding = next(filter(None, named), page)
    return "utf-8" if encoding in _NEVER_SENT else python_codec(encoding)


def _controls(nodes: list[Node], labels: dict[str | None, str]) -> tuple[Control, ...]:
    found: list[Control] = []
    radios: dict[str, int] = {}
    for node in nodes:
        said = node.attributes
        if "disabled" in said:
            continue
        label = _label(node, labels)
        control = _select(node, label) if node.tag == "select" else _other(node, label)
        if control.kind != "radio":
            found.append(control)
        elif control.name not in radios:
            radios[control.name] = len(found)
            found.append(control._replace(options=((control.value, label),), label=""))
        else:
            group = found[radios[control.name]]
            chosen = control.value if control.sent else group.value
            options = (*group.options, (control.value, label))
            found[radios[control.name]] = group._replace(value=chosen, options=options, sent=group.sent or control.sent)
    return tuple(found)


def _other(node: Node, label: str) -> Control:
    said = node.attributes
    name, value = said.get("name") or "", said.get("value")
    if node.tag == "textarea":
        return Control("textarea", name, node.text(deep=True), label=label)
    usual = "submit" if node.tag == "button" else "text"
    kind = (said.get("type") or usual).strip().lower()
    if node.tag == "button" and kind not in _BUTTONS:
        kind = "submit"
    if kind in ("checkbox", "radio"):
        return Control(kind, name, "on" if value is None else value, label=label, sent="checked" in said)
    if kind in _BUTTONS:
        return Control(kind, name, value or "", label=label or value or _text(node), sent=False)
    return Control(kind, name, value or "", label=label)


def _select(node: Node, label: str) -> Control:
    options: list[tuple[str, str]] = []
    chosen = None
    for each in islice(node.css("option"), _OPTIONS_MOST):
        if "disabled" in each.attributes:
            continue
        text = _text(each)
        value = each.attributes.get("value")
        options.append((text if value is None else value, text))
        if "selected" in each.attributes:
            chosen = options[-1][0]
    if chosen is None and options and "multiple" not in node.attributes:
        chosen = options[0][0]
    return Control("select", node.attributes.get("name") or "", chosen or "", tuple(options), label, chosen is not None)


def _label(node: Node, labels: dict[str | None, str]) -> str:
    said = node.attributes
    own = labels.get(said.get("id")) if said.get("id") else None
    if own is None and node.parent is not None and node.parent.tag == "label":
        own = _text(node.parent)
    parts = (own, *(said.get(key) for key in ("aria-label", "placeholder", "title", "alt")), *_pictured(node))
    return " ".join(part for part in parts if part)[:_LABEL_MOST]


def _pictured(node: Node) -> Iterator[str | None]:
    """What the pictures in it are said to show: a button may have no other words."""
    return (each.attributes.get("alt") for each in islice(node.css("img[alt]"), 5))


def _words(node: Node) -> str:
    """What is written in a form, without the options of its fields: those are what it is about, not what it does."""
    text = _text(node, _WORDS_MOST)
    for options in (_text(each, _WORDS_MOST) for each in node.css("select, datalist")):
        text = text.replace(options, " ", 1) if options else text
    return " ".join(text.split())[:_SHOWN_MOST]


def _text(node: Node, most: int = _LABEL_MOST) -> str:
    return " ".join(node.text(deep=True, separator=" ").split())[:most]
