"""The textbook's rules for when two addresses mean one page, and how far each can be trusted.

RFC 3986 section 6 has the part that is always safe; the heuristics beyond it are those that Pant,
Srinivasan and Menczer collect in "Crawling the Web" (2004), with the parameters of today. What is
always safe is the canonical form itself and cannot be switched off. The other rules are off
unless a plan names them, for all sites or for one: a wrong rule loses pages without a trace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum

from gossamer.errors import InvalidPlan
from gossamer.lazy import pattern
from gossamer.model import URL
from gossamer.urls.keys import host
from gossamer.urls.normalize import LONGEST, normalize
from gossamer.urls.sites import registrable


class Safety(StrEnum):
    """How often a rule keeps the meaning of an address."""

    ALWAYS = "always"
    USUALLY = "usually"
    SOMETIMES = "sometimes"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rewriting of a canonical address."""

    name: str
    safety: Safety
    meaning: str
    rewrite: Callable[[URL], URL]


SESSION_SEGMENT = r"\((?:[a-zA-Z]\([0-9a-zA-Z]{24}\))+\)|\([0-9a-zA-Z]{24}\)"
"""A path segment in which ASP.NET keeps its session: `(S(4hqa0555fwsecu455xqckv45))`."""

_SESSION_SEGMENT = pattern(SESSION_SEGMENT)
_SESSION_SUFFIX = pattern(r";(?:jsessionid|phpsessid|sid)=[^;/]*", re.IGNORECASE)
_SESSION = pattern(
    r"(?:j|l|bv_|osc)?sid|(?:jsession|phpsess|sess|session|session_|zen)id|aspsessionid[a-z]{8}|cfid|cftoken",
    re.IGNORECASE,
)
_TRACKING = pattern(
    r"utm_.*|_ga|_gl|gclid|gclsrc|dclid|gbraid|wbraid|srsltid|fbclid|igshid|msclkid|yclid|ysclid|twclid"
    r"|ttclid|li_fat_id|mc_cid|mc_eid|_hsenc|_hsmi|hsctatracking|mkt_tok|vero_id|oly_anon_id|oly_enc_id",
    re.IGNORECASE,
)
_WWW = pattern(r"^(?:www\.)+")
_INDEX = pattern(
    r"/(?:index\.(?:html?|xhtml|shtml|php[345]?|aspx?|jspx?|cgi|pl|cfm)|default\.(?:html?|aspx?))$",
    re.IGNORECASE,
)


def apply(url: URL, names: Collection[str]) -> URL:
    """Rewrite a canonical address by the rules of these names; the result is canonical too."""
    unknown = set(names).difference(_NAMES)
    if unknown:
        raise InvalidPlan(f"unknown rule {min(unknown)!r}; the rules are {', '.join(_NAMES)}")
    for rule in RULES:
        if rule.name in names and (rewritten := rule.rewrite(url)) != url:
            url = normalize(rewritten)  # without a session id `/..;sid=1` climbs
    return url


def _without_session(url: URL) -> URL:
    head, mark, query = url.partition("?")
    scheme, empty, place, path = head.split("/", 3)
    segments = _SESSION_SUFFIX.sub("", path).split("/")
    kept = [segment for segment in segments if not _SESSION_SEGMENT.fullmatch(segment)]
    address = "/".join((scheme, empty, place, *(kept or [""])))
    return _without_parameters(f"{address}{mark}{query}", _SESSION)


def _without_tracking(url: URL) -> URL:
    return _without_parameters(url, _TRACKING)


def _without_parameters(url: URL, names: re.Pattern[str]) -> URL:
    head, _, query = url.partition("?")
    pieces = query.split("&")
    kept = [piece for piece in pieces if not names.fullmatch(piece.partition("=")[0])]
    if len(kept) == len(pieces):
        return url
    rest = "&".join(kept)
    return f"{head}?{rest}" if rest else head


def _without_empty_query(url: URL) -> URL:
    return url.removesuffix("?") if url.find("?") == len(url) - 1 else url


def _without_index(url: URL) -> URL:
    path, mark, query = url.partition("?")
    return f"{_INDEX.sub('/', path)}{mark}{query}"


def _with_slash(url: URL) -> URL:
    name = url.rpartition("/")[2]
    looks_like_file = not name or "." in name or "?" in url
    return url if looks_like_file or len(url) == LONGEST else f"{url}/"


def _without_www(url: URL) -> URL:
    name = host(url)
    domain = registrable(name) or name
    above, below = name[: name.rindex(domain)], name[name.rindex(domain) :]
    return url.replace(f"//{name}", f"//{_WWW.sub('', above)}{below}", 1)


def _with_sorted_parameters(url: URL) -> URL:
    head, mark, query = url.partition("?")
    pieces = sorted(filter(None, query.split("&")), key=lambda piece: piece.partition("=")[0])
    return f"{head}{mark}{'&'.join(pieces)}"


RULES: tuple[Rule, ...] = (
    # In the order they are applied: what one rule does, no later one undoes or makes possible again.
    Rule(
        "canonical",
        Safety.ALWAYS,
        "Mend host case, IDNA, default port, dot segments, escapes; drop fragment and user information.",
        normalize,
    ),
    Rule(
        "session-id",
        Safety.SOMETIMES,
        "Drop session ids from path and query (jsessionid, phpsessid, sid, (S(...)) and the like).",
        _without_session,
    ),
    Rule(
        "tracking",
        Safety.SOMETIMES,
        "Drop parameters that only tell where a reader came from (utm_*, gclid, fbclid and the like).",
        _without_tracking,
    ),
    Rule(
        "parameter-order",
        Safety.SOMETIMES,
        "Sort parameters by name, values of one name in their order; drop empty ones.",
        _with_sorted_parameters,
    ),
    Rule("empty-query", Safety.USUALLY, "Drop a question mark with nothing after it.", _without_empty_query),
    Rule(
        "index-page",
        Safety.SOMETIMES,
        "Drop the file name of a directory's first page (index.html, default.aspx and the like).",
        _without_index,
    ),
    Rule(
        "trailing-slash",
        Safety.USUALLY,
        "End a path in a slash when its last segment has no dot, and so looks like a directory.",
        _with_slash,
    ),
    Rule("www", Safety.SOMETIMES, "Drop www. where a registrable domain is left.", _without_www),
)

_NAMES = tuple(rule.name for rule in RULES)
