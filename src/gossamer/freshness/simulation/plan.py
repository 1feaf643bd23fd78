"""Which web, which budget? A plan of a simulation as a value, read from TOML that somebody wrote, and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from math import inf, isfinite
from typing import Any, Literal, TypeAlias, cast, get_args

from gossamer import toml_text
from gossamer.errors import InvalidPlan
from gossamer.freshness.revisit import Goal

Law: TypeAlias = Literal["lognormal", "pareto", "classes"]
Dates: TypeAlias = Literal["none", "right", "now", "never", "random"]
MOST_PAGES, MOST_DAYS = 2_000_000, 3_650
MOST_VISITS = 1e9
"""A day, as of a watch."""

EXAMPLE = """\
# A plan for `gossamer simulate`. Every line may be left out, and is then as it stands here.

pages = 10_000          # of the made web
budget = 5_000          # visits a day
days = 60               # figures are for the second half of them, when the learner has learned
goal = "age"            # what the best schedule and the learner are for, as in `gossamer watch`: "age" or "freshness"
seed = 1                # another number is another web of the same kind

[rates]                 # how often pages change, a day
law = "lognormal"       # half of the pages change less often than `median`; `sigma` is how much they differ
median = 0.2
sigma = 1.5
# law = "pareto"        # many pages that change about `least` often, and few that do so far more often
# least = 0.05
# shape = 1.2           # the smaller, the more pages change very often
# law = "classes"       # or so many of each kind: shares of all pages, which are 1 together
# classes = [{share = 0.2, rate = 1.0}, {share = 0.8, rate = 0.02}]

[importance]            # how much a page counts
law = "pareto"          # or "equal"
shape = 1.5

[dates]                 # of changes, in sitemaps that are read once a day; only the learner listens
lastmod = "none"        # "right", or wrong: always "now", "never" moved, "random"
share = 1.0             # of the pages that have one
sites = 100             # each is trusted or not by itself

[cycle]
day = 0.0               # up to 1: changes come by day, and none in the middle of the night
weekend = 1.0           # how often pages change on a Saturday or Sunday, compared with other days
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """Pages that change equally often."""

    share: float
    rate: float


@dataclass(frozen=True, slots=True)
class Rates:
    """How often pages change, a day."""

    law: Law = "lognormal"
    median: float = 0.2
    sigma: float = 1.5
    least: float = 0.05
    shape: float = 1.2
    classes: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class Importance:
    """How much a page counts."""

    law: Literal["pareto", "equal"] = "pareto"
    shape: float = 1.5


@dataclass(frozen=True, slots=True)
class Dated:
    """What sitemaps say of changes."""

    lastmod: Dates = "none"
    share: float = 1.0
    sites: int = 100


@dataclass(frozen=True, slots=True)
class Cycle:
    """When in a day and in a week changes come."""

    day: float = 0.0
    weekend: float = 1.0


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a simulation depends on."""

    pages: int = 10_000
    budget: float = 5_000.0
    days: int = 60
    goal: Goal = "age"
    seed: int = 1
    rates: Rates = field(default_factory=Rates)
    importance: Importance = field(default_factory=Importance)
    dates: Dated = field(default_factory=Dated)
    cycle: Cycle = field(default_factory=Cycle)


@dataclass(frozen=True, slots=True)
class _Number:
    least: float
    most: float = inf
    whole: bool = False
    above: bool = False
    """The least itself is too little."""

    def __call__(self, name: str, value: object) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
        number = cast("float", value) if is_number else inf
        if not is_number or (self.whole and number != int(number)):
            raise InvalidPlan(f"{name} = {_written(value)}: it is a {'whole ' * self.whole}number, as in `{name} = 1`")
        if not self.least <= number <= self.most or (self.above and number == self.least):
            low = f"more than {self.least:,.10g}" if self.above else f"{self.least:,.10g} or more"
            high = f" and at most {self.most:,.10g}" if self.most < inf else ""
            raise InvalidPlan(f"{name} = {_written(value)}: it is {low}{high}")
        return int(number) if self.whole else float(number)


def _one_of(*choices: str) -> Callable[[str, object], str]:
    def check(name: str, value: object) -> str:
        if value not in choices:
            raise InvalidPlan(f"{name} = {_written(value)}: it is one of {', '.join(map(_written, choices))}")
        return str(value)

    return check


def _kinds(name: str, value: object) -> tuple[Kind, ...]:
    shape = "it is a list as in `classes = [{share = 0.2, rate = 1.0}, {share = 0.8, rate = 0.02}]`"
    if not isinstance(value, list) or not value or not all(isinstance(each, dict) for each in value):
        raise InvalidPlan(f"{name} = {_written(value)}: {shape}")
    if any(each.keys() != {"share", "rate"} for each in value):
        raise InvalidPlan(f"{name}: each has a share and a rate and nothing else; {shape}")
    share, rate = _Number(0.0, 1.0), _Number(0.0, 1e4)
    kinds = tuple(Kind(share(f"{name}.share", each["share"]), rate(f"{name}.rate", each["rate"])) for each in value)
    total = sum(kind.share for kind in kinds)
    if abs(total - 1) > 1e-6:
        raise InvalidPlan(f"{name}: their shares are {total:g} together, and must be 1")
    return kinds


_TOP: Mapping[str, Callable[[str, object], object]] = {
    "pages": _Number(1, MOST_PAGES, whole=True),
    "budget": _Number(0, MOST_VISITS, above=True),
    "days": _Number(2, MOST_DAYS, whole=True),
    "goal": _one_of(*get_args(Goal)),
    "seed": _Number(0, 2**63, whole=True),
}
_TABLES: Mapping[str, tuple[type, Mapping[str, Callable[[str, object], object]]]] = {
    "rates": (
        Rates,
        {
            "law": _one_of(*get_args(Law)),
            "median": _Number(0, 1e4, above=True),
            "sigma": _Number(0, 10),
            "least": _Number(0, 1e4, above=True),
            "shape": _Number(0.1, 100),
            "classes": _kinds,
        },
    ),
    "importance": (Importance, {"law": _one_of("pareto", "equal"), "shape": _Number(0.1, 100)}),
    "dates": (
        Dated,
        {"lastmod": _one_of(*get_args(Dates)), "share": _Number(0, 1), "sites": _Number(1, 1e6, whole=True)},
    ),
    "cycle": (Cycle, {"day": _Number(0, 1), "weekend": _Number(0, 100)}),
}


def read(text: str, source: str) -> Plan:
    """The plan that a text in TOML says; `source` is named where it is wrong."""
    try:
        return _checked(toml_text.loads(text))
    except toml_text.InvalidTOML as error:
        raise InvalidPlan(f"{source}: not valid TOML: {error}; `gossamer simulate --example` prints a plan") from error
    except InvalidPlan as error:
        raise InvalidPlan(f"{source}: {error}; `gossamer simulate --example` explains each line") from error


def _checked(said: Mapping[str, Any]) -> Plan:
    values: dict[str, Any] = {}
    for name, value in said.items():
        if name in _TOP:
            values[name] = _TOP[name](name, value)
        elif name in _TABLES:
            if not isinstance(value, dict):
                raise InvalidPlan(f"{name} = {_written(value)}: it is a table, which begins with a line `[{name}]`")
            kind, known = _TABLES[name]
            values[name] = kind(**{key: _known(known, key, name)(f"{name}.{key}", each) for key, each in value.items()})
        else:
            _known({**_TOP, **_TABLES}, name, "")
    plan = Plan(**values)
    if plan.rates.classes and "law" not in said["rates"]:
        plan = replace(plan, rates=replace(plan.rates, law="classes"))
    if plan.rates.law == "classes" and not plan.rates.classes:
        raise InvalidPlan('rates.law = "classes": say which, as in `classes = [{share = 1.0, rate = 0.1}]`')
    return plan


def _known(known: Mapping[str, Any], name: str, table: str) -> Callable[[str, object], object]:
    if name not in known:
        near = get_close_matches(name, known, 1)
        place = f"[{table}] has" if table else "a plan has"
        cure = f"did you mean {near[0]}?" if near else f"{place} {', '.join(known)}"
        raise InvalidPlan(f"{name!r} is not known{f' in [{table}]' if table else ''}: {cure}")
    found: Callable[[str, object], object] = known[name]
    return found


def _written(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)[:80]
