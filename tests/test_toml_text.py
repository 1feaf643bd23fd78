"""Every file in TOML that people write is read through one door, and whatever stands there is no traceback."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gossamer import plan, setting_text, toml_text
from gossamer.cli.main import main
from gossamer.collection.alert import saved
from gossamer.collection.crawl.credentials import Credentials, logins
from gossamer.errors import GossamerError
from gossamer.freshness.simulation.plan import read

SOURCE = Path(__file__).resolve().parents[1] / "src" / "gossamer"
HOSTILE = {
    "400 digits": "9" * 400,
    "5,000 digits": "9" * 5_000,
    "hex": "0x" + "f" * 20_000,
    "deep": "[" * 20_000,
    "deep and whole": "[" * 20_000 + "]" * 20_000,
    "a number in a list": "[{a = 9223372036854775808}]",
    "no TOML": "= =",
}
PLACES = {"cores": "cores", "pages": "pages", "key": "x." * 2_000 + "y", "key in a table": "[x]\n" + "y." * 2_000 + "z"}


def _machine(file: Path) -> None:
    if main(["plan-cluster", "web", "--pages", "10", "--machine", str(file)]) == 2:
        raise GossamerError("as it should be")


def _alerts(file: Path) -> None:
    (file.parent / saved.FILE).write_bytes(file.read_bytes())
    saved.load(file.parent)


def _setting(file: Path) -> None:
    setting_text.parsed("logins", f"{{ {file.read_text()} }}")


READERS: dict[str, Callable[[Path], object]] = {
    "plan": plan.load,
    "price table": _machine,
    "alerts": _alerts,
    "logins": lambda file: logins(plan.Plan(), Credentials(login=file), ()),
    "simulation": lambda file: read(file.read_text(), "my.toml"),
    "setting": _setting,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("value", HOSTILE)
def test_what_nobody_can_mean_is_told_in_a_line(tmp_path: Path, reader: str, value: str) -> None:
    for number, key in enumerate(PLACES.values()):
        file = tmp_path / f"{number}.toml"
        file.write_text(f"{key} = {HOSTILE[value]}\n")
        file.chmod(0o600)
        with pytest.raises(GossamerError) as caught:
            READERS[reader](file)
        assert len(str(caught.value)) < 1_000


def test_numbers_are_those_that_toml_has() -> None:
    assert toml_text.loads("a = -9223372036854775808\nb = 9223372036854775807") == {"a": -(1 << 63), "b": (1 << 63) - 1}
    with pytest.raises(toml_text.InvalidTOML, match="a number is too large"):
        toml_text.loads("a = [[{b = 9223372036854775809}]]")


def test_there_is_one_door() -> None:
    reading = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if re.search(r"^\s*(?:import|from) tomllib\b", path.read_text(), re.MULTILINE)
    }
    assert reading == {"toml_text.py", "convert/files/text/toml.py"}, "documents of the web are read apart, and shown"
