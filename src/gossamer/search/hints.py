"""Why does a question find less than was meant? No page meets a filter, a prefix was cut, a NOT is a mistake."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches

from gossamer.index.analysis import STEMMERS
from gossamer.search.prefixes import TERMS_MOST
from gossamer.search.query import FIELDS, Field, Filter, Query, Words, atoms, dangling
from gossamer.search.question import addresses, has_term, term_of
from gossamer.search.tokens import has_lone_quote, is_left_open

HINTS_MOST = 5
NAMED_MOST = 5
"""Values that a hint names."""
_CLOSE = 0.75
_SLIP = 0.8
"""How much alike a word before a colon and the name of a filter are: `size:10` is no `site:10`."""
_OPTION = re.compile(r"[a-z]{2}|[A-Z][a-z]{2,7}")
"""`-la`, `-Wall`."""
_PORT = re.compile(r"(?<=[^:/]):\d+(?=/|$)")
_NAME = re.compile(r"[^\W\d]\w+")
_RANGE = re.compile(r"^[<>=]|\.\.")
_COMPARED = re.compile(r"(?:fields\.)?(\w+)[<>]=?\S+")
_OPENED = re.compile(r"(?<!\S)-?\((?=\w)")
_PHRASE = re.compile('"[^"]*"?')
_SHORT = re.compile(r"\w\*")
_LACKING = {
    Field.SITE: "no page is there",
    Field.TYPE: "no page is of that type",
    Field.LANGUAGE: "no page is in that language",
}
_CODES = {name: code for code, name in STEMMERS.items()}

_ELSEWHERE = {
    **dict.fromkeys(("host", "domain", "hostname"), "site"),
    **dict.fromkeys(("url", "allinurl", "path"), "inurl"),
    **dict.fromkeys(("allintitle", "heading"), "title"),
    **dict.fromkeys(("ext", "format", "mime", "mimetype"), "type"),
    **dict.fromkeys(("language", "locale"), "lang"),
    **dict.fromkeys(("since", "from"), "after"),
    "until": "before",
    "links": "link",
}
"""What other searches call a filter."""

Having = Callable[[str, str], int]
"""How many pages have a term in a field."""
Values = Callable[[str], Sequence[str]]
"""The terms of a field, the most frequent first."""


def hints(text: str, query: Query, cut: Sequence[str], found: int, having: Having, values: Values) -> Iterator[str]:
    """What to tell whoever asked, a sentence each."""
    for atom in dict.fromkeys(atom for atom, _ in atoms(query.clauses)):
        if isinstance(atom, Filter) and has_term(atom) and not having(*term_of(atom)):
            yield f"{atom.field}:{atom.value}: {_LACKING[atom.field]}; {_instead(atom, having, values)}"
        elif isinstance(atom, Filter) and atom.field is Field.LINK and not addresses(atom.value):
            yield f"link:{atom.value}: that is no address; write it like link:example.org/page"
        elif isinstance(atom, Words) and _SHORT.fullmatch(atom.text) and not atom.phrase:
            yield f"{atom.text}: two letters before the star are needed to look for what begins so"
    if is_left_open(text):
        yield 'a quotation mark is not closed: all behind it was taken for a phrase; write one more " where it ends'
    elif has_lone_quote(text):
        yield "a quotation mark stands alone and was left out; a phrase has one before it and one behind it"
    if len(_OPENED.findall(bare := _PHRASE.sub("", text))) > bare.count(")"):
        yield "a parenthesis is not closed, and was closed at the end; write one more ) where it ends"
    for operator in dict.fromkeys(dangling(text)):
        yield f"{operator} has nothing on one side and was left out; write it between two words, or in quotes"
    for prefix in cut:
        yield f"{prefix}*: many words begin so; the {TERMS_MOST} most frequent are looked for"
    yield from _left_out(query, found)


def slips(query: Query, found: int, fields: Iterable[str]) -> Iterator[str]:
    """Filters that are none; `fields` are those that page functions gave."""
    for atom in dict.fromkeys(atom for atom, _ in atoms(query.clauses)):
        if isinstance(atom, Filter) and atom.name and not found and _RANGE.search(atom.value):
            yield f"{atom.name}:{atom.value}: {_no_ranges(atom.name)}"
        if isinstance(atom, Words) and not atom.phrase and not _SHORT.fullmatch(atom.text):
            yield from _filter_by_another_name(atom.text, found, sorted(fields))
            if (compared := _COMPARED.fullmatch(atom.text)) and compared[1].lower() in fields:
                yield f"{atom.text}: was looked for as words; {_no_ranges(compared[1].lower())}"


def _no_ranges(name: str) -> str:
    cure = f"`gossamer export DIR jsonl --fields url,fields.{name}` writes them to compare"
    return f"fields are found by their words, there are no ranges; {cure}"


def _filter_by_another_name(text: str, found: int, fields: Sequence[str]) -> Iterator[str]:
    name, colon, value = text.partition(":")
    if not colon or value.startswith("/"):
        return
    if name.lower() in FIELDS and not value:
        yield f"{text} has nothing right behind it, and was looked for as a word; write {text}word, without a space"
    known, low = (*FIELDS, *fields), name.lower().removeprefix("fields.")
    mixed = [each for each in known if each == low or sorted(each) == sorted(low)]
    near = [_ELSEWHERE.get(low, ""), *mixed, *get_close_matches(low, known, 1, _SLIP)]
    said = f"{text}: {name}: is no filter, and was looked for as words"
    if value and (meant := next(filter(None, near), "")):
        yield f"{said}; did you mean {meant}:{value}?"
    elif value and not found and _NAME.fullmatch(name):
        theirs = f", and the fields of page functions here: {', '.join(fields[:NAMED_MOST])}" if fields else ""
        yield f"{said}; `gossamer help search` names the filters{theirs}"


def _left_out(query: Query, found: int) -> Iterator[str]:
    """What may be the option of a command: what looks like one, and where nothing is found anything."""
    for clause in query.clauses:
        for atom in clause.alternatives if clause.negated and len(clause.alternatives) == 1 else ():
            plain = isinstance(atom, Words) and not (atom.phrase or atom.title or atom.address)
            if isinstance(atom, Words) and plain and (not found or _OPTION.fullmatch(atom.text)):
                yield f'-{atom.text} leaves out pages with {atom.text}; write "-{atom.text}" to look for it'


def _instead(wanted: Filter, having: Having, values: Values) -> str:
    field, value = term_of(wanted)
    portless = _PORT.sub("", value)
    if wanted.field is Field.SITE and portless != value and having(field, portless):
        return f"a site is a host on all its ports; write site:{portless}"
    host, _, path = portless.partition("/")
    if wanted.field is Field.SITE and path and (pages := having(field, host)):
        return f"site:{host} has {pages:,}"
    all_known = values("domain" if wanted.field is Field.SITE else field)
    if near := _near(value, all_known):
        return f"did you mean {' or '.join(f'{wanted.field}:{each}' for each in near)}?"
    known = [each for each in all_known if each and "/" not in each]
    more = " ..." if len(known) > NAMED_MOST else ""
    return (
        f"there {'is' if len(known) == 1 else 'are'} {', '.join(known[:NAMED_MOST])}{more}"
        if known
        else "the collection has none"
    )


def _near(value: str, known: Sequence[str]) -> list[str]:
    """By another name, as a part of it, or with a letter that is wrong."""
    code = _CODES.get(value) or value.partition("-")[0]
    if code in known:
        return [code]
    parts = [each for each in known if len(value) > 2 and (value in each.split(".") or each.endswith(f"/{value}"))]
    within = [each for each in known if value.endswith(f".{each}")]
    return (parts or within or get_close_matches(value, known, 2, _CLOSE))[:2]
