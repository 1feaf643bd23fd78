"""Files that were made to do harm end with a reason, and with what could be read."""

from __future__ import annotations

import random
import struct
import zipfile
from io import BytesIO

import pytest
from office_files import NAMESPACES, docx, epub, odf, pptx, shape, xlsx, zipped

from gossamer.convert import document
from gossamer.convert.files import markup
from gossamer.convert.files.zip import zipped as opener
from gossamer.convert.files.zip.zipped import Archive
from gossamer.convert.source import Allowance

PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
SAMPLES = {
    "docx": docx("".join(PARAGRAPH.format(f"Paragraph {number}") for number in range(200))),
    "xlsx": xlsx({"S": "<sheetData>" + "<row><c><v>1</v></c></row>" * 200 + "</sheetData>"}),
    "pptx": pptx([shape(f"Slide {number}") for number in range(20)]),
    "odt": odf("text", "<text:p>Words</text:p>" * 200),
    "epub": epub({"a": "<p>Words</p>" * 200}),
    "zip": zipped({f"{number}.txt": "Words" for number in range(20)}),
}


def test_a_bomb_is_not_unpacked() -> None:
    page = document(zipped({"zeros.txt": b"\0" * (64 << 20), "after.txt": "still read"}))
    assert "unpacks to more than 400 times its size" in page.problem
    assert "still read" in page.text


def test_bombs_cannot_add_up() -> None:
    noise = random.Random(4).randbytes(1_000).hex().encode() * 100
    inner = zipped({f"{number}.txt": noise for number in range(10)})
    allowance = Allowance(500_000)
    archive = Archive(inner, allowance)
    assert sum(len(archive.read(name)) for name in archive.members) == 500_000
    assert "unpacks to more than is read" in archive.problem


def test_members_that_overlap_are_not_read() -> None:
    made = zipped({"a.txt": "aaaa", "b.txt": "bbbb"}, method=zipfile.ZIP_STORED)
    second = made.index(b"PK\x01\x02", made.index(b"PK\x01\x02") + 4)
    offset = struct.pack("<I", 2)
    page = document(made[: second + 42] + offset + made[second + 46 :])
    assert page.problem == "members of the archive overlap, as in a bomb; it was not read"


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a/../../b", "C:/x", "..\\..\\x"])
def test_names_that_lead_out_of_the_archive_are_left_out(name: str) -> None:
    page = document(zipped({"good.txt": "good", name: "bad"}))
    assert ("good" in page.text, "bad" in page.text) == (True, False)
    assert "leads out of the archive" in page.problem


def test_of_two_members_with_one_name_the_first_is_read() -> None:
    made = zipped({"a.txt": "first", "b.txt": "second"}).replace(b"b.txt", b"a.txt")
    page = document(made)
    assert ("first" in page.text, "second" in page.text) == (True, False)
    assert page.problem == "two members are called 'a.txt'; the first was read"


def test_encrypted_members_are_listed_and_said_so() -> None:
    made = bytearray(zipped({"a.txt": "secret"}))
    made[made.index(b"PK\x01\x02") + 8] |= 1
    page = document(bytes(made))
    assert (page.text, page.problem) == ("a.txt", "'a.txt' is encrypted")


def test_a_method_that_nobody_knows_is_said_so() -> None:
    made = zipped({"a.txt": "x" * 1000}, method=zipfile.ZIP_LZMA)
    assert document(made).problem == "'a.txt' is packed by method 14, which is not known here"


def test_members_without_number_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opener, "MEMBERS_MOST", 10)
    archive = Archive(zipped({f"{number}.txt": "x" for number in range(20)}))
    assert (len(archive.members), archive.problem) == (
        10,
        "the archive has more than 10 members; the rest was not read",
    )


def test_archives_of_programs_that_unpack_themselves_are_read() -> None:
    assert Archive(b"MZ" + b"\x90" * 1000 + zipped({"a": "x"})).read("a") == b"x"


def test_archives_that_were_written_as_a_stream_are_read_when_cut_off() -> None:
    class Pipe(BytesIO):
        def seekable(self) -> bool:
            return False

    file = Pipe()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a.txt", "first " * 100)
        made.writestr("b.txt", "second " * 100)
    data = file.getvalue()
    archive = Archive(data[: data.index(b"PK\x01\x02")])
    assert archive.read("a.txt") == b"first " * 100
    assert archive.read("b.txt") == b"second " * 100
    assert "cut off or damaged" in archive.problem


def test_numbers_of_64_bits_are_read() -> None:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as made, made.open("a.txt", "w", force_zip64=True) as member:
        member.write(b"wide")
    assert Archive(file.getvalue()).read("a.txt") == b"wide"


ENTITIES = (
    '<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d SYSTEM "file:///etc/passwd">]>'
)


@pytest.mark.parametrize("entity", ["c", "d"])
def test_entities_are_refused(entity: str) -> None:
    body = f"<w:document {NAMESPACES}><w:body>{PARAGRAPH.format(f'&{entity};')}</w:body></w:document>"
    for page in (
        document(docx("", parts={"word/document.xml": ENTITIES + body})),
        document(f"<?xml version='1.0'?>{ENTITIES}<x>&{entity};</x>".encode()),
    ):
        assert page.text == ""
        assert "declares entities" in page.problem


@pytest.mark.parametrize(
    "tag", ["w:p", "w:tbl", "w:tc", "w:txbxContent", "w:r", "w:hyperlink", "mc:AlternateContent", "x"]
)
def test_elements_nested_without_end_are_refused(tag: str) -> None:
    page = document(docx(PARAGRAPH.format("before") + f"<{tag}>" * 100_000))
    assert page.text == "before"
    assert "nested deeper" in page.problem


@pytest.mark.parametrize("tag", ["text:p", "text:list", "table:table", "draw:rect", "text:span", "office:annotation"])
def test_the_same_in_opendocument(tag: str) -> None:
    page = document(odf("text", "<text:p>before</text:p>" + f"<{tag}>" * 100_000))
    assert page.text == "before"
    assert "nested deeper" in page.problem


@pytest.mark.usefixtures("in_this_process")
def test_a_million_elements_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "ELEMENTS_MOST", 10_000)
    page = document(b"<?xml version='1.0'?><x>" + b"<y>z</y>" * 100_000 + b"</x>")
    assert page.problem == "too many elements"
    assert page.text.count("z") == 9_999


@pytest.mark.parametrize("kind", SAMPLES)
def test_files_cut_off_anywhere_have_a_problem_and_no_other_consequence(kind: str) -> None:
    data = SAMPLES[kind]
    whole = document(data)
    assert (whole.problem, bool(whole.text)) == ("", True)
    for percent in range(1, 100, 2):
        page = document(data[: len(data) * percent // 100])
        assert page.problem, percent
    assert page.text == whole.text


@pytest.mark.parametrize("kind", SAMPLES)
def test_files_with_wrong_bytes_are_read_or_have_a_problem(kind: str) -> None:
    draw = random.Random(kind)
    for _ in range(60):
        data = bytearray(SAMPLES[kind])
        for _ in range(draw.choice((1, 8, 64))):
            data[draw.randrange(len(data))] = draw.randrange(256)
        page = document(bytes(data))
        assert page.text == page.content


@pytest.mark.parametrize("kind", ["application/epub+zip", "message/rfc822", "text/csv", "text/markdown", "text/json"])
def test_bytes_at_random_are_no_exception_whatever_they_are_called(kind: str) -> None:
    draw = random.Random(kind)
    for size in (0, 1, 10, 1_000, 20_000):
        assert isinstance(document(draw.randbytes(size), kind).text, str)
        assert isinstance(document(b"PK\x03\x04" + draw.randbytes(size), kind).problem, str)


def test_small_tables_that_claim_to_be_wide_stay_small() -> None:
    wide = '<w:tr><w:tc><w:tcPr><w:gridSpan w:val="9999"/></w:tcPr><w:p/></w:tc><w:tc/></w:tr>'
    assert len(document(docx(f"<w:tbl>{wide * 5_000}</w:tbl>")).html) < 1_000_000
    row = "<row r='{0}'><c r='{1}{2}{0}'><v>1</v></c></row>"
    diagonal = "".join(row.format(at, chr(65 + at % 26), chr(65 + at // 26)) for at in range(1, 600))
    assert len(document(xlsx({f"S{at}": f"<sheetData>{diagonal}</sheetData>" for at in range(20)})).html) < 3_000_000


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("text/markdown", b"# " + b" " * 300_000 + b"x"),
        ("text/markdown", b"|" + b" " * 300_000 + b"x\n|" + b" " * 300_000 + b"x"),
        ("text/markdown", b'[a](b "x' * 30_000),
        ("text/markdown", b"* ** " * 20_000 + b"a" + b" ** *" * 20_000),
        ("text/markdown", b"a" + b" " * 300_000 + b"b"),
        ("message/rfc822", b"From: a\nContent-Type: text/plain" + b";" * 250_000 + b"\n\nx"),
        ("message/rfc822", b"Subject: " + b"=?utf-8?q?x?= " * 20_000 + b"\n\nx"),
        ("text/csv", b'"a"' * 100_000),
        ("text/csv", b'"' * 300_001),
        ("text/plain", b" " * 1_000_000 + b"x"),
        ("application/json", b'{"a":' * 30_000),
    ],
    ids=range(11),
)
def test_lines_that_were_made_to_be_slow_are_not(kind: str, data: bytes) -> None:
    page = document(data, kind)
    assert page.media_type == kind
    assert len(page.html) < 4 * len(data)
