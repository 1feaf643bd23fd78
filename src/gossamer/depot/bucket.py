"""A bucket of S3, or of a server that speaks like it, as a store.

obstore, which is the object_store of Apache Arrow in Rust: 14 MB where boto3 brings 90, and conditional writes are part
of it (`If-None-Match`). Keys and the address of the server come from the usual variables of the environment (AWS_...).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import S3Store

from gossamer.depot.objects import WHOLE_MOST
from gossamer.errors import Damaged, StoreAway, UsageError

if TYPE_CHECKING:
    from obstore.store import ClientConfig

TIMEOUT = "120s"
"""For an object of 32 MB; a network that is slower than 0.3 MB/s will not do."""
CONNECT = "5s"
RETRIES = 1
"""Of the library. Whoever asks tries again by itself, and says that it waits."""
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Bucket:
    """Objects below a path of a bucket."""

    def __init__(self, url: str) -> None:
        """By its address, s3://BUCKET/PATH."""
        parts = urlsplit(url)
        if not parts.netloc:
            raise UsageError(f"{url}: has no bucket; a store is a folder or s3://BUCKET/PATH")
        self._url = url.rstrip("/")
        endpoint = next((os.environ[name] for name in _ENDPOINTS if os.environ.get(name)), None)
        options: ClientConfig = {"timeout": TIMEOUT, "connect_timeout": CONNECT}
        if endpoint and urlsplit(endpoint).hostname in _LOOPBACK:
            options["allow_http"] = True  # to other machines only with TLS, unless AWS_ALLOW_HTTP says otherwise
        more: dict[str, Any] = {"endpoint": endpoint} if endpoint else {}
        try:
            self._store = S3Store(
                parts.netloc,
                prefix=parts.path.strip("/") or None,
                client_options=options,
                retry_config={"max_retries": RETRIES},
                **more,
            )
        except (BaseError, ValueError) as error:
            raise UsageError(f"{url}: {_line(error)}; docs/cluster.md names the variables that it reads") from error

    def begin(self) -> None:
        """A bucket is made by its owner."""

    def put(self, name: str, data: bytes) -> None:
        with self._told(writes=True):
            obstore.put(self._store, name, data, use_multipart=False)

    def create(self, name: str, data: bytes) -> bool:
        try:
            with self._told(writes=True):
                obstore.put(self._store, name, data, mode="create", use_multipart=False)
        except FileExistsError:
            return False
        return True

    def get(self, name: str) -> bytes:
        with self._told():
            found = obstore.get(self._store, name)
            if found.meta["size"] > WHOLE_MOST:
                raise Damaged(f"{self._url}/{name}: is larger than any object of ours; delete it there")
            return bytes(found.bytes())

    def get_range(self, name: str, start: int, length: int) -> bytes:
        with self._told():
            return bytes(obstore.get_range(self._store, name, start=start, length=length)) if length else b""

    def names(self, prefix: str) -> list[str]:
        with self._told():
            found = obstore.list(self._store, prefix.rstrip("/"))
            return sorted(each["path"] for some in found for each in some)

    def delete(self, name: str) -> None:
        try:
            with self._told():
                obstore.delete(self._store, name)
        except FileNotFoundError:
            pass

    @contextmanager
    def _told(self, *, writes: bool = False) -> Iterator[None]:
        """What the library says in our words. What is written has no name yet, so it is the bucket that is missing."""
        try:
            yield
        except AlreadyExistsError as error:
            raise FileExistsError(_line(error)) from error
        except (BaseError, OSError) as error:
            if isinstance(error, (NotFoundError, FileNotFoundError)) and not writes:
                raise FileNotFoundError(_line(error)) from error
            raise StoreAway(f"{self._url}: {_line(error)}") from error


def _line(error: Exception) -> str:
    """What the library says, on one line; it explains itself over many."""
    return " ".join(str(error).partition("\n\nDebug source")[0].split())[:300]
