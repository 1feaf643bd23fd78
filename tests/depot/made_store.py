"""A store in memory, whose users die at any of its calls, and which is away now and then."""

from __future__ import annotations

import random
from collections.abc import Callable

from gossamer.errors import StoreAway


class Died(BaseException):
    """The process that made this call is dead."""


class MemoryObjects:
    """Keeps objects as a store should."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def begin(self) -> None:
        pass

    def put(self, name: str, data: bytes) -> None:
        self.kept[name] = data

    def create(self, name: str, data: bytes) -> bool:
        return self.kept.setdefault(name, data) is data

    def get(self, name: str) -> bytes:
        if name not in self.kept:
            raise FileNotFoundError(name)
        return self.kept[name]

    def get_range(self, name: str, start: int, length: int) -> bytes:
        return self.get(name)[start : start + length]

    def names(self, prefix: str) -> list[str]:
        return sorted(name for name in self.kept if name.startswith(prefix))

    def delete(self, name: str) -> None:
        self.kept.pop(name, None)


class Unsteady(MemoryObjects):
    """Each call may be the last of whoever makes it, or fail before or after it is done; and others may come first."""

    def __init__(self, chance: random.Random, meanwhile: Callable[[], None]) -> None:
        super().__init__()
        self._chance = chance
        self._meanwhile = meanwhile
        self.deadly = self.away = self.interrupted = 0.0

    def put(self, name: str, data: bytes) -> None:
        self._around(lambda: MemoryObjects.put(self, name, data))

    def create(self, name: str, data: bytes) -> bool:
        return bool(self._around(lambda: MemoryObjects.create(self, name, data)))

    def get(self, name: str) -> bytes:
        return self._around(lambda: MemoryObjects.get(self, name))  # type: ignore[return-value]  # it is bytes

    def names(self, prefix: str) -> list[str]:
        return self._around(lambda: MemoryObjects.names(self, prefix))  # type: ignore[return-value]  # likewise

    def delete(self, name: str) -> None:
        self._around(lambda: MemoryObjects.delete(self, name))

    def _around(self, call: Callable[[], object]) -> object:
        self._strike()
        if self._chance.random() < self.interrupted:
            self._meanwhile()
        result = call()
        self._strike()
        return result

    def _strike(self) -> None:
        if self._chance.random() < self.deadly:
            raise Died
        if self._chance.random() < self.away:
            raise StoreAway("the store is away")
