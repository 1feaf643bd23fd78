"""A server of ours in a thread, and what came back from it."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gossamer.web.receiver import Receiver
from gossamer.web.safety import Access, local_names
from gossamer.web.serving import LOCAL, listening, server


@dataclass(frozen=True)
class Came:
    """An answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass(frozen=True)
class Served:
    """A server that runs."""

    port: int
    access: Access
    path: Path

    @property
    def url(self) -> str:
        return f"http://{LOCAL}:{self.port}"

    def get(self, path: str, **headers: str) -> Came:
        return self.ask("GET", path, headers=headers)

    def ask(self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Came:
        connection = http.client.HTTPConnection(LOCAL, self.port, timeout=60)
        try:
            named = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return Came(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()


@contextmanager
def serving(
    path: Path, access: Access | None = None, receiver: Receiver | None = None, port: int = 0
) -> Iterator[Served]:
    """Serve a collection until the end of the block."""
    access = access or Access(local_names())
    with listening(LOCAL, port) as listener:
        running = server(path, access, receiver=receiver)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            while not running.started and thread.is_alive():
                time.sleep(0.01)
            yield Served(listener.getsockname()[1], access, path)
        finally:
            running.should_exit = True
            thread.join()
