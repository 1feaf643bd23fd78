"""Pause, go on, stop, add seeds, change settings, try again: each says first what will happen.

A question is answered by GET; what changes something is sent by POST, with our token. A crawl hears of it by way of
the directory of the collection, as from the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gossamer.collection import Status
from gossamer.printable import counted
from gossamer.setting_text import parsed
from gossamer.settings import SETTINGS
from gossamer.web.safety import fields_of
from gossamer.web.steering import Wanted, steered, unknown
from gossamer.web.view_context import face_of

CHANGEABLE = ("delay", "per_host", "pages", "depth", "scope", "include", "exclude")
"""Settings that stand on the page; `gossamer set` changes all others."""
SEEDS_SHOWN = 20
AT_LIMIT = "as it is, a crawl would fetch nothing new. Raise it, and the crawl goes on; 0 stands for no limit."


@dataclass(frozen=True, slots=True)
class Action:
    """Something that can be done to a crawl."""

    name: str
    """On the button."""
    tells: Callable[[Status], str]
    """What will happen."""
    done: str
    """What has happened."""


def _waiting(status: Status) -> str:
    return f"{counted(status.queued, 'address')} that {'waits' if status.queued == 1 else 'wait'}"


ACTIONS: Mapping[str, Action] = {
    "pause": Action(
        "Pause",
        lambda status: "What is under way is finished. Nothing more is fetched until you resume; nothing is lost.",
        "The crawl is asked to pause.",
    ),
    "resume": Action(
        "Resume",
        lambda status: f"The crawl goes on with {_waiting(status)}.",
        "The crawl is asked to go on.",
    ),
    "stop": Action(
        "Stop",
        lambda status: "What is under way is finished, and the crawl ends. Started again, it goes on where it stopped.",
        "The crawl is asked to stop.",
    ),
    "start": Action(
        "Crawl on",
        lambda status: (
            f"A crawl begins with the settings of the plan and {_waiting(status)}. It fetches from the web, and it "
            "goes on when this server ends."
            if status.queued
            else "Nothing waits to be fetched, so a crawl ends soon; add seeds before, or try failures again."
        ),
        "The crawl has begun.",
    ),
    "retry": Action(
        "Try failures again",
        lambda status: (
            f"{counted(status.failed, 'address')} that failed will be asked for once more, as politely as ever."
        ),
        "What failed is tried again.",
    ),
}
DONE = {name: action.done for name, action in ACTIONS.items()} | {
    "add": "The seeds are added.",
    "set": "The settings are changed.",
}
"""What the dashboard says afterwards."""
FOLLOWED = ("pause", "resume", "stop", "start")
"""Whether it has happened is seen by the state of the crawl, and it cannot be asked for again then."""


async def confirm(request: Request) -> Response:
    """What will happen, and the button that does it."""
    face, name = face_of(request), request.path_params["action"]
    action = _action(name)
    status, plan = await face.ask(lambda web: (web.status(), web.plan))
    words, pages = action.tells(status), 0
    if name == "start" and status.held_by and 0 < plan.pages <= status.pages:
        words, pages = f"The limit of {counted(plan.pages, 'page')} is reached: {AT_LIMIT}", 2 * plan.pages
    return face.page(request, "confirm.html", action=action, action_name=name, words=words, pages=pages)


async def change(request: Request) -> Response:
    """Seeds and settings."""
    face = face_of(request)
    plan, crawling = await face.ask(lambda web: (web.plan, web.status().crawling))
    fields = [_field(name, getattr(plan, name)) for name in CHANGEABLE]
    return face.page(
        request, "change.html", fields=fields, crawling=crawling, seeds=plan.seeds[:SEEDS_SHOWN], of=len(plan.seeds)
    )


def _field(name: str, value: Any) -> dict[str, Any]:
    setting = SETTINGS[name]
    shown = "\n".join(value) if isinstance(value, tuple) else f"{value:g}" if isinstance(value, float) else value
    return {
        "name": name,
        "value": shown,
        "many": isinstance(value, tuple),
        "choices": setting.choices,
        "text": setting.text,
    }


async def steer(request: Request) -> Response:
    """Do it."""
    face, name = face_of(request), request.path_params["action"]
    form = fields_of(await request.body())
    settings = {each: _value(each, form[each]) for each in CHANGEABLE if each in form}
    if settings:  # the form sends all of them, and a delay that is named sets that of IP addresses too
        plan = await face.ask(lambda web: web.plan)
        settings = {each: value for each, value in settings.items() if value != getattr(plan, each)}
    seeds = [line.strip() for line in form.get("seeds", "").splitlines() if line.strip()]
    await steered(face, Wanted(name, seeds=seeds, settings=settings))
    return RedirectResponse(f"/crawl?done={name}", 303)


def _value(name: str, text: str) -> Any:
    """A list stands on lines."""
    if isinstance(SETTINGS[name].default, tuple):
        return tuple(line.strip() for line in text.splitlines() if line.strip())
    return parsed(name, text.strip())


def _action(name: str) -> Action:
    if name not in ACTIONS:
        raise unknown(name)
    return ACTIONS[name]
