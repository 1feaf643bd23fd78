"""A kill between any two steps of a commit: the crawl ends as if it had not been.

`test_kills` kills from outside, at moments that chance picks; here the crawler kills itself in the middle of the
steps that must not be torn apart. See `kill_points/sitecustomize.py`.
"""

from __future__ import annotations

import runpy
import signal
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import gossamer
from crawler_process import crawl_arguments, run_gossamer
from gossamer.testing import Copies, Errors, MadeWeb, Marks, Redirects, RobotsFiles, Sitemaps, WebSpec
from harness.kills import INSIDE, PATIENCE, Nest, contents_of, everybody
from named_web import Reply, named_web

POINTS: dict[str, Any] = runpy.run_path(str(INSIDE / "sitecustomize.py"))["POINTS"]
BETWEEN_SHARDS = frozenset(
    name for name, point in POINTS.items() if point.owner in ("Exchange", "IpLeases", "Peers") or point.name == "take"
)
RARE = {
    "file of the archive begun": 3,
    "run of addresses written": 3,
    "runs of addresses merged": 1,
    "run of prints written": 3,
    "runs of prints merged": 2,
    "captures rolled forward": 1,
    "others greeted": 1,
    "verdict heard": 2,
    "about to end": 1,
}
"""Points that are passed seldom, and which call in a life is the last at the latest."""
ONCE = {"about to end"}
"""Of two shards that die at the end, each tells the other again what it has lost; so only one does."""
KILLS = 5
"""Of one crawl in a soak."""
FEW_KILLS = 2
"""The same in every run of the tests."""
SPEC = WebSpec(
    seed=3,
    hosts=4,
    pages=10,
    names="ip",
    errors=Errors(missing=0.1),
    redirects=Redirects(chains=0.2, hops=2, across=0.6),
    robots=RobotsFiles(rules=0.5, moved=0.5),
    copies=Copies(exact=0.3, near=0.2, edited=0.02),
    sitemaps=Sitemaps(hosts=0.5, orphans=2),
    marks=Marks(nofollow_links=0.2),
)


ALONE = {"capture half written", "text written", "archive synced", "table committed", "copies marked"}
SHARED = {"capture written", "outbox closed", "batches sent", "batch applied"}
COPIED = {"batch taken", "about to end"}
"""The points that every run of the tests passes; all of them, with more kills, take minutes."""


def mostly_soak(points: Iterable[str], quick: Collection[str]) -> pytest.MarkDecorator:
    often = [pytest.param(point, KILLS, marks=pytest.mark.soak) for point in sorted(points)]
    return pytest.mark.parametrize(("point", "most"), [*((point, FEW_KILLS) for point in sorted(quick)), *often])


@dataclass(frozen=True)
class Truth:
    """The web, and what a crawl brings that is left in peace."""

    web: MadeWeb
    contents: dict[str, Any]


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Truth]:
    with MadeWeb(SPEC).serve() as web:
        folder = tmp_path_factory.mktemp("calm") / "web"
        result = run_gossamer(*arguments(folder, web, 1))
        assert result.returncode == 0, result.stderr
        yield Truth(web, contents_of(folder, 1))


@pytest.fixture(scope="module")
def nest() -> Iterator[Nest]:
    nest = Nest()
    yield nest
    nest.close()


@mostly_soak(POINTS.keys() - BETWEEN_SHARDS, ALONE)
def test_a_crawl_by_one_process_survives_a_kill_at_any_point(
    truth: Truth, nest: Nest, tmp_path: Path, point: str, most: int
) -> None:
    storm = Storm(nest, tmp_path, point, most)
    storm.blow(arguments(storm.folder, truth.web, 1))
    assert contents_of(storm.folder, 1) == truth.contents


@mostly_soak(POINTS, SHARED)
def test_a_crawl_by_two_shards_survives_a_kill_at_any_point(
    truth: Truth, nest: Nest, tmp_path: Path, point: str, most: int
) -> None:
    storm = Storm(nest, tmp_path, point, most)
    storm.blow(arguments(storm.folder, truth.web, 2))
    assert contents_of(storm.folder, 2) == truth.contents


@mostly_soak({"table committed", *BETWEEN_SHARDS, *COPIED}, COPIED)
def test_bodies_that_two_shards_have_are_still_counted_once(nest: Nest, tmp_path: Path, point: str, most: int) -> None:
    storm, names = Storm(nest, tmp_path, point, most), [f"site{number}" for number in range(12)]
    with named_web() as web:
        for name in names:
            web.link(name, "/", [web.url(other, path) for other in names for path in ("/", "/same")])
            web.put(name, "/same", Reply("<p>The same everywhere, byte for byte."))
        storm.blow(named_arguments(storm.folder, web.url(names[0])))
    with gossamer.open(storm.folder) as collection:
        status, pages = collection.status(), list(collection.pages())
        assert collection.verify().problems == []
    assert status.pages == len(pages) == 2 * len(names)
    assert status.duplicates == len(names) - 1
    (first,) = [page.url for page in pages if page.url.endswith("/same") and not page.version.copy_of]
    assert {page.version.copy_of for page in pages if page.version.copy_of} <= {
        page.url for page in pages if page.url.endswith("/same")
    }, first


@dataclass(frozen=True)
class Storm:
    """A crawl dies at one point, so many times at most."""

    nest: Nest
    place: Path
    point: str
    most: int

    @property
    def folder(self) -> Path:
        return self.place / "web"

    def blow(self, words: Sequence[str]) -> None:
        """Until a crawl comes to its end; a shard that dies is started again by the crawl itself."""
        kills, said = self.place / "kills", self.place / "said"
        told = {
            "GOSSAMER_TEST_KILL": f"{self.point}:{RARE.get(self.point, 9)}",
            "GOSSAMER_TEST_KILLS": str(kills),
            "GOSSAMER_TEST_MOST": str(1 if self.point in ONCE else self.most),
            "GOSSAMER_TEST_SAID": str(said),
        }
        for _ in range(self.most + 2):
            process = self.nest.begin(words, told)
            if not self.nest.has_ended(PATIENCE):
                everybody(process)
                pytest.fail(f"it does not end: {said.read_text()}")
            code = self.nest.code()
            if code == 0:
                break
            assert code == -signal.SIGKILL, said.read_text()
        else:
            pytest.fail("it never came to an end")
        assert kills.read_text(), "nothing was killed"


def arguments(folder: Path, web: MadeWeb, shards: int) -> tuple[str, ...]:
    """The limit of pages is never reached, but has to be asked about."""
    return tuple(crawl_arguments(folder, web.seed, "--delay", "0.01", "--shards", str(shards), "--pages", "10000"))


def named_arguments(folder: Path, seed: str) -> tuple[str, ...]:
    more = ("--delay", "0.001", "--suffix", "localhost", "--shards", "2", "--pages", "10000")
    return tuple(crawl_arguments(folder, seed, *more))
