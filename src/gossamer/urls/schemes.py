"""Addresses of other protocols than the web's, as gemini://example.org/: their canonical form, and what links mean.

The form is that of RFC 3986: scheme and host in small letters, no default port, no dots in the path, no user and no
fragment. Pages of the web never link there as far as a crawl knows: `normalize` gives nothing for such an address.

`data:` has no host; its form is data:///text/html,..., in which what it holds is one name of a path.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin, urlsplit, uses_netloc, uses_relative

from gossamer.errors import InvalidURL
from gossamer.lazy import pattern
from gossamer.model import URL
from gossamer.printable import repeated
from gossamer.urls.normalize import LONGEST, normalize, to_ascii

PORTS = {"gemini": 1965, "ftp": 21, "sftp": 22, "gopher": 70, "finger": 79}
"""Those that need not be written."""
_SCHEME = pattern(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_SAFE = "/!$&'()*+,;=:@-._~%?"
_DATA = pattern(r"data:(?://+|(?!\d+(?:[/?#]|$)))", re.IGNORECASE)
"""Not a host of that name with a port."""


def scheme_of(text: str) -> str:
    """The scheme of an address of another protocol than that of the web; empty for all else."""
    if is_data(text):
        return "data"
    found = _SCHEME.match(text.strip())
    name = found[1].lower() if found else ""
    return "" if name in ("http", "https", "file") else name


def is_data(text: str) -> bool:
    """Is it an address that holds what it stands for?"""
    return _DATA.match(text.strip()) is not None


def canonical(text: str) -> URL:
    """The one form of such an address."""
    if is_data(text):
        return _canonical_data(text.strip())
    try:
        parts = urlsplit(text.strip())
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        host, port, parts = "", None, urlsplit("")
    name = host if ":" in host else to_ascii(host)
    if not name or len(text) > LONGEST:
        raise InvalidURL(f"not an address with a host: {repeated(text, 40)!r}")
    place = f"[{name}]" if ":" in name else name
    if port is not None and port != PORTS.get(parts.scheme):
        place += f":{port}"
    path = _known(parts.scheme, f"{parts.scheme}://{place}/", parts.path or "/")
    query = f"?{parts.query}" if parts.query else ""
    return quote(f"{path}{query}", safe=_SAFE + "[]")


def _canonical_data(text: str) -> URL:
    about, comma, held = _DATA.sub("", text.partition("#")[0], count=1).partition(",")
    kind = quote(about, safe='/+;=-._~%"')
    content = quote(held, safe="!$&'()*+,;=:@-._~%")
    url = f"data:///{kind},{content}"
    if not comma:
        raise InvalidURL(f"not an address with data: {repeated(text, 40)!r}; write data:TYPE,DATA")
    if len(url) > LONGEST:
        raise InvalidURL(f"it has {len(url):,} characters, of {LONGEST:,} at most; `gossamer files` reads a file")
    return url


def joined(href: str, base: URL) -> URL | None:
    """What a link means on a page of such an address; None for what is none, or leads to yet another protocol."""
    scheme = "" if is_data(base) else scheme_of(base)  # nothing is beside data: links there lead to the web alone
    try:
        if scheme_of(href) in ("", scheme) and not re.match(r"(?!https?:)[A-Za-z][A-Za-z0-9+.-]*:(?!//)", href):
            url = _known(scheme, base, href.strip()) if scheme else href
            return canonical(url) if scheme_of(url) else normalize(url)
    except (InvalidURL, ValueError):
        pass
    return None


def _known(scheme: str, base: str, href: str) -> str:
    """Python joins addresses of schemes that it knows alone."""
    if scheme in uses_relative and scheme in uses_netloc:
        return urljoin(base, href)
    if "://" in href:
        return href
    return f"{scheme}:{urljoin('http:' + base.partition(':')[2], href).partition(':')[2]}"
