"""What was asked for besides going on: what an errand is before anybody has said more."""

from __future__ import annotations

from gossamer.collection.crawl.requests import CrawlRequest


def test_an_errand_asks_for_nothing_that_was_not_said() -> None:
    assert (CrawlRequest("a").seeds, CrawlRequest("a").revisit) == ((), False)
