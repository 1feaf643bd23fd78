"""How we get out to the web: through which proxy, trusting whom."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from gossamer.errors import UsageError

_PROXIES = ("http://", "https://", "socks5h://")


@dataclass(frozen=True, slots=True)
class Route:
    """Behind a proxy, names are looked up by the proxy.

    So only what stands in the URL itself can be checked here: addresses, and `localhost`. The
    proxy's own address is the operator's choice and is not checked. Proxies named by the
    environment are not used.
    """

    proxy: str | None = None
    """http://, https:// or socks5h://host:port; a user and password may stand before the host."""
    ca_file: str | None = None
    """Certificates of the authorities to trust; None for those of the system."""

    def __post_init__(self) -> None:
        if self.proxy and not self.proxy.startswith(_PROXIES):
            raise UsageError(f"a proxy is written as one of {', '.join(_PROXIES)} and host:port")
        if self.ca_file and not Path(self.ca_file).is_file():
            raise UsageError(f"{self.ca_file}: no such file; give one with certificates in PEM form")

    @property
    def authorities(self) -> str | None:
        """A file of certificates; None leaves it to libcurl, which looks where Red Hat keeps it."""
        return self.ca_file or ssl.get_default_verify_paths().cafile or _certifi()


def _certifi() -> str | None:
    """The authorities that certifi brings, for systems without their own."""
    try:
        return str(import_module("certifi").where())
    except ImportError:
        return None
