"""A crawl with a topic: from the file that describes it to what `why` and `status` say."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

import gossamer
from gossamer.collection.crawl.outside import Outside
from gossamer.collection.crawl.topics import FIELD, FILE
from gossamer.errors import Damaged, UsageError
from gossamer.model import Capture, SystemClock, Visit

BEES = "The queen of the hive lays eggs, the swarm brings nectar and pollen, and a keeper takes honey and wax. " * 3
CARS = "The engine of the car has four cylinders, the gearbox is oiled, and the driver takes the road by night. " * 3
REQUEST = b"GET / HTTP/1.1\r\n\r\n"
TOPIC = "Keeping bees: hives, the queen, swarms, honey and wax.\n"


def page(words: str, *links: str) -> bytes:
    anchors = "".join(f'<li><a href="{link}">{re.sub("[^a-z]", " ", link)}</a></li>' for link in links)
    return f"<title>A page</title><p>{words}</p><ul>{anchors}</ul>".encode()


def web() -> dict[str, bytes]:
    """A list of cars and one page that leads to bees, far behind them."""
    cars = [f"/cars/{number}" for number in range(30)]
    bees = [f"/bees/{number}" for number in range(30)]
    pages = {"/": page("All kinds of things.", *cars, "/honey")}
    pages |= {path: page(CARS, f"/cars/{number + 100}") for number, path in enumerate(cars)}
    pages |= {f"/cars/{number + 100}": page(CARS) for number in range(30)}
    pages["/honey"] = page(BEES, *bees)
    return pages | {path: page(BEES + path) for path in bees}


def serving(pages: dict[str, bytes]) -> Outside:
    async def fetch(visit: Visit) -> Capture:
        path = visit.url.removeprefix("http://things.test")
        body = pages.get(path)
        headers = (("content-type", "text/html"),)
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
        if body is None:
            return Capture(
                visit, 1e9, 0.01, 404, head=b"HTTP/1.1 404 Not Found\r\n\r\n", request=b"GET / HTTP/1.1\r\n\r\n"
            )
        return Capture(visit, 1e9, 0.01, 200, headers, b"GET / HTTP/1.1\r\n\r\n", head, body, body)

    return Outside(SystemClock(), fetch)


SEED = "http://things.test/"
AT_ONCE = {"delay": 0, "ip_delay": 0, "shards": 1, "build": False, "sitemaps": "never", "workers": 1}


def described(folder: Path, text: str = TOPIC) -> Path:
    path = folder / "bees.txt"
    path.write_text(text)
    return path


def crawl(folder: Path, **settings: object) -> gossamer.Collection:
    collection = gossamer.open(folder / "web")
    collection.crawl(SEED, outside=serving(web()), **AT_ONCE, **settings)
    return collection


def count(collection: gossamer.Collection, part: str) -> int:
    return sum(part in each.url for each in collection.pages())


def test_pages_on_topic_come_first(tmp_path: Path) -> None:
    with crawl(tmp_path, pages=30, topic=str(described(tmp_path))) as focused:
        assert count(focused, "/bees/") > 20
    with crawl(tmp_path / "plain", pages=30) as plain:
        assert count(plain, "/bees/") == 0


def test_why_says_why_a_page_was_thought_on_topic(tmp_path: Path) -> None:
    with crawl(tmp_path, pages=30, topic=str(described(tmp_path))) as collection:
        bees, cars = collection.why(f"{SEED}honey"), collection.why(f"{SEED}cars/0")
    assert bees.topic is not None
    assert bees.topic.score is not None
    assert bees.topic.score > 0.5
    assert {"honey", "hive", "queen"} & {word for word, _ in bees.topic.words}
    assert cars.topic is not None
    assert 0 < cars.topic.promise < 1


def test_status_says_how_far_the_pages_are_on_topic(tmp_path: Path) -> None:
    with crawl(tmp_path, pages=30, topic=str(described(tmp_path))) as collection:
        harvest = collection.status().harvest
        samples = collection.series()
    assert harvest is not None
    assert harvest.pages == 30
    assert harvest.rate > 0.5
    assert harvest.on_topic > 20
    assert samples[-1].relevance == pytest.approx(harvest.rate, abs=0.01)


def test_what_is_on_topic_is_searched_alone_and_stays_so_when_pages_are_read_again(tmp_path: Path) -> None:
    with gossamer.open(tmp_path / "web") as collection:
        topic = str(described(tmp_path))
        collection.crawl(SEED, outside=serving(web()), **{**AT_ONCE, "build": True}, pages=30, topic=topic)
        first = marked(collection)
        found, others = (hits(collection, question) for question in ("topic:yes", "type:html -topic:yes"))
        everything = hits(collection, "type:html")
        harvest = collection.status().harvest
        collection.build(convert=True)
        again = marked(collection)
    assert harvest is not None
    assert abs(len(first) - harvest.on_topic) <= 2  # what is known of the topic grows between the two looks
    assert sum("/bees/" in url for url in first) > 20
    assert found
    assert found <= first
    assert others
    assert found | others == everything  # which has one of all that say nearly the same
    assert not found & others
    assert sum("/bees/" in url for url in again) > 20


def marked(collection: gossamer.Collection) -> set[str]:
    return {page.url for page in collection.pages() if page.fields.get(FIELD) == "yes"}


def hits(collection: gossamer.Collection, question: str) -> set[str]:
    return {hit.url for hit in collection.search(question, limit=100).hits}


def test_a_crawl_without_a_topic_says_nothing_of_it_and_keeps_nothing(tmp_path: Path) -> None:
    with crawl(tmp_path, pages=5) as collection:
        assert collection.status().harvest is None
        assert collection.why(SEED).topic is None
    assert not (tmp_path / "web" / FILE).exists()


def test_what_was_learned_can_be_read_and_is_gone_by_without_the_file_of_the_topic(tmp_path: Path) -> None:
    topic = described(tmp_path)
    crawl(tmp_path, pages=10, topic=str(topic)).close()
    topic.unlink()
    model = json.loads((tmp_path / "web" / FILE).read_text())
    assert model["words"]["honey"] > 1
    with crawl(tmp_path, pages=30) as collection:
        assert count(collection, "/bees/") > 20


def test_a_damaged_model_says_what_to_do(tmp_path: Path) -> None:
    crawl(tmp_path, pages=5, topic=str(described(tmp_path))).close()
    (tmp_path / "web" / FILE).write_text('{"form": 1, "words": ')
    with pytest.raises(Damaged, match="--topic"):
        crawl(tmp_path, pages=10)
    (tmp_path / "web" / FILE).write_text('{"form": 1, "words": []}')
    with pytest.raises(Damaged, match="--topic"):
        crawl(tmp_path, pages=10)
    for spoilt in ('"slope": NaN', '"pages": Infinity', '"deep": ' + "[" * 100_000):
        (tmp_path / "web" / FILE).write_text(f'{{"form": 1, {spoilt}')
        with pytest.raises(Damaged, match="--topic"):
            crawl(tmp_path, pages=10)
    crawl(tmp_path, pages=10, topic=str(described(tmp_path))).close()


@pytest.mark.parametrize("text", ["", "# only a remark\n", "- http://things.test/cars/1\n"])
def test_a_topic_that_says_nothing_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="says nothing of a topic"):
        crawl(tmp_path, topic=str(described(tmp_path, text)))
    assert not (tmp_path / "web").exists()


@pytest.mark.parametrize("where", ["topic", "example"])
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, where: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    topic = tmp_path / "fifo" if where == "topic" else described(tmp_path, "bees\n+ fifo\n")
    with pytest.raises(UsageError, match="file"):
        crawl(tmp_path, topic=str(topic))


def test_a_topic_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name a file or a folder"):
        crawl(tmp_path, topic=str(tmp_path / "none.txt"))


def test_examples_are_files_and_addresses(tmp_path: Path) -> None:
    folder = tmp_path / "topic"
    (folder / "for").mkdir(parents=True)
    (folder / "against").mkdir()
    (folder / "for" / "one.html").write_bytes(page(BEES))
    (folder / "against" / "cars.txt").write_text(CARS)
    (folder / "topic.txt").write_text(f"+ {SEED}honey\n")
    with crawl(tmp_path, pages=30, topic=str(folder)) as collection:
        assert count(collection, "/bees/") > 20
    words = json.loads((tmp_path / "web" / FILE).read_text())["words"]
    assert words["honey"] > 1
    assert words.get("engine", 0) <= 0


def test_examples_that_cannot_be_read_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    crawl(tmp_path, pages=5, topic=str(described(tmp_path, f"{TOPIC}+ {SEED}nowhere\n"))).close()
    assert "1 example could not be read" in caplog.text


@pytest.mark.parametrize("example", ["../secret.txt", "/etc/hostname", "linked.txt", "near/../../secret.txt"])
def test_a_topic_takes_in_nothing_from_elsewhere(tmp_path: Path, example: str) -> None:
    (tmp_path / "secret.txt").write_text("A diary of swordfish.")
    (tmp_path / "here" / "near").mkdir(parents=True)
    (tmp_path / "here" / "linked.txt").symlink_to(tmp_path / "secret.txt")
    topic = described(tmp_path / "here", f"{TOPIC}+ {example}\n")
    with pytest.raises(UsageError, match="leads out of"):
        crawl(tmp_path, topic=str(topic))
    assert not (tmp_path / "web" / FILE).exists()


def test_a_topic_in_the_collection_is_no_link_to_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("A diary of swordfish.")
    crawl(tmp_path, pages=1).close()
    (tmp_path / "web" / "about.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "topic.txt").symlink_to(tmp_path / "secret.txt")
    for topic in ("web/about.txt", "folder"):
        with pytest.raises(UsageError, match="leads out of"):
            crawl(tmp_path, pages=2, topic=str(tmp_path / topic))
    assert not (tmp_path / "web" / FILE).exists()
