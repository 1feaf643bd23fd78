"""What a host says where there is nothing: 404, or something that looks like a page, as many real hosts do.

`text`  a page that says so, the same for all addresses
`echo`  a page that repeats the address
`home`  a redirect to the home page
`page`  a redirect to one page that says so
"""

from __future__ import annotations

from gossamer.testing.documents import Document, Written
from gossamer.testing.layout import Layout

ERROR_PAGE = "/error.html"
_HOME = Written("/", "Home")


def redirect(layout: Layout, host: int, target: str) -> str | None:
    """Where an address leads at which there is nothing; None when it leads nowhere."""
    match layout.soft_way(host):
        case "home":
            return "/"
        case "page" if target != ERROR_PAGE:
            return ERROR_PAGE
    return None


def page(layout: Layout, host: int, target: str) -> Document | None:
    """The page that stands for an error there; None where the host is honest."""
    match layout.soft_way(host):
        case "text" | "page":
            return Document("Not found", ["We are sorry, but we could not find what you asked for."], [_HOME])
        case "echo":
            return Document("Oops", [f"There is no page {target} on this server, or there is none any more."], [_HOME])
    return None
