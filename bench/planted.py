"""Which copies does a crawl find, and what does it take for one by mistake? Copies planted on made webs, by kind.

    python bench/planted.py --pages 150

Three webs of four hosts are crawled, on a virtual clock: in each, drafts have another share of their words edited. The
table is the one in docs/duplicates.md.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import gossamer
from gossamer.collection import Outside
from gossamer.testing import Copies, MadeWeb, VirtualClock, WebSpec

EDITED = (0.01, 0.03, 0.1)
COPIES = Copies(exact=0.3, near=0.5, forms=0.5, quoted=0.5)


class Crawled(NamedTuple):
    """A web, its pages, and for each copy that was found the page that stands for it."""

    web: MadeWeb
    pages: list[str]
    stands: dict[str, str]

    def mistakes(self, kind: str) -> int:
        """Copies of which one side is of that kind, and the other says something else."""
        wrong = [pair for pair in self.stands.items() if self.web.original(pair[0]) != self.web.original(pair[1])]
        return sum(any(f"/{kind}/" in url for url in pair) for pair in wrong)

    def found(self, pairs: Iterable[tuple[str, str]]) -> int:
        """Pairs for which the same page stands."""
        return sum(self.stands.get(one, one) == self.stands.get(other, other) for one, other in pairs)


def crawled(spec: WebSpec) -> Crawled:
    clock = VirtualClock()
    web = MadeWeb(spec, clock=clock)
    with tempfile.TemporaryDirectory() as folder, gossamer.open(f"{folder}/web") as collection:
        outside = Outside(clock, web.fetch)
        clock.run(collection.crawl_async(web.seed, scope="any", delay=0, ip_delay=0, outside=outside))
        groups = collection.duplicates().groups
        pages = [page.url for page in collection.pages()]
    return Crawled(web, pages, {copy.url: group.url for group in groups for copy in group.copies})


def table(pages: int, seed: int) -> Iterator[str]:
    yield "| kind | pages | found | recall | taken for copies by mistake |"
    yield "|---|---|---|---|---|"
    webs = [
        crawled(WebSpec(seed=seed + at, hosts=4, pages=pages, copies=replace(COPIES, edited=share)))
        for at, share in enumerate(EDITED)
    ]
    yield _row("the same bytes", "copy", webs, [list(web.web.copies()) for web in webs])
    for share, web in zip(EDITED, webs, strict=True):
        yield _row(f"{share:.0%} of the words edited", "draft", [web], [list(web.web.near_copies())])
    for kind, name in (("form", "a template, other content"), ("quote", "a quarter quoted")):
        count = sum(f"/{kind}/" in url for web in webs for url in web.pages)
        yield f"| {name} | {count:,} | - | - | {sum(web.mistakes(kind) for web in webs)} |"


def _row(name: str, kind: str, webs: list[Crawled], pairs: list[list[tuple[str, str]]]) -> str:
    count = sum(map(len, pairs))
    found = sum(web.found(mine) for web, mine in zip(webs, pairs, strict=True))
    return f"| {name} | {count:,} | {found:,} | {found / count:.3f} | {sum(web.mistakes(kind) for web in webs)} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pages", type=int, default=150, help="plain pages of each host (150)")
    options.add_argument("--seed", type=int, default=1, help="another seed, other webs (1)")
    asked = options.parse_args()
    for line in table(asked.pages, asked.seed):
        print(line, flush=True)


if __name__ == "__main__":
    main()
