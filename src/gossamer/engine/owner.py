"""Who is in charge of workers? Their owner, who is told what happens; where that goes wrong nobody is, and all ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable


class Owned(ABC):
    """A supervisor that tells its owner what happens."""

    _errors: list[Exception]
    """What `run` raises, the first of them."""

    @abstractmethod
    def terminate(self) -> None:
        """End all workers now."""

    def _call(self, callback: Callable[..., None], *told: object) -> None:
        try:
            callback(*told)
        except Exception as error:
            self._go_wrong(error)

    def _go_wrong(self, error: Exception) -> None:
        """A callback of the owner raised: nobody is in charge any more, so all ends, and `run` raises it."""
        self._errors.append(error)
        self.terminate()
