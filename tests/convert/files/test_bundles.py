"""TAR files, gzip and mailboxes: what lies within is read, and what is made to harm does none."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
from collections.abc import Callable

import pytest

from gossamer.convert import document
from gossamer.convert.files import bundle
from gossamer.convert.source import UNPACKED_MOST, Source
from gossamer.convert.type.mime import MimeType
from gossamer.model import Page

LETTERS = (
    b"From alice@example.org Mon Jan  5 10:00:00 2026\nFrom: alice@example.org\nTo: bob@example.org\n"
    b"Subject: The first letter\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n\nAbout herons.\n>From here on they wade.\n\n"
    b"From bob@example.org Tue Jan  6 10:00:00 2026\nFrom: bob@example.org\nTo: alice@example.org\n"
    b"Subject: The answer\nDate: Tue, 6 Jan 2026 10:00:00 +0000\n\nAbout owls.\n"
)


def packed(**members: bytes) -> bytes:
    """A TAR file."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, data in members.items():
            about = tarfile.TarInfo(name.replace("__", "/").replace("_", "."))
            about.size = len(data)
            archive.addfile(about, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return file.getvalue()


def test_the_members_of_a_tar_file_are_read_under_their_names() -> None:
    page = document(packed(notes__a_txt=b"A heron.", b_html=b"<p>An <b>owl</b>.</p>", c_png=b"\x89PNG\r\n\x1a\n"))
    assert page.media_type == "application/x-tar"
    assert page.text.split("\n") == ["notes/a.txt", "A heron.", "b.html", "An owl.", "c.png"]
    assert (page.problem, page.links) == ("", ())


@pytest.mark.parametrize("url", ["file:///home/me/a.tar.gz", "https://example.org/a.tgz?x=1", None])
def test_a_tar_file_that_is_packed_is_read(url: str | None) -> None:
    page = document(gzip.compress(packed(a_txt=b"A heron.")), None, url)
    assert (page.media_type, page.url) == ("application/x-gzip", url)
    assert page.text == "a.txt\nA heron."
    assert page.content == page.text


def test_a_text_that_is_packed_is_read_by_its_name() -> None:
    page = document(gzip.compress(b"# Herons\n\nThey *wade*.\n"), None, "file:///usr/share/doc/x/changes.md.gz")
    assert page.text == "Herons\nThey wade."
    twice = gzip.compress(b"One. ") + gzip.compress(b"Two.") + b"\0" * 512
    assert document(twice, None, "file:///a.txt.gz").text == "One. Two."


@pytest.mark.parametrize(
    ("pack", "ending", "kind"),
    [(bz2.compress, "bz2", "application/x-bzip2"), (lzma.compress, "xz", "application/x-xz")],
)
def test_the_other_ways_to_pack_are_read_too(pack: Callable[[bytes], bytes], ending: str, kind: str) -> None:
    page = document(pack(packed(a_txt=b"A heron.")), None, f"https://example.org/a.tar.{ending}")
    assert (page.media_type, page.text, page.problem) == (kind, "a.txt\nA heron.", "")
    assert document(pack(b"One. ") + pack(b"Two."), None, f"https://example.org/a.txt.{ending}").text == "One. Two."
    long = pack(random.Random(1).randbytes(300_000).hex().encode())
    assert document(long[: len(long) // 2], None, f"https://example.org/a.txt.{ending}").problem == "is cut short"
    spoilt = document(long[:20_000] + b"\0" * 20_000 + long[40_000:], None, f"https://example.org/a.txt.{ending}")
    assert spoilt.problem.startswith("is damaged: ")
    bomb = document(pack(bytes(70 << 20)), None, f"https://example.org/a.txt.{ending}")
    assert "were unpacked" in bomb.problem


def test_documents_lie_within_documents_to_a_depth() -> None:
    data = b"A heron."
    for _ in range(5):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("a.txt", data)
        data = file.getvalue()
        data = gzip.compress(data)
    page = document(data)
    assert "more than 3 documents" in page.problem
    assert "heron" not in page.text


def test_a_bomb_is_unpacked_as_far_as_the_limits_go() -> None:
    page = document(gzip.compress(bytes(UNPACKED_MOST + 1)), None, "file:///a.txt.gz")
    assert "were unpacked" in page.problem


def test_what_is_cut_or_damaged_is_read_up_to_there() -> None:
    whole = gzip.compress(b"".join(b"Line %d of many.\n" % number for number in range(5_000)))
    cut = document(whole[: len(whole) // 2], None, "file:///a.txt.gz")
    assert (cut.problem, cut.text[:15]) == ("is cut short", "Line 0 of many.")
    archive = packed(a_txt=b"A heron.", b_txt=b"An owl.")
    half = document(archive[:1_100], "application/x-tar")
    assert half.text.startswith("a.txt\nA heron.")


def header(name: bytes, kind: bytes, size: bytes) -> bytes:
    """Of a member of a TAR file, with a size as it stands there."""
    octets = bytearray(512)
    octets[: len(name)], octets[124 : 124 + len(size)], octets[156:157] = name, size, kind
    octets[257:265], octets[148:156] = b"ustar  \0", b" " * 8
    octets[148:154] = b"%06o" % sum(octets)
    return bytes(octets)


@pytest.mark.parametrize(
    ("between", "problem", "text"),
    [
        ((header(b"././@LongLink", b"L", b"1") + b"x".ljust(512, b"\0")) * 3_000, "", "a.txt\nA heron.\nx\nAn owl."),
        (header(b"c.txt", b"0", b"\xff" * 10 + b"\xfc\0"), "is damaged: a header has a number that is none", None),
        (header(b"c.txt", b"0", b"\x80" + b"\x7f" * 11), "is damaged: a header has a number that is none", None),
        (header(b"c.txt", b"0", b"\x80" + b"\0" * 5 + b"\x7f" * 6), "is cut short", "a.txt\nA heron.\nc.txt\n"),
        (header(b"c.txt", b"2", b"77777777777"), "", "a.txt\nA heron.\nb.txt\nAn owl."),
        (header(b"../c.txt", b"0", b"0"), "a member is called '../c.txt', which leads out of the archive", None),
        (header(b"/c.txt", b"S", b"0"), "'c.txt' is sparse, and was not read", None),
    ],
)
def test_headers_of_a_tar_file_lead_nobody_astray(between: bytes, problem: str, text: str | None) -> None:
    one, other = packed(a_txt=b"A heron.")[:1_024], packed(b_txt=b"An owl.")
    page = document(one + between + other, "application/x-tar")
    assert page.problem == problem
    assert page.text.startswith(text or "a.txt\nA heron.")


def test_of_two_members_of_a_tar_file_with_one_name_the_last_counts() -> None:
    page = document(packed(a_txt=b"A heron.")[:1_024] + packed(a_txt=b"A stork."), "application/x-tar")
    assert page.text == "a.txt\nA stork."


def test_no_bytes_break_the_readers() -> None:
    draw, whole = random.Random(7), packed(a_txt=b"A heron.", b_txt=b"An owl.")
    for _ in range(60):
        spoilt = bytearray(whole)
        for _ in range(12):
            spoilt[draw.randrange(len(spoilt))] = draw.randrange(256)
        assert document(bytes(spoilt), "application/x-tar").media_type
        assert document(gzip.compress(bytes(spoilt)), None, "file:///a.tgz").media_type


def test_a_sparse_member_is_cut() -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        about = tarfile.TarInfo("sparse.txt")
        about.size = 10
        about.pax_headers = {"GNU.sparse.map": f"{1 << 40},1", "GNU.sparse.size": str(1 << 40)}
        archive.addfile(about, io.BytesIO(b"0123456789"))
    assert document(file.getvalue()).media_type == "application/x-tar"


@pytest.mark.parametrize("url", ["file:///home/me/Inbox", "file:///home/me/list.mbox"])
def test_the_letters_of_a_mailbox_are_read_under_their_subjects(url: str) -> None:
    page = document(LETTERS, None, url)
    assert page.media_type == "application/mbox"
    assert [line for line in page.text.split("\n") if line in ("The first letter", "The answer")] == [
        "The first letter",
        "The answer",
    ]
    assert "About herons.\nFrom here on they wade." in page.text
    assert "About owls." in page.text


def test_a_single_letter_is_a_letter() -> None:
    letter = LETTERS.partition(b"\nFrom bob")[0]
    assert document(letter).media_type == "message/rfc822"


def test_an_archive_says_how_many_of_its_members_were_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "_LISTED_MOST", 2)
    source = Source(b"", MimeType("application", "zip"), inner=lambda _: Page(html="<p>A heron.</p>"))
    gathered = bundle.Bundle(source, read_most=3)
    for name in ("a.png", *(f"{number}.txt" for number in range(6))):
        gathered.add(name, lambda: b"A heron.")
    assert gathered.page().problem == "only 3 of 6 members were read, and 2 are not even named"
    assert gathered.page("is damaged").problem.startswith("is damaged; only 3 of 6 members were read")


def test_a_zip_file_of_many_members_says_that_some_were_left_out() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(600):
            archive.writestr(f"{number}.txt", "A heron.")
    assert document(file.getvalue()).problem == "only 500 of 600 members were read"
