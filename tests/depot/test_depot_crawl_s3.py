"""A crawl whose store is S3: slow, failing and full for a while, and then its disk is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from faulty_s3 import faulty_s3
from s3_server import keys

from crawler_process import gossamer_command, wait_for, with_room
from gossamer.depot.depot import Depot
from gossamer.testing import MadeWeb, WebSpec
from harness.kills import contents_of

FAST = ("--scope", "any", "--delay", "0.15", "--patience", "0", "--allow-address", "127.0.0.0/8", "--shards", "2")


def test_a_store_that_fails_and_is_full_is_waited_for_and_a_lost_disk_comes_back(
    s3: str, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = with_room(tmp_path / "web")
    keep = ("--store", bucket, "--set", "checkpoint_seconds=0.5")
    with MadeWeb(WebSpec(seed=5, hosts=4, pages=8, names="ip")).serve() as web, faulty_s3(s3) as server:
        environment = {**os.environ, **keys(server.address)}
        words = gossamer_command("crawl", str(folder), web.seed, *FAST, *keep)
        crawl = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment)
        try:
            wait_for(lambda: kept_pages(bucket) > 0)
            server.status = 503
            wait_for(lambda: server.refused >= 4)
            server.status = 507
            wait_for(lambda: server.refused >= 8)
            server.status = 0
            _, said = crawl.communicate(timeout=120)
        finally:
            crawl.kill()
            crawl.wait(60)
        assert crawl.returncode == 0, said
        assert "503" in said
        assert "nothing is fetched until it is back" in said
        whole = contents_of(folder, 2)
        assert set(whole["pages"]) == web.reachable()
        shutil.rmtree(folder)
        monkeypatch.setenv("AWS_ENDPOINT_URL", s3)
        again = gossamer_command("crawl", str(folder), *FAST[:-2], *keep)
        subprocess.run(again, check=True, capture_output=True, timeout=120)
    assert contents_of(folder, 2) == whole


def kept_pages(store: str) -> float:
    heads = [Depot(store).line(shard).newest() for shard in range(2)]
    return sum(head.counts.get("pages", 0) for head in heads if head)
