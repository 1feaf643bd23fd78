"""What the tests of the made web share: one web with everything in it, and a way to ask on virtual time."""

from __future__ import annotations

from gossamer.model import Capture, Visit
from gossamer.testing import (
    Changes,
    Copies,
    Errors,
    MadeWeb,
    Marks,
    Redirects,
    RobotsFiles,
    Sitemaps,
    Traps,
    VirtualClock,
    WebSpec,
)

EVERYTHING = WebSpec(
    hosts=9,
    pages=14,
    zipf=0.5,
    encodings=0.2,
    gzip=True,
    errors=Errors(missing=0.1, broken=0.1, busy=0.1, dropped=0.1, silent=0.1, cut=0.1, transient=0.5),
    redirects=Redirects(chains=0.2, hops=3, across=0.5, loops=0.1),
    robots=RobotsFiles(rules=0.5, delays=0.3, moved=0.3, broken=0.3),
    traps=Traps(calendar=0.5, echo=0.5, sessions=0.5, facets=0.5),
    copies=Copies(exact=0.2, near=0.2),
    changes=Changes(pages=0.5, rate=(0.1, 10.0)),
    sitemaps=Sitemaps(hosts=0.5, orphans=3),
    marks=Marks(noindex=0.2, nofollow_pages=0.2, nofollow_links=0.2),
)


class TimedWeb(MadeWeb):
    """A made web on a virtual clock of its own."""

    clock: VirtualClock

    def __init__(self, spec: WebSpec) -> None:
        super().__init__(spec, clock=VirtualClock())

    def ask(self, *visits: Visit | str) -> list[Capture]:
        """The answers to some visits, one after the other."""

        async def ask_all() -> list[Capture]:
            return [await self.fetch(Visit(one) if isinstance(one, str) else one) for one in visits]

        return self.clock.run(ask_all())

    def linked(self, part: str) -> list[str]:
        """The addresses with this in their path to which any plain page links."""
        links = (link.url for page in self.pages() for link in self.links(page))
        return sorted({url for url in links if part in url})
