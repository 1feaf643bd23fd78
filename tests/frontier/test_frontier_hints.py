"""A sitemap sorts the pages of its site, and gains nothing by shouting."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_web import Answer, SmallWeb, crawl_small

from gossamer.convert.feed import sitemap
from gossamer.frontier.queue.rank import MOST, ORDERS, hints
from gossamer.model import Capture, Link, Page

HOME = "http://a.example/"


def listed(*priorities: float, dates: tuple[float | None, ...] = ()) -> list[Link]:
    found = dates or (None,) * len(priorities)
    return [
        Link(f"{HOME}{number}", place="sitemap", modified=date, priority=priority)
        for number, (priority, date) in enumerate(zip(priorities, found, strict=True))
    ]


def told(links: list[Link]) -> list[int]:
    found = hints(links)
    return [found.get(link.url, 0) for link in links]


def test_a_page_above_the_average_of_its_file_is_hinted_at() -> None:
    assert told(listed(0.9, 0.5, 0.4, 0.2)) == [4, 0, -1, -3]


@pytest.mark.parametrize("same", [0.0, 0.5, 1.0])
def test_a_file_that_says_the_same_of_all_has_said_nothing(same: float) -> None:
    assert hints(listed(*[same] * 9)) == {}


def test_no_hint_is_stronger_than_the_strongest() -> None:
    assert told(listed(1.0, *[0.0] * 99)) == [MOST, *[0] * 99]
    assert hints([]) == {}


def test_a_page_that_changed_lately_is_hinted_at_unless_all_did() -> None:
    day = 86_400.0
    assert told(listed(0.5, 0.5, 0.5, 0.5, dates=(100 * day, 1 * day, None, 2 * day))) == [1, 0, 0, 0]
    assert told(listed(0.5, 0.5, 0.5, dates=(100 * day, 100 * day + 60, 100 * day))) == [0, 0, 0]


class WithSitemap(SmallWeb):
    """Its robots.txt names a sitemap, which is read as in a real crawl."""

    async def read(self, capture: Capture) -> Page:
        if capture.visit.url.endswith(".xml"):
            return Page(capture.visit.url, links=sitemap.read(capture.body, capture.visit.url).links)
        return await super().read(capture)


def crawl_with_priorities(folder: Path, order: str, *priorities: str) -> list[str]:
    urls = [f"{HOME}{number}" for number in range(len(priorities))]
    listed = (
        f"<url><loc>{url}</loc><priority>{each}</priority></url>" for url, each in zip(urls, priorities, strict=True)
    )
    web = WithSitemap(
        {
            f"{HOME}robots.txt": Answer(body=f"Sitemap: {HOME}map.xml".encode()),
            f"{HOME}map.xml": Answer(body=f"<urlset>{''.join(listed)}</urlset>".encode()),
            HOME: Answer((f"{HOME}linked",)),
            f"{HOME}linked": Answer(),
            **{url: Answer() for url in urls},
        }
    )
    crawl_small(web, folder, HOME, order=ORDERS[order], weigh=order == "importance", sitemaps=True)
    return [url.removeprefix(HOME) for url in web.asked()[2:]]


def test_breadth_first_takes_the_better_pages_of_a_sitemap_first(tmp_path: Path) -> None:
    assert crawl_with_priorities(tmp_path, "breadth", "0.1", "0.5", "0.9") == ["2", "linked", "1", "0"]


def test_a_sitemap_that_marks_all_with_the_most_gains_nothing(tmp_path: Path) -> None:
    assert crawl_with_priorities(tmp_path, "breadth", "1.0", "1.0", "1.0") == ["linked", "0", "1", "2"]


def test_by_importance_a_link_counts_more_than_a_hint(tmp_path: Path) -> None:
    assert crawl_with_priorities(tmp_path, "importance", "0.1", "0.5", "0.9") == ["linked", "2", "1", "0"]
