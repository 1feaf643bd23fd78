"""Files of other crawlers: everything is read, or refused with a reason, wherever it is damaged."""

from __future__ import annotations

import io
import json
import random
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path

import pytest

from foreign_files import (
    DATE,
    answer,
    lz4_frames,
    page,
    plain,
    record,
    sha1,
    zipped,
    zipped_whole,
    zstandard_frames,
    zstandard_with_dictionary,
)
from gossamer.collection.imports.import_files import sort
from gossamer.errors import DamagedInput
from gossamer.model import Kind
from gossamer.printable import counted
from gossamer.store.foreign import arc, lenient_warc
from gossamer.store.foreign.claims import fits
from gossamer.store.foreign.exchanges import Brought, Item, Kept, Refused, captures
from gossamer.store.foreign.lenient_warc import Fault, Met
from gossamer.store.foreign.unpacking import Unpacking
from reference import reference

MOST = 1 << 20
PAGES = [page(f"http://example.com/{number}", f"word{number} " * (50 * number + 1)) for number in range(12)]
BLOCKS = [each.partition(b"\r\n\r\n")[2][:-4] for each in PAGES]


def read(data: bytes, most: int = MOST) -> list[Met | Fault]:
    return list(lenient_warc.records(Unpacking(io.BytesIO(data)), "x.warc", most))


def brought(data: bytes, most: int = MOST) -> list[Item]:
    """All but what is kept as it is."""
    found = captures(lenient_warc.records(Unpacking(io.BytesIO(data)), "x.warc", most))
    return [item for item in found if not isinstance(item, Kept)]


def urls(items: list[Met | Fault]) -> list[str | None]:
    return [item.record.url for item in items if isinstance(item, Met)]


# ------------------------------------------------------------------- the reference set


def items_of(path: Path) -> list[Item]:
    (import_file,) = sort([path]).imported_files
    with import_file.open() as file:
        return list(import_file.items(Unpacking(file), MOST))


def facts() -> dict[str, object]:
    return dict(json.loads((reference("warc-warcio") / "facts.json").read_text()))


def files() -> Path:
    return reference("warc-warcio") / "files"


def records_of(path: Path) -> list[Met | Fault]:
    stream = Unpacking(io.BytesIO(path.read_bytes()))
    reader = arc.records if stream.peek(len(arc.OPENING)) == arc.OPENING else lenient_warc.records
    return list(reader(stream, path.name, MOST))


def test_every_record_of_the_reference_set_is_met_where_it_lies() -> None:
    for name, rows in facts()["index"].items():  # type: ignore[attr-defined] # a fact file, as it stands
        met = [item.record for item in records_of(files() / name) if isinstance(item, Met)]
        told = [(row["offset"], row["type"], row["target_uri"]) for row in rows]
        ours = [(one.place.offset, one.type, None if one.type == "warcinfo" else one.url) for one in met]
        assert ours == told, name


def test_the_types_of_the_reference_set_are_as_they_should_be() -> None:
    for name, types in facts()["record_types"].items():  # type: ignore[attr-defined] # as above
        if name != "bad.arc":
            met = [item.record.type for item in records_of(files() / name) if isinstance(item, Met)]
            assert met == [kind.replace("arc_header", "warcinfo") for kind in types], name


def test_what_must_fail_in_the_reference_set_is_told() -> None:
    for case in facts()["must_fail"]:  # type: ignore[attr-defined] # as above
        if "at_offset" not in case:
            assert any(isinstance(item, Fault) for item in records_of(files() / case["file"])), case["file"]
    at = Unpacking(io.BytesIO((files() / "example.warc.gz").read_bytes()), 10)
    first, *_ = lenient_warc.records(at, "example.warc.gz", MOST)
    assert isinstance(first, Fault)


def test_wrong_digests_of_the_reference_set_are_told() -> None:
    for case in facts()["digests"]:  # type: ignore[attr-defined] # as above
        wrong = [item for item in records_of(files() / case["file"]) if isinstance(item, Fault)]
        assert len(wrong) == case.get("payload_digest_failures", 0), case["file"]


def test_every_file_of_the_reference_set_brings_captures_or_says_why_not() -> None:
    for path in sorted(files().iterdir()):
        items = items_of(path)
        assert items, path.name
        for item in items:
            if isinstance(item, Brought):
                assert item.capture.began > 0
                assert item.capture.status
            elif isinstance(item, Kept):
                assert item.record.place.record
            else:
                assert item.reason if isinstance(item, Refused) else item.words


def test_addresses_of_the_reference_set_are_put_right() -> None:
    first, *_ = (
        item for item in items_of(files() / "example-wget-bad-target-uri.warc.gz") if isinstance(item, Brought)
    )
    assert first.capture.visit.url == "http://example.com/"
    _, kept = items_of(files() / "example-space-in-target-uri.warc.gz")
    assert isinstance(kept, Kept)
    assert (kept.offset, (kept.record.url or "")[:5]) == (241, "file:")


# ----------------------------------------------------------------------------- packing


@pytest.mark.parametrize("pack", [plain, zipped, zipped_whole, zstandard_frames, zstandard_with_dictionary, lz4_frames])
def test_any_packing_brings_the_same(pack: Callable[[list[bytes]], bytes]) -> None:
    met = [item for item in read(pack(PAGES)) if isinstance(item, Met)]
    assert [item.record.url for item in met] == [f"http://example.com/{number}" for number in range(12)]
    assert [item.record.block for item in met] == BLOCKS


@pytest.mark.parametrize("pack", [plain, zipped, zstandard_frames, zstandard_with_dictionary, lz4_frames])
def test_reading_goes_on_at_any_record(pack: Callable[[list[bytes]], bytes]) -> None:
    data = pack(PAGES)
    offsets = [item.record.place.offset for item in read(data) if isinstance(item, Met)]
    for number, offset in enumerate(offsets):
        rest = lenient_warc.records(Unpacking(io.BytesIO(data), offset), "x", MOST)
        assert urls(list(rest)) == [f"http://example.com/{later}" for later in range(number, 12)]


def test_records_that_share_a_member_are_told_and_read() -> None:
    items = read(zipped_whole(PAGES))
    assert len(urls(items)) == 12
    assert [item.words for item in items if isinstance(item, Fault)] == [
        "from here on records are not packed one by one; they were read all the same"
    ]


def test_of_a_long_block_only_the_beginning_is_held() -> None:
    long = record("response", "http://example.com/film", answer(bytes(300_000), "Content-Type: video/mp4"))
    for pack in (plain, zipped):
        first, second = brought(pack([long, page("http://example.com/", "after")]), most=10_000)
        assert isinstance(first, Brought)
        assert first.capture.truncated == "length"
        assert len(first.capture.wire) < 10_000
        assert isinstance(second, Brought)
        assert second.capture.visit.url == "http://example.com/"


# ------------------------------------------------------------------------------ damage


@pytest.mark.parametrize("pack", [zipped, zstandard_frames, lz4_frames])
def test_damage_anywhere_loses_only_what_it_hit(pack: Callable[[list[bytes]], bytes]) -> None:
    data, rng = pack(PAGES), random.Random(5)
    offsets = [item.record.place.offset for item in read(data) if isinstance(item, Met)]
    for _ in range(200):
        place, size = rng.randrange(len(data)), rng.randrange(1, 40)
        items = read(data[:place] + rng.randbytes(size) + data[place + size :])
        hit = {bisect_right(offsets, at) - 1 for at in range(place, min(place + size, len(data)))}
        assert {f"http://example.com/{n}" for n in range(12) if n not in hit} <= set(urls(items)), (place, size)
        whole = [item.record.block for item in items if isinstance(item, Met)] == BLOCKS
        assert whole or any(isinstance(item, Fault) for item in items)


def test_bytes_that_are_missing_in_a_plain_file_cost_a_record_and_the_next() -> None:
    data, rng = plain(PAGES), random.Random(6)
    offsets = [item.record.place.offset for item in read(data) if isinstance(item, Met)]
    for _ in range(100):
        number = rng.randrange(12)
        block = data.index(b"\r\n\r\n", offsets[number]) + 4
        place = rng.randrange(block, block + len(BLOCKS[number]) - 1)
        items = read(data[:place] + data[place + 1 :])
        spared = {f"http://example.com/{n}" for n in range(12) if n not in (number, number + 1)}
        assert spared <= set(urls(items))
        assert any(isinstance(item, Fault) for item in items)


@pytest.mark.parametrize("pack", [plain, zipped, zstandard_frames, lz4_frames])
def test_a_file_that_ends_too_soon_is_told(pack: Callable[[list[bytes]], bytes]) -> None:
    data = pack(PAGES)
    offsets = [item.record.place.offset for item in read(data) if isinstance(item, Met)]
    for length in range(offsets[-1] + 8, len(data) - 8, 37):
        items = read(data[:length])
        assert urls(items)[:11] == [f"http://example.com/{number}" for number in range(11)]
        assert any(isinstance(item, Fault) for item in items)


def test_rubbish_is_told_and_ends() -> None:
    rng = random.Random(3)
    for magic in (
        b"",
        b"WARC/1.0\r\n",
        b"\x1f\x8b\x08",
        b"\x28\xb5\x2f\xfd",
        b"WARC/1.1\r\nContent-Length: 99999999999\r\n\r\n",
    ):
        items = read(magic + rng.randbytes(200_000))
        assert items
        assert not [item for item in items if isinstance(item, Met) and item.cut != lenient_warc.ENDS]


# ---------------------------------------------------------------------------- captures

GET = b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"
URL = "http://example.com/"


def id_of(one: bytes) -> str:
    return one.partition(b"WARC-Record-ID: ")[2].partition(b"\r\n")[0].decode()


def test_request_and_metadata_belong_to_their_response_in_any_order() -> None:
    response = record("response", URL, answer())
    beside = {"WARC_Concurrent_To": id_of(response)}
    request = record("request", URL, GET, **beside)
    told = record("metadata", URL, b"via: http://example.com/from\r\nhopsFromSeed: LLR\r\n", **beside)
    other = record("response", "http://example.com/2", answer())
    for order in ([response, request, told], [request, response, told], [told, request, response]):
        first, second = brought(zipped([*order, other]))
        assert isinstance(first, Brought)
        assert first.offset == 0
        assert first.capture.request == GET
        assert (first.capture.visit.depth, first.capture.visit.referrer) == (2, "http://example.com/from")
        assert isinstance(second, Brought)
        assert second.capture.request == b""


def test_a_request_of_another_response_is_not_taken() -> None:
    request = record("request", URL, b"POST / HTTP/1.1\r\n\r\n", WARC_Concurrent_To="<urn:uuid:another>")
    (only,) = brought(plain([request, record("response", URL, answer())]))
    assert isinstance(only, Brought)
    assert only.capture.request == b""


def test_what_stands_before_a_response_that_it_does_not_belong_to_is_kept_before_it() -> None:
    response = record("response", URL, answer())
    mine = record("metadata", URL, b"via: http://example.com/from\r\n", WARC_Concurrent_To=id_of(response))
    stray = record("request", "http://example.com/2", GET)
    data = plain([stray, mine, response])
    kept, *rest = captures(lenient_warc.records(Unpacking(io.BytesIO(data)), "x.warc", MOST))
    assert isinstance(kept, Kept)
    assert kept.record.url == "http://example.com/2"
    (only,) = (each for each in rest if isinstance(each, Brought))
    assert (only.capture.request, only.capture.visit.referrer) == (b"", "http://example.com/from")


def test_what_is_no_page_of_the_web_is_refused_with_a_reason() -> None:
    post = record("response", URL, answer())
    items = brought(
        plain(
            [
                post,
                record("request", URL, b"POST / HTTP/1.1\r\n\r\n", WARC_Concurrent_To=id_of(post)),
                record("response", "dns:example.com", b"example.com. 1 IN A 192.0.2.1"),
                record("response", URL, b"no answer at all", date="2020-01-01T00:00:00Z"),
            ]
        )
    )
    assert [
        item.reason if isinstance(item, Refused) else item.words for item in items if not isinstance(item, Brought)
    ] == [
        f"the record of {URL} holds no HTTP answer",
    ]
    assert len(items) == 1


def test_a_resource_gets_the_head_that_a_server_would_have_sent() -> None:
    (item,) = brought(plain([record("resource", URL, b"<p>Hello", Content_Type="text/html")]))
    assert isinstance(item, Brought)
    assert (item.capture.status, item.capture.header("content-type"), item.capture.wire) == (
        200,
        "text/html",
        b"<p>Hello",
    )


def test_robots_files_are_known_by_their_address() -> None:
    one, other = brought(
        plain([page("http://example.com/robots.txt", "x"), page("http://example.com/a/robots.txt", "x")])
    )
    assert isinstance(one, Brought)
    assert isinstance(other, Brought)
    assert (one.capture.visit.kind, other.capture.visit.kind) == (Kind.ROBOTS, Kind.PAGE)


def test_digests_are_known_in_every_spelling() -> None:
    for told in (
        sha1(b"x"),
        sha1(b"x").lower(),
        "sha1:11f6ad8ec52a2984abaafd7c3b516503785c2072",
        "sha1:EfatjsUqKYSrqv18O1FlA3hcIHI=",
    ):
        assert fits(told, b"x")
        assert not fits(told, b"y")
    assert fits("blake9:what", b"x")


def test_what_is_no_archive_is_refused_by_name(tmp_path: Path) -> None:
    for name, data in {
        "a.txt": b"Hello",
        "b.gz": b"\x1f\x8b\x08rubbish",
        "c.zip": b"PK\x03\x04rubbish",
        "d.warc": b"",
    }.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(DamagedInput, match=name):
            sort([tmp_path / name])
    with pytest.raises(DamagedInput, match=r"missing\.warc"):
        sort([tmp_path / "missing.warc"])


def test_a_date_is_kept() -> None:
    (item,) = brought(plain([page(URL, "x", DATE)]))
    assert isinstance(item, Brought)
    assert item.capture.began == 1_589_710_830.0


GARBAGE = {
    "a byte": b"x",
    "a line": b"garbage\n",
    "a line of one byte": b"x\n",
    "zeros": bytes(1_000),
    "more than is held": b"x" * 200_000,
    "a version line": b"WARC/1.0\r\n",
    "half a header": PAGES[0][:150],
    "a header without its end": PAGES[0].partition(b"\r\n\r\n")[0],
    "a header that says no length": b"WARC/1.0\r\nWARC-Type: response\r\n\r\n",
    "a header that has no end": b"WARC/1.0\r\n" + b"x" * 100_000,
}


def in_own_members(records: list[bytes]) -> bytes:
    """All of them, the garbage too, whole in their packing."""
    return zipped(records)


def with_the_next(records: list[bytes]) -> bytes:
    """The garbage is in one member with what follows."""
    return zipped([*records[:5], records[5] + records[6], *records[7:]])


@pytest.mark.parametrize("pack", [plain, in_own_members, with_the_next, zipped_whole, zstandard_frames])
@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE.keys())
def test_a_record_right_behind_garbage_is_whole_and_the_garbage_is_counted(
    garbage: bytes, pack: Callable[[list[bytes]], bytes]
) -> None:
    items = read(pack([*PAGES[:5], garbage, *PAGES[5:]]))
    met = [(item.record.url, item.record.block) for item in items if isinstance(item, Met)]
    assert met == [(f"http://example.com/{number}", block) for number, block in enumerate(BLOCKS)]
    (words,) = (item.words for item in items if isinstance(item, Fault) and "packed one by one" not in item.words)
    assert words.endswith(f"; {counted(len(garbage), 'byte was', 'bytes were')} passed over")


def test_a_file_that_begins_or_ends_with_garbage_is_read(tmp_path: Path) -> None:
    items = read(plain([b"garbage", *PAGES, b"more garbage"]))
    assert urls(items) == [f"http://example.com/{number}" for number in range(12)]
    assert [item for item in items if isinstance(item, Fault)] == [
        Fault(0, "no record begins here; 7 bytes were passed over"),
        Fault(7 + len(plain(PAGES)), "no record begins here; 12 bytes were passed over"),
    ]


@pytest.mark.parametrize("pack", [plain, zipped, zstandard_frames])
@pytest.mark.parametrize("most", [MOST, 20])
def test_a_record_that_is_cut_short_costs_the_next_one_nothing(pack: Callable[[list[bytes]], bytes], most: int) -> None:
    items = read(pack([PAGES[0], PAGES[1][:-200], *PAGES[2:]]), most)
    met = [(item.record.url, item.record.block) for item in items if isinstance(item, Met)]
    blocks = [BLOCKS[0], BLOCKS[1][:-196], *BLOCKS[2:]]
    assert met == [(f"http://example.com/{number}", block[:most]) for number, block in enumerate(blocks)]
    (fault,) = (item for item in items if isinstance(item, Fault))
    assert fault.words in (
        "the record does not end where its length says; it was read all the same",
        "another begins before it ends; what there is of it was read",
    )


def test_a_page_about_warc_files_is_one_page_and_a_field_may_name_the_format() -> None:
    words = "WARC/1.0\r\nWARC-Type: response\r\n"
    odd = record("response", "http://example.com/about", answer(words.encode() * 3), WARC_Format="WARC/1.0")
    for pack in (plain, zipped, zipped_whole):
        assert urls(read(pack([odd, PAGES[0]]))) == ["http://example.com/about", "http://example.com/0"]
