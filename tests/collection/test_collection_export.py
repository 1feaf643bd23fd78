"""What is exported is opened by other people's tools, and never half there."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import pytest

import gossamer
from crawler_process import gossamer_command, run_gossamer
from gossamer.collection import FORMATS, Collection, Outside
from gossamer.collection.ask import parquet
from gossamer.collection.ask.export import lines, to_path
from gossamer.errors import StorageError, UsageError
from gossamer.store.foreign.trec import docs
from gossamer.store.foreign.unpacking import Unpacking
from gossamer.testing import Copies, Errors, MadeWeb, Marks, Redirects, VirtualClock, WebSpec

WEB = WebSpec(
    seed=4,
    hosts=4,
    pages=40,
    gzip=True,
    encodings=0.2,
    errors=Errors(missing=0.05),
    redirects=Redirects(chains=0.1, hops=2),
    copies=Copies(exact=0.2),
    marks=Marks(nofollow_links=0.2),
)


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    clock = VirtualClock(1_790_000_000.0)
    web = MadeWeb(WEB, clock=clock)
    collection = gossamer.open(tmp_path_factory.mktemp("crawled") / "web")
    clock.run(collection.crawl_async(web.seed, scope="any", outside=Outside(clock, web.fetch)))
    yield collection
    collection.close()


@pytest.fixture(scope="module")
def files(crawled: Collection, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The collection in every format."""
    folder = tmp_path_factory.mktemp("files")
    found = {}
    for form in FORMATS:
        if form not in ("markdown", "files", "bagit") and ("parquet" not in form or has("pyarrow")):
            found[form] = folder / f"web.{form}"
            assert to_path(lambda out, form=form: crawled.export(form, out), found[form]) > 0  # type: ignore[misc] # a loop variable
    return found


def python(*arguments: str, inside: Path) -> str:
    command = [sys.executable, "-W", "ignore", *arguments]
    done = subprocess.run(command, capture_output=True, cwd=inside, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(not has("warcio"), reason="warcio is not installed")
def test_warcio_finds_the_files_sound(files: dict[str, Path], tmp_path: Path) -> None:
    python("-m", "warcio.cli", "check", str(files["warc"]), inside=tmp_path)


@pytest.mark.skipif(not has("wacz"), reason="wacz is not installed")
def test_the_tool_of_its_authors_finds_a_wacz_file_valid(files: dict[str, Path], tmp_path: Path) -> None:
    program = "import sys; from wacz.main import main; sys.exit(main())"
    said = python("-c", program, "validate", "-f", str(files["wacz"]), inside=tmp_path)
    assert "Validation succeeded" in said


def test_a_wacz_file_has_all_that_the_standard_asks_for(files: dict[str, Path], crawled: Collection) -> None:
    with ZipFile(files["wacz"]) as wacz:
        stored = {info.filename for info in wacz.infolist() if info.compress_type == ZIP_STORED}
        assert {name for name in wacz.namelist() if name.endswith(".gz")} <= stored
        package = json.loads(wacz.read("datapackage.json"))
        assert (package["wacz_version"], package["title"]) == ("1.1.1", "web")
        listed = {resource["path"] for resource in package["resources"]}
        assert listed == set(wacz.namelist()) - {"datapackage.json", "datapackage-digest.json"}
        head, *pages = [json.loads(line) for line in wacz.read("pages/pages.jsonl").splitlines()]
        assert head["format"] == "json-pages-1.0"
        words = [(page.url, page.text) for page in crawled.pages()]
        assert [(page["url"], page["text"]) for page in pages] == words
        assert all(text for _, text in words)


REPLAY = """
import json, sys
from gevent.monkey import patch_all
patch_all()
from pywb.apps.frontendapp import FrontEndApp
from werkzeug.test import Client
client = Client(FrontEndApp(config_file=None, custom_config={"collections_root": "collections"}))
for url in json.load(open("asked.json")):
    answer = client.get(f"/web/2026id_/{url}")
    print("answer", json.dumps([answer.status_code, answer.get_data().hex()]))
"""


@pytest.mark.skipif(not has("pywb"), reason="pywb is not installed")
def test_pywb_takes_a_wacz_file_and_replays_a_hundred_pages(
    files: dict[str, Path], crawled: Collection, tmp_path: Path
) -> None:
    manage = "import sys; from pywb.manager.manager import main; main(sys.argv[1:])"
    python("-c", manage, "init", "web", inside=tmp_path)
    python("-c", manage, "add", "web", str(files["wacz"]), "--unpack-wacz", inside=tmp_path)
    sample = {page.url: page.capture.body for page, _ in zip(crawled.pages(), range(100), strict=False)}
    assert len(sample) == 100
    (tmp_path / "asked.json").write_text(json.dumps(list(sample)))
    said = python("-c", REPLAY, inside=tmp_path)
    answers = [json.loads(row[7:]) for row in said.splitlines() if row.startswith("answer ")]
    assert [(status, bytes.fromhex(body)) for status, body in answers] == [(200, body) for body in sample.values()]


def test_trec_documents_are_the_pages(files: dict[str, Path], crawled: Collection) -> None:
    with files["trec"].open("rb") as file:
        found = [each[1] for each in docs(Unpacking(file), 1 << 24) if isinstance(each, tuple) and len(each) == 3]
    pages = list(crawled.pages())
    assert [doc.url for doc in found] == [page.url for page in pages]
    assert [doc.body for doc in found] == [page.capture.body for page in pages]
    assert [doc.head for doc in found] == [page.capture.head for page in pages]
    assert [doc.began for doc in found] == [int(page.version.began) for page in pages]
    assert len({doc.number for doc in found}) == len(pages)


@pytest.mark.skipif(not has("pyarrow"), reason="pyarrow is not installed")
def test_parquet_has_the_fields_of_jsonl(files: dict[str, Path], tmp_path: Path) -> None:
    rows = [json.loads(line) for line in files["jsonl"].read_bytes().splitlines()]
    program = "import json, sys; from pyarrow import parquet; t = parquet.read_table(sys.argv[1])\n"
    program += "print(json.dumps(t.to_pylist(), default=lambda d: d.isoformat()))"
    table = json.loads(python("-c", program, str(files["parquet"]), inside=tmp_path))
    for each in table:
        each["fetched"] = each["fetched"].replace("+00:00", "Z")
        each["fetched"] = each["fetched"].replace("000Z", "Z") if "." in each["fetched"] else each["fetched"]
        each["last_modified"] = each["last_modified"] and each["last_modified"].replace("+00:00", ".000Z")
    assert any(each["last_modified"] for each in table)
    for each in rows:
        each["fetched"] = each["fetched"].replace(".000Z", "Z")
        assert None not in each.values()
        each.update({name: each[name] or None for name in ("language", "author", "published", "modified")})
        each.update({name: each[name] or None for name in ("last_modified", "copy_of", "near_copy_of")})
    assert table == rows


@pytest.mark.skipif(not has("pyarrow"), reason="pyarrow is not installed")
def test_whichever_lines_of_jsonl_are_looked_at_the_columns_have_the_same_types(files: dict[str, Path]) -> None:
    """Hugging Face's `load_dataset("json")` guesses types by the first lines, and they hold for all others."""
    from pyarrow import json as reader

    lines = files["jsonl"].read_bytes().splitlines(keepends=True)
    linked = [line for line in lines if b'"links": []' not in line]
    schemas = {str(reader.read_json(io.BytesIO(line)).schema) for line in linked}
    assert len(linked) > 100
    assert len(schemas) == 1
    assert "null" not in schemas.pop()


def test_dates_of_jsonl_are_written_in_one_way(crawled: Collection) -> None:
    found = next(iter(crawled.pages()))
    headers = (("last-modified", "Mon, 21 Sep 2026 14:13:20 GMT"),)
    silent = replace(found, capture=replace(found.capture, headers=()))
    assert silent.last_modified is None
    assert json.loads(next(lines([silent])))["last_modified"] == ""
    page = replace(found.page, published=1_790_000_000.0, modified=None)
    dated = replace(found, page=page, capture=replace(found.capture, headers=headers))
    assert dated.last_modified == datetime(2026, 9, 21, 14, 13, 20, tzinfo=UTC)
    told = json.loads(next(lines([dated])))
    assert (told["published"], told["modified"]) == ("2026-09-21T14:13:20.000Z", "")
    assert told["last_modified"] == "2026-09-21T14:13:20.000Z"


def test_without_pyarrow_the_message_names_the_cure(crawled: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install '\.\[parquet\]'"):
        parquet.write(crawled.pages(), io.BytesIO())


@pytest.mark.skipif(not has("networkx"), reason="networkx is not installed")
def test_networkx_reads_the_edges(files: dict[str, Path], crawled: Collection) -> None:
    import networkx

    graph = networkx.read_edgelist(files["graph"], delimiter="\t", create_using=networkx.DiGraph)
    edges = {(page.url, link.url) for page in crawled.pages() for link in page.links if "nofollow" not in link.rel}
    assert set(graph.edges) == edges


def test_warc_files_can_be_had_one_by_one(crawled: Collection, tmp_path: Path) -> None:
    result = run_gossamer("export", str(crawled.path), "warc", "-o", str(tmp_path))
    assert result.returncode == 0, result.stderr
    whole = sorted((crawled.path / "shards/00/captures").glob("*.warc.gz"))
    assert [(path.name, path.read_bytes()) for path in sorted(tmp_path.iterdir())] == [
        (path.name, path.read_bytes()) for path in whole
    ]


def test_what_is_there_is_not_written_over(crawled: Collection, tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl").write_text("mine")
    result = run_gossamer("export", str(crawled.path), "jsonl", "-o", str(tmp_path / "pages.jsonl"))
    assert result.returncode == UsageError.exit_code
    assert "is there already" in result.stderr
    assert (tmp_path / "pages.jsonl").read_text() == "mine"


def test_an_export_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def write(out: Any) -> int:
        raise OSError(28, "No space left on device", out.raw.name)

    with pytest.raises(StorageError, match="No space left"):
        to_path(write, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_is_killed_leaves_no_half_file_under_its_name(crawled: Collection, tmp_path: Path) -> None:
    target = tmp_path / "pages.jsonl"
    process = subprocess.Popen(gossamer_command("export", str(crawled.path), "jsonl", "-o", str(target)))
    until = time.monotonic() + 60
    while process.poll() is None and not [*tmp_path.glob("*.partial")] and time.monotonic() < until:
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not target.exists() or len(target.read_bytes().splitlines()) == crawled.status().pages
