"""The page that stands for its copies is chosen by rule: redirect, canonical, main host, rank, shorter address."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from gossamer.dedupe.groups import Candidate, representative


def page(url: str, **more: Any) -> Candidate:
    return Candidate(url, url.split("/")[2], more.pop("content", url), **more)


def chosen(*group: Candidate) -> str:
    """The same in whatever order they come."""
    found = {representative(order).url for order in permutations(group)}
    assert len(found) == 1
    return found.pop()


def test_a_page_that_others_redirect_to_comes_before_all_others() -> None:
    named = page("http://a.test/n", rank=9.0, main=True)
    target = page("http://a.test/a-long-address", redirected=True, canonical="http://a.test/n")
    assert chosen(named, target, page("http://a.test/x", canonical="http://a.test/n")) == target.url


def test_the_address_that_most_copies_name_as_canonical_comes_before_rank() -> None:
    copies = [page(f"http://a.test/{name}", canonical="http://a.test/the-one-to-use") for name in "xy"]
    assert chosen(page("http://a.test/the-one-to-use"), *copies, page("http://b.test/", rank=9.0)).endswith("use")


def test_a_page_of_another_site_is_named_only_by_those_that_say_exactly_the_same() -> None:
    thief = page("http://thief.test/copy")
    assert chosen(thief, page("http://a.test/long/address", rank=1.0, canonical=thief.url)) != thief.url
    twin = page("http://thief.test/copy", content="same")
    assert chosen(twin, page("http://a.test/", rank=1.0, canonical=twin.url, content="same")) == twin.url


def test_a_canonical_link_out_of_the_group_counts_for_nothing() -> None:
    assert chosen(page("http://a.test/1", canonical="http://a.test/"), page("http://a.test/22")) == "http://a.test/1"


def test_the_main_host_comes_before_rank_and_rank_before_length() -> None:
    main = page("http://www.main.test/page", main=True)
    assert chosen(main, page("http://b.test/", rank=5.0)) == main.url
    assert chosen(page("http://b.test/long", rank=5.0), page("http://b.test/")) == "http://b.test/long"


def test_links_to_the_file_of_a_folder_count_for_the_folder() -> None:
    folder, file = page("http://a.test/guide/", rank=1.0), page("http://a.test/guide/index.html", rank=5.0)
    assert chosen(folder, file) == folder.url
    assert chosen(folder, file, page("http://a.test/x", rank=5.5)) == folder.url
    assert chosen(page("http://a.test/", rank=1.0), file) == file.url


def test_of_equals_the_shortest_address_wins_and_then_the_alphabet() -> None:
    assert chosen(page("http://a.test/bb"), page("http://a.test/c"), page("http://a.test/b")) == "http://a.test/b"
