"""What does a seed mean that has no scheme? https is asked first, and http in its place where https does not answer.

Such a seed is kept as it was written, without a scheme, so that what was meant lasts. Where https can hardly be meant,
it is http at once: with a port, at an IP address, at localhost.
"""

from __future__ import annotations

import re

from gossamer import plugins
from gossamer.errors import InvalidURL
from gossamer.lazy import pattern
from gossamer.model import URL
from gossamer.printable import repeated, without_login
from gossamer.urls.keys import host, is_address
from gossamer.urls.normalize import normalize
from gossamer.urls.schemes import canonical, is_data, scheme_of

_PLACE = pattern(r"[^/?#\\]*")
_HTTPS = "https://"
_NAMED = pattern(r"(?:[A-Za-z]+://)?[^/?#\\]*@")
_MAIL = pattern(r"mailto:(?!\d)", re.IGNORECASE)
_DOTS = pattern(r"\.{1,2}(?:/|$)")
"""What begins so is the name of a file."""
_NO_SCHEME = pattern(r"[A-Za-z]+(?::/|//)|https?:(?!\d)", re.IGNORECASE)
"""What begins so was meant to have a scheme; a host without a dot, an empty folder or no port are not meant."""


def as_seed(text: str) -> str:
    """A seed as people write it, in the form that is kept: a canonical address, or one without its scheme."""
    candidate = text.strip()
    try:
        if scheme := scheme_of(candidate):
            return _of_another(candidate, scheme)
        if "://" in candidate:
            return normalize(candidate)
        if _NO_SCHEME.match(candidate):
            raise InvalidURL("its scheme is not written out; write it as https://example.org/")
        if _MAIL.match(candidate):
            raise InvalidURL("is an address of mail; a crawl begins with one of the web, like https://example.org/")
        if _DOTS.match(candidate):
            raise InvalidURL("is the name of a file, and no file here has it; `--seeds FILE` reads seeds from one")
        url = normalize(f"http://{candidate}")
        return url if _is_plain(candidate, url) else url.removeprefix("http://")
    except InvalidURL as error:
        raise InvalidURL(without_login(f"seed {repeated(text)!r}: {error}")) from None


def as_listed(text: str) -> str:
    """The same for a seed of a list, which is of the web: what other protocols a crawl speaks is seen by its plan."""
    if scheme := scheme_of(text):
        as_seed(text)  # a slip is told as such
        words = f"a list has addresses of the web; name one of {scheme} in the command"
        raise InvalidURL(without_login(f"seed {repeated(text)!r}: {words}"))
    return as_seed(text)


def _of_another(text: str, scheme: str) -> URL:
    """An address of another protocol than that of the web, if we or a plug-in know it."""
    if scheme in plugins.OF_FILES:
        raise InvalidURL(f"{scheme}:// is not crawled; `gossamer files DIR {scheme}://...` reads what is there")
    if scheme not in plugins.OUR_PROTOCOLS and scheme not in plugins.installed(plugins.PROTOCOLS):
        raise InvalidURL(plugins.unspoken(scheme))
    return canonical(text)


def has_login(text: str) -> bool:
    """Does a name stand before the host, perhaps with a password? Neither is part of an address that is kept."""
    return _NAMED.match(text.strip()) is not None and not is_data(text)


def address(seed: str) -> URL:
    """What is asked for first."""
    return seed if "://" in seed else f"{_HTTPS}{seed}"


def is_guessed(seed: str) -> bool:
    """Has it no scheme, so that another may be right?"""
    return "://" not in seed


def in_place_of(url: URL) -> URL:
    """What is asked for where the https address does not answer."""
    return f"http://{url.removeprefix(_HTTPS)}"


def _is_plain(text: str, url: URL) -> bool:
    place, name = _PLACE.match(text), host(url)
    port = place is not None and ":" in place[0]
    return port or is_address(name) or name == "localhost" or name.endswith(".localhost")
