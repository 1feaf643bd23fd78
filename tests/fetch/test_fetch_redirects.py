"""Where an answer leads to."""

import pytest

from gossamer.fetch.redirects import target
from gossamer.model import Capture, Visit

PAGE = "http://a.test/one/two"


def answer(location: str, status: int = 301, url: str = PAGE) -> Capture:
    return Capture(Visit(url), 0.0, 0.1, status, (("location", location),))


@pytest.mark.parametrize(
    ("location", "meant"),
    [
        ("/three", "http://a.test/three"),
        ("three?a=b#c", "http://a.test/one/three?a=b"),
        ("//b.test", "http://b.test/"),
        ("/ä".encode().decode("latin-1"), "http://a.test/%C3%A4"),  # raw UTF-8, as a client reads it
        ("/\xe4", "http://a.test/%C3%A4"),
        ("", None),
        ("mailto:somebody@a.test", None),
        ("http://", None),
    ],
)
def test_a_location_is_read_as_it_was_meant(location: str, meant: str | None) -> None:
    assert target(answer(location)) == meant


@pytest.mark.parametrize("status", [200, 300, 301, 302, 303, 304, 305, 306, 307, 308, 404])
def test_only_redirects_lead_anywhere(status: int) -> None:
    assert (target(answer("/three", status)) is not None) == (status in (301, 302, 303, 307, 308))


def test_a_folder_of_another_protocol_leads_within_it() -> None:
    assert target(answer("three/", url="ftp://a.test/one")) == "ftp://a.test/three/"
