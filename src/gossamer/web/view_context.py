"""What every view needs: the collection, the templates, who may do what."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from gossamer.collection import Collection
from gossamer.errors import Damaged, GossamerError, Locked, NotACollection, NotFound, StorageError, UsageError
from gossamer.web.api.problems import is_for_programs, problem
from gossamer.web.leases import Busy, Exports, Leases
from gossamer.web.safety import Access
from gossamer.web.timings import Timings

T = TypeVar("T")
STATUS: dict[type[GossamerError], int] = {
    Busy: 503, UsageError: 400, NotFound: 404, NotACollection: 404, Locked: 409, Damaged: 500, StorageError: 503,
}  # fmt: skip
"""What a fault of ours is in HTTP."""


@dataclass(frozen=True, slots=True)
class Face:
    """One server."""

    leases: Leases
    access: Access
    templates: Environment
    name: str
    """Of the collection."""
    exports: Exports = field(default_factory=Exports)
    timings: Timings = field(default_factory=Timings)
    walking: Lock = field(default_factory=Lock)
    """Held while every address is looked at."""

    async def ask(self, question: Callable[[Collection], T], limit: float | None = None) -> T:
        """What the collection answers."""
        with self.timings.timed():
            return await self.leases.ask(question, limit)

    async def ask_at(self, question: Callable[[Collection, str], T], limit: float | None = None) -> T:
        """The same for who has to know which state of the collection the answer is of."""
        with self.timings.timed():
            return await self.leases.ask_at(question, limit)

    async def walk(self, question: Callable[[Collection], T], limit: float | None = None) -> T:
        """The same for a question that looks at every address."""
        return await self.ask(lambda web: self.alone(lambda: question(web)), limit)

    def alone(self, answer: Callable[[], T]) -> T:
        """Look at every address: one at a time does, so that others find a reader free."""
        if not self.walking.acquire(blocking=False):
            raise Busy("another question that looks at every address is not answered yet; ask again in a moment")
        try:
            return answer()
        finally:
            self.walking.release()

    def page(self, request: Request, template: str, code: int = 200, /, **values: Any) -> HTMLResponse:
        """A view as HTML."""
        words = self.templates.get_template(template).render(
            name=self.name,
            path=request.url.path,
            code=code,
            question=values.pop("question", ""),
            read_only=self.access.read_only,
            token=self.access.token,
            now=time.time(),
            **values,
        )
        headers = {"retry-after": "2"} if code == 503 else None
        # Lone surrogates come from addresses and names; no output can be encoded with them.
        return HTMLResponse(words.encode("utf-8", "replace"), code, headers)


def face_of(request: Request) -> Face:
    """The server that a request came to."""
    found: Face = request.app.state.face
    return found


def status_of(error: GossamerError) -> int:
    """The HTTP status that tells a fault best."""
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)


async def failed(request: Request, error: Exception) -> Response:
    """The page for something that did not work, with its cure; for programs, the same as JSON."""
    assert isinstance(error, GossamerError)
    if is_for_programs(request.url.path):
        return problem(request, status_of(error), str(error))
    return face_of(request).page(request, "error.html", status_of(error), problem=str(error))
