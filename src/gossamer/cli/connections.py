"""How pages hang together: copies, links, and the ranks that come of links, with how good an order they make."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from gossamer.cli import search_output
from gossamer.cli.opening import asked
from gossamer.cli.out import print_answer, print_each
from gossamer.errors import UsageError


def similar(options: argparse.Namespace) -> int:
    """Print the copies of a page."""
    with asked(options) as collection:
        copies = collection.similar(options.url)
        titles = {url: collection.title_of(url) for url in (options.url, *(copy.url for copy in copies))}
    rows = (copy.as_json(titles[copy.url]) for copy in copies)
    print_each(options, rows, search_output.similar(options.url, copies, titles))
    return 0


def duplicates(options: argparse.Namespace) -> int:
    """Print all groups of copies, and hosts that serve the same site."""
    with asked(options) as collection:
        copies = collection.duplicates()
        titles = {group.url: collection.title_of(group.url) for group in copies.groups}
        for group in copies.groups:
            for copy in (*group.copies, *group.alike):  # the same bytes have the same title, and reading it takes time
                titles[copy.url] = titles[group.url] if copy.exact else collection.title_of(copy.url)
    print_each(options, search_output.each_as_json(copies, titles), search_output.duplicates(copies, titles))
    return 0


def links(options: argparse.Namespace) -> int:
    """Print who points to an address and what it points to."""
    with asked(options) as collection:
        around = collection.links(options.url)
    print_answer(options, around.as_json(), search_output.links(around))
    return 0


def rank(options: argparse.Namespace) -> int:
    """Print the pages or sites that rank highest by their links, or the hubs and authorities for a question."""
    with asked(options) as collection:
        if options.plot:
            from gossamer.cli import chart

            _write(options.plot, chart.of_ranks(collection.graph))
        if options.query is not None:
            around = collection.neighbours(options.query)
            hubs = sorted(around, key=lambda each: -each.hub)[: options.number]
            titles = {each.url: collection.title_of(each.url) for each in (*around[: options.number], *hubs)}
            best = search_output.neighbours(around, options.number, titles)
            rows = ({**asdict(each), "title": titles[each.url]} for each in around[: options.number])
            print_each(options, rows, best)
            return 0
        if options.sites:
            top = collection.rank_sites()[: options.number]
        elif options.trust:
            top = collection.trust(options.trust, options.number)
        else:
            top = collection.graph.top(options.number, by_links=options.by == "links")
        if options.sites:
            rows = ({"site": site, "rank": value} for site, value in top)
            print_each(options, rows, search_output.ranked_sites(top))
            return 0
        pages = [
            search_output.Ranked(url, value, collection.graph.linkers(url), collection.title_of(url))
            for url, value in top
        ]
    print_each(options, map(asdict, pages), search_output.ranked(pages))
    return 0


def evaluate(options: argparse.Namespace) -> int:
    """Print how good the ranking is by the judgements of people."""
    from gossamer.search.evaluation import read_judgements, read_questions

    questions = read_questions(_lines(options.queries))
    judgements = read_judgements(_lines(options.judgements))
    with asked(options) as collection:
        measures = collection.evaluate(questions, judgements)
    print_answer(options, asdict(measures), search_output.measures(measures))
    return 0


def _write(name: str, text: str) -> None:
    try:
        Path(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{name}: cannot be written: {error.strerror}") from None


def _lines(name: str) -> list[str]:
    try:
        return Path(name).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{name}: cannot be read: it is no text in UTF-8") from None
