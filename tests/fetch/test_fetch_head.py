"""The head that counts is found among all that come, and its limits hold to the line."""

from __future__ import annotations

import pytest

from gossamer.fetch import Limits
from gossamer.fetch.head import Head, read_head
from gossamer.model import Failure, Fault

STATUS, END = b"HTTP/1.1 200 OK\r\n", b"\r\n"
INTERIM = [b"HTTP/1.1 103 Early Hints\r\n", b"Link: </x>\r\n", END]


def read(*lines: bytes, **limits: int) -> Head | Failure:
    return read_head(list(lines), Limits(**limits))


def fault(head: Head | Failure) -> Fault | None:
    return head.fault if isinstance(head, Failure) else None


def test_as_many_lines_as_are_allowed_and_no_more() -> None:
    fields = [b"X: %d\r\n" % number for number in range(4)]
    assert fault(read(STATUS, *fields[:3], END, head_lines=3)) is None
    assert fault(read(STATUS, *fields, END, head_lines=3)) is Fault.HEADERS_TOO_LARGE
    assert fault(read(*INTERIM * 2, STATUS, *fields[:3], END, head_lines=3)) is None


def test_as_many_bytes_as_are_allowed_interim_ones_included() -> None:
    lines = [*INTERIM, STATUS, b"X: y\r\n", END]
    size = sum(map(len, lines))
    assert fault(read(*lines, head_bytes=size)) is None
    assert fault(read(*lines, head_bytes=size - 1)) is Fault.HEADERS_TOO_LARGE


def test_as_many_interim_answers_as_are_allowed_and_no_more() -> None:
    head = read(*INTERIM * 2, STATUS, END, interim=2)
    assert isinstance(head, Head)
    assert (head.raw, head.status) == (STATUS + END, 200)
    refused = read(*INTERIM * 3, STATUS, END, interim=2)
    assert str(refused) == "protocol: more than 2 interim answers"
    assert fault(read(*INTERIM, STATUS, END, interim=0)) is Fault.PROTOCOL


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [STATUS],
        [STATUS, b"X: y\r\n"],
        INTERIM,
        INTERIM[:1],
        INTERIM[:2],
        [*INTERIM, STATUS],
        [*INTERIM, b"HTTP/1.1 "],
    ],
)
def test_a_head_that_breaks_off_is_incomplete(lines: list[bytes]) -> None:
    assert str(read(*lines)) == "incomplete: closed before the end of the head"


@pytest.mark.parametrize("status", [199, 200, 299])
def test_what_begins_with_one_is_interim_and_nothing_else(status: int) -> None:
    head = read(b"HTTP/1.1 %d X\r\n" % status, END, STATUS.replace(b"200", b"204"), END)
    assert isinstance(head, Head)
    assert head.status == (204 if status < 200 else status)


def test_switching_protocols_is_refused() -> None:
    assert fault(read(b"HTTP/1.1 101 Switching Protocols\r\n", END, STATUS, END)) is Fault.PROTOCOL
    assert fault(read(b"HTTP/1.1 102 Processing\r\n", END, STATUS, END)) is None


def test_line_feeds_alone_end_lines_too() -> None:
    head = read(b"HTTP/1.1 200 OK\n", b"Content-Type: Text/HTML ; charset=x\n", b"\n")
    assert isinstance(head, Head)
    assert (head.headers, head.media_type) == ((("content-type", "Text/HTML ; charset=x"),), "text/html")


@pytest.mark.parametrize(
    ("fields", "chunked", "codings"),
    [
        ([], False, ()),
        ([b"Content-Encoding: gzip, br"], False, ("gzip", "br")),
        ([b"Content-Encoding: GZIP", b"X: y", b"content-encoding: br,"], False, ("gzip", "br")),
        ([b"Content-Encoding: identity, gzip"], False, ("gzip",)),
        ([b"Content-Encoding: UTF-8"], False, ()),
        ([b"Transfer-Encoding: chunked"], True, ()),
        ([b"Transfer-Encoding: Gzip, Chunked"], True, ("gzip",)),
        ([b"Transfer-Encoding: chunked, gzip"], False, ("gzip",)),
        ([b"Content-Encoding: br", b"Transfer-Encoding: gzip", b"Transfer-Encoding: chunked"], True, ("br", "gzip")),
    ],
)
def test_codings_are_listed_in_the_order_in_which_they_were_applied(
    fields: list[bytes], chunked: bool, codings: tuple[str, ...]
) -> None:
    head = read(STATUS, *(field + b"\r\n" for field in fields), END)
    assert isinstance(head, Head)
    assert (head.chunked, head.codings) == (chunked, codings)


def test_of_two_media_types_the_first_counts_and_two_lengths_are_none() -> None:
    head = read(STATUS, b"Content-Type: a/b\r\n", b"Content-Type: c/d\r\n", b"Content-Length: 5\r\n", END)
    assert isinstance(head, Head)
    assert head.media_type == "a/b"
    both = read(STATUS, b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", END)
    assert str(both) == "protocol: both Content-Length and Transfer-Encoding"
