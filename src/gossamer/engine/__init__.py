"""How do workers run? It carries their messages, restarts those that die, and sees when all is quiet.

It knows nothing of the web: messages are bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.lazy import face

if TYPE_CHECKING:
    from gossamer.engine.deaths import Deaths, WorkerLost, lost
    from gossamer.engine.local import Crew, Outfit
    from gossamer.engine.protocols import SUPERVISOR, Reports, Supervisor, Work, WorkerLink

__all__ = [
    "SUPERVISOR",
    "Crew",
    "Deaths",
    "Outfit",
    "Reports",
    "Supervisor",
    "Work",
    "WorkerLink",
    "WorkerLost",
    "lost",
]

__getattr__ = face(
    __name__,
    {
        "SUPERVISOR": "protocols",
        "Crew": "local",
        "Deaths": "deaths",
        "Outfit": "local",
        "Reports": "protocols",
        "Supervisor": "protocols",
        "Work": "protocols",
        "WorkerLink": "protocols",
        "WorkerLost": "deaths",
        "lost": "deaths",
    },
)
