"""A stock Scrapy spider that follows every link of a made web: the peer of `run.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import scrapy  # type: ignore[import-not-found,unused-ignore]  # only where it is installed
from scrapy.crawler import CrawlerProcess  # type: ignore[import-not-found,unused-ignore]  # the same
from scrapy.linkextractors import LinkExtractor  # type: ignore[import-not-found,unused-ignore]  # the same


class Everything(scrapy.Spider):  # type: ignore[misc,unused-ignore]  # untyped
    """Follows all that LinkExtractor finds."""

    name = "everything"
    pages = 0

    def parse(self, response: Any) -> Iterator[Any]:
        """Count, and follow."""
        Everything.pages += 1
        for link in LinkExtractor().extract_links(response):
            yield response.follow(link, self.parse)


def main() -> None:
    """Print how many pages came."""
    settings = {
        "LOG_LEVEL": "CRITICAL",
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": 64,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "TELNETCONSOLE_ENABLED": False,
    }
    process = CrawlerProcess(settings)
    process.crawl(Everything, start_urls=[sys.argv[1]])
    process.start()
    print(Everything.pages)


main()
