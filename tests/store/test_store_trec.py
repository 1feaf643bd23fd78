"""TREC Web: what is written is read back equal, and documents of the old collections are read too."""

from __future__ import annotations

import io
import random

from hypothesis import given
from hypothesis import strategies as st

from gossamer.store.foreign.exchanges import Brought
from gossamer.store.foreign.lenient_warc import Fault
from gossamer.store.foreign.trec import Doc, captures, docs, write
from gossamer.store.foreign.unpacking import Unpacking

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nServer: x\r\n\r\n"
BODIES = st.binary(max_size=300) | st.sampled_from(
    [b"", b"\n", b"</DOC>", b"x\n</DOC>\ny", b"</DOC>\n<DOC>\n<DOCNO>9</DOCNO>\n", b"</DOCHDR>\n", b"<p>\r\n</DOC>\r\n"]
)
DOCS = st.builds(
    Doc,
    st.from_regex(r"[A-Za-z0-9-]{1,20}", fullmatch=True),
    st.sampled_from(["http://example.com/", "https://example.org/a?b=c%20d"]),
    st.none() | st.just("192.0.2.7"),
    st.integers(1, 2_000_000_000).map(float),
    st.sampled_from(["text/html", "application/pdf"]),
    st.just(HEAD) | st.just(HEAD.replace(b"Server: x", b"</DOCHDR>: odd")),
    BODIES,
)


def written(some: list[Doc]) -> bytes:
    out = io.BytesIO()
    for doc in some:
        write(doc, out)
    return out.getvalue()


def read(data: bytes, most: int = 1 << 20) -> list[Doc]:
    found = list(docs(Unpacking(io.BytesIO(data)), most))
    assert not [each for each in found if isinstance(each, Fault)]
    return [each[1] for each in found if not isinstance(each, Fault)]


@given(st.lists(DOCS, max_size=5))
def test_what_is_written_is_read_back_equal(some: list[Doc]) -> None:
    assert read(written(some)) == some


def test_the_form_is_that_of_the_conferences() -> None:
    doc = Doc("G-1", "http://example.com/", "192.0.2.7", 1_589_710_830.0, "text/html", HEAD, b"<p>Hello")
    assert written([doc]).decode().replace("\r", "").splitlines() == [
        "<DOC>",
        "<DOCNO>G-1</DOCNO>",
        "<DOCHDR>",
        "http://example.com/ 192.0.2.7 20200517102030 text/html 8",
        "HTTP/1.1 200 OK",
        "Content-Type: text/html",
        "Server: x",
        "",
        "</DOCHDR>",
        "<p>Hello",
        "</DOC>",
    ]


def test_documents_without_a_length_end_at_their_last_line() -> None:
    data = b"<DOC>\n<DOCNO> GX000-00-0000000 </DOCNO>\n<DOCHDR>\nhttp://example.com/a\nHTTP/1.1 200 OK\r\n"
    data += b"Date: Sun, 17 May 2020 10:20:30 GMT\r\nContent-Type: text/html\r\n</DOCHDR>\n<p>One\n</DOC>\n\n"
    one, two = read(data + data.replace(b"com/a", b"com/b"))
    assert (one.number, one.url, one.began) == ("GX000-00-0000000", "http://example.com/a", 1_589_710_830.0)
    assert (one.body, two.url) == (b"<p>One", "http://example.com/b")


def test_damage_is_told_and_the_next_document_is_read() -> None:
    some = [Doc(f"D-{n}", f"http://example.com/{n}", None, 1e9, "text/html", HEAD, b"words " * 30) for n in range(5)]
    data, rng = written(some), random.Random(2)
    for _ in range(100):
        place = rng.randrange(len(data))
        found = list(docs(Unpacking(io.BytesIO(data[:place] + data[place + 5 :])), 1 << 20))
        whole = [each[1] for each in found if not isinstance(each, Fault)]
        assert sum(doc in whole for doc in some) >= 3


def test_codings_that_were_undone_are_not_undone_again() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    doc = Doc("D", "http://example.com/", None, 1e9, "text/html", head, b"<p>Hello")
    (item,) = captures(Unpacking(io.BytesIO(written([doc]))), "x.trec", 1 << 20)
    assert isinstance(item, Brought)
    assert item.capture.wire == b"<p>Hello"
    assert item.capture.header("content-encoding") is None
    assert item.capture.header("x-crawl-content-encoding") == "gzip"


def test_a_long_body_is_cut_and_the_next_document_is_read() -> None:
    some = [Doc(f"D-{n}", f"http://example.com/{n}", None, 1e9, "text/html", HEAD, b"x" * 200_000) for n in range(2)]
    found = list(docs(Unpacking(io.BytesIO(written(some))), 1_000))
    assert [(each[1].url, len(each[1].body), each[2]) for each in found if not isinstance(each, Fault)] == [
        ("http://example.com/0", 1_000, "length"),
        ("http://example.com/1", 1_000, "unspecified"),
    ]


def test_a_document_behind_one_whose_header_has_no_end_is_read() -> None:
    doc = Doc("G-1", "http://example.com/", "192.0.2.7", 1_589_710_830.0, "text/html", HEAD, b"<p>Hello")
    garbage = b"<DOC>\n" + b"x" * 100_000 + b"\n"
    fault, met = docs(Unpacking(io.BytesIO(garbage + written([doc]))), 1 << 20)
    assert isinstance(fault, Fault)
    assert fault.words.endswith("; 100,007 bytes were passed over")
    assert not isinstance(met, Fault)
    assert met[1] == doc
