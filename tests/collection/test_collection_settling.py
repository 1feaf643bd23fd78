"""The same captures say the same after a build, whatever the order they came in and the number of shards."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from made_shard import came, made
from msgspec.structs import replace

import gossamer
from gossamer.collection import Outside
from gossamer.collection.derive import settling, shard_build
from gossamer.collection.derive.settling import PAGES_MOST, name_of, sample
from gossamer.dedupe.blocks import PAGES_LEAST
from gossamer.model import Capture, Visit
from gossamer.store.versions import Version
from gossamer.testing import VirtualClock
from gossamer.urls import keys

NOTICE = "Readers of this newsletter also receive our weekly overview of markets, gardens and engines, free of charge."
HOSTS = ("one.test", "two.test", "three.test")
PAGES = 14


def body(host: str, number: int) -> bytes:
    dice = Random(f"{host} {number}")
    words = [
        f"{dice.choice('bdfgklmnprst')}{dice.choice('aeiou')}{dice.choice('lmnrst')}{dice.randrange(90)}"
        for _ in range(9)
    ]
    own = "".join(
        f"<p>The report on {word} tells at length what became of {word} in that year, and why.</p>" for word in words
    )
    links = "".join(f'<a href="http://{each}/{at}">{at}</a> ' for each in HOSTS for at in range(PAGES))
    text = f"<title>{words[0]}</title><article><h1>{words[0]}</h1>{own}<p>{NOTICE}</p></article><nav>{links}</nav>"
    return text.encode()


async def fetch(visit: Visit) -> Capture:
    host, _, path = visit.url.removeprefix("http://").partition("/")
    if not path.isdigit():
        return came(visit.url, b"", 404, visit=visit)
    return came(visit.url, body(host, int(path)), visit=visit)


def collected(folder: Path, seed: str, **settings: Any) -> None:
    clock = VirtualClock()
    with gossamer.open(folder) as web:
        clock.run(web.crawl_async(seed, scope="any", delay=0.1, outside=Outside(clock, fetch), **settings))


def told(folder: Path) -> dict[str, Any]:
    with gossamer.open(folder) as web:
        return {page.url: (page.content, page.html, page.links, page.language) for page in web.pages()}


def built(folder: Path) -> int:
    with gossamer.open(folder) as web:
        return web.build().texts


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("settling") / "web"
    collected(folder, "http://one.test/0")
    return folder


def test_a_crawl_in_another_order_says_the_same_after_a_build(crawled: Path, tmp_path: Path) -> None:
    collected(tmp_path / "other", "http://two.test/9")
    with gossamer.open(tmp_path / "imported") as web:
        web.import_files(*crawled.rglob("captures/*.warc.gz"), shards=2)
    first, second = told(crawled), told(tmp_path / "other")
    assert first.keys() == second.keys()
    assert len(first) == len(HOSTS) * PAGES
    assert any(NOTICE in content for content, *_ in first.values()), "it is learned as pages come"
    assert first != second
    for folder in (crawled, tmp_path / "other", tmp_path / "imported"):
        assert built(folder) > 0
    assert told(crawled) == told(tmp_path / "other") == told(tmp_path / "imported")
    assert not any(NOTICE in content for content, *_ in told(crawled).values())
    assert [built(folder) for folder in (crawled, tmp_path / "other", tmp_path / "imported")] == [0, 0, 0]
    with gossamer.open(crawled) as web:
        assert web.verify().problems == []
        assert web.search("newsletter overview of markets").total == 0


def test_a_build_that_was_cut_off_goes_on(crawled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cut", "whole"):
        collected(tmp_path / name, "http://three.test/3", shards=1)
    with gossamer.open(tmp_path / "cut") as web:
        job = shard_build.Job(tmp_path / "cut", web.plan, anew=False)
    monkeypatch.setattr(shard_build, "BATCH", 3)
    steps = shard_build.steps(job, 0)
    first = next(step for step in steps if step.texts)
    steps.close()
    assert 0 < first.texts < built(tmp_path / "whole")
    assert built(tmp_path / "cut") > 0
    assert told(tmp_path / "cut") == told(tmp_path / "whole")
    with gossamer.open(tmp_path / "cut") as web:
        assert web.verify().problems == []


def test_fields_that_a_function_gave_stay(tmp_path: Path) -> None:
    collected(tmp_path / "web", "http://one.test/0", on_page=lambda page: {"size": len(page.content)})
    with gossamer.open(tmp_path / "web") as web:
        before = {page.url: page.fields for page in web.pages()}
        assert web.build().texts > 0
        assert {page.url: page.fields for page in web.pages()} == before
        assert all(before.values())


def test_a_copy_on_another_host_is_read_with_the_template_of_its_own(tmp_path: Path) -> None:
    here, there = "http://many.test/copied", "http://few.test/"
    with made(tmp_path / "web") as shard:
        for number in range(6):
            shard.keep(f"http://many.test/{number}", body("many", number))
        for url in (there, here):
            shard.keep(url, body("copied", 0), words=NOTICE)
        assert shard.row(here).text_of == there
        shard.commit()
    list(shard_build.steps(shard_build.Job(tmp_path / "web", gossamer.Plan(shards=1), anew=False), 0))
    with made(tmp_path / "web") as shard:
        assert NOTICE in shard.archive.content(there, shard.row(there))
        assert NOTICE not in shard.archive.content(here, shard.row(here))


# ----------------------------------------------------------------------------------- the sample


def versions(number: int, *, copies: int = 0) -> list[tuple[str, Version]]:
    rows = [(f"http://a.test/{at}", f"sha256:{at}") for at in range(number)]
    rows += [(f"http://a.test/copy{at}", f"sha256:{at % number}") for at in range(copies)]
    made_of = {"began": 1.0, "status": 200, "kind": "page", "media_type": "text/html", "encoding": None, "size": 1}
    place = {"title": "", "file": "f", "offset": 0, "length": 1, "record": "r"}
    return [(url, Version(digest=digest, **made_of, **place)) for url, digest in rows]


def test_a_sample_is_chosen_by_addresses_and_bytes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = versions(1_000, copies=400)
    by_digest: dict[str, tuple[int, str]] = {}
    for url, version in pages:
        mine = keys.fingerprint(url), url
        by_digest[version.digest] = min(by_digest.get(version.digest, mine), mine)
    wanted = [url for _, url in sorted(by_digest.values())[:PAGES_MOST]]
    for seed in range(5):
        Random(seed).shuffle(pages)
        assert [page.url for page in sample(pages)] == wanted
    monkeypatch.setattr(settling, "_ROOM", PAGES_MOST + 1)
    assert [page.url for page in sample(pages)] == wanted


def test_few_pages_tell_nothing_and_copies_are_one_page() -> None:
    assert sample(versions(PAGES_LEAST - 1, copies=50)) == []
    assert len(sample(versions(PAGES_LEAST, copies=50))) == PAGES_LEAST
    files = [(url, replace(version, media_type="application/pdf")) for url, version in versions(50)]
    assert sample(files) == []


def test_another_page_or_another_body_makes_another_sample() -> None:
    first = sample(versions(20))
    other = [first[0]._replace(version=replace(first[0].version, digest="sha256:x")), *first[1:]]
    assert len({name_of(first), name_of(other), name_of(first[1:]), name_of([])}) == 4
    assert name_of([]) == 0
