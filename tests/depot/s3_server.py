"""SeaweedFS as S3 on loopback, for as long as somebody needs it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.ports import free_port

PATIENCE = 120.0
BUCKET = "crawls"


def weed() -> str | None:
    """Where the server is; None where it is not installed."""
    return shutil.which("weed", path=str(Path(sys.executable).parent))


@contextmanager
def s3_server(folder: Path) -> Iterator[str]:
    """Its address. It has one bucket."""
    command = weed()
    assert command is not None
    master, volume, filer, s3 = (free_port(10_000) for _ in range(4))  # it takes those for itself, too
    words = [command, "-logtostderr", "server", f"-dir={folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3"]
    words += [f"-master.port={master}", f"-volume.port={volume}", f"-filer.port={filer}", f"-s3.port={s3}"]
    words += ["-master.volumeSizeLimitMB=64", "-volume.max=16", "-s3.iam=false", "-master.telemetry=false"]
    words += ["-s3.port.iceberg=0", "-s3.port.lance=0"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log, cwd=folder)
    try:
        address = f"http://127.0.0.1:{s3}"
        wait_for_bucket(address, process, folder / "log")
        yield address
    finally:
        process.kill()  # it would take its time, and nothing of it is needed any more
        process.wait(PATIENCE)


def wait_for_bucket(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            for name in (BUCKET, f"{BUCKET}/first"):  # room is made with the first object
                request = urllib.request.Request(f"{address}/{name}", b"first" * 1_000, method="PUT")
                urllib.request.urlopen(request, timeout=30).close()
            return
        except (OSError, urllib.error.HTTPError):
            assert process.poll() is None, log.read_text(errors="replace")[-2_000:]
            assert time.monotonic() < until, log.read_text(errors="replace")[-2_000:]
            time.sleep(0.1)


def keys(address: str) -> dict[str, str]:
    """What a process has to know of a server."""
    secret = {"AWS_ACCESS_KEY_ID": "crawler", "AWS_SECRET_ACCESS_KEY": "secret"}
    return {"AWS_ENDPOINT_URL": address, "AWS_REGION": "us-east-1", **secret}
