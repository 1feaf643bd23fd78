"""Who we say we are: the agent string, and the token that robots rules match."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from gossamer.errors import UsageError
from gossamer.version import VERSION

if TYPE_CHECKING:
    from importlib.metadata import PackageMetadata

_TOKEN = re.compile(r"[A-Za-z_-]+")
_CONTACT = re.compile(r"[!-'*-~]+")  # printable ASCII without space and parentheses
_VERSION = re.compile(r"[0-9A-Za-z.+!-]+")
_MAIL = re.compile(r"[^@/:]+@[^@/:]+")


@cache
def _installed() -> PackageMetadata:
    from importlib import metadata  # slow to load, and only a crawl asks

    return metadata.metadata("gossamer")


def _page() -> str:
    """The project's page as the package itself names it; empty when it names none."""
    urls = _installed().get_all("Project-URL") or [""]
    return str(urls[0]).rpartition(",")[2].strip()


@dataclass(frozen=True, slots=True)
class Identity:
    """What every request tells the site owner about its sender."""

    contact: str = ""
    """A page or a mail address of the person who crawls."""
    product: str = "Gossamer"
    """The product token of RFC 9309, section 2.2.1: letters, `_` and `-`."""
    version: str = VERSION

    def __post_init__(self) -> None:
        if not _TOKEN.fullmatch(self.product):
            raise UsageError(f"product token {self.product!r}: use only letters, '_' and '-'")
        if not _VERSION.fullmatch(self.version):
            raise UsageError(f"version {self.version!r}: use only letters, digits, '.', '+' and '-'")
        if self.contact and not _CONTACT.fullmatch(self.contact):
            raise UsageError(f"contact {self.contact!r}: give a web or mail address without spaces or parentheses")

    @property
    def agent(self) -> str:
        """The User-Agent field."""
        about = self.contact or _page()
        return f"{self.product}/{self.version}" + (f" (+{about})" if about else "")

    @property
    def mail(self) -> str:
        """The From field; empty when the contact is not a mail address."""
        return self.contact if _MAIL.fullmatch(self.contact) else ""
