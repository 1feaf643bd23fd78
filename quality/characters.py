"""Are encodings and languages told right?"""

from __future__ import annotations

import base64
import json
import time
import unicodedata
from collections.abc import Iterator
from typing import Any

from material import cases, folder, unpacked
from table import Row, counted, milliseconds

from gossamer import convert
from gossamer.convert.charset.decode import decode
from gossamer.convert.charset.labels import encoding_named

CODES = {"bulgarian": "bg", "czech": "cs", "greek": "el", "hebrew": "he", "hungarian": "hu", "polish": "pl"}
CODES |= {"russian": "ru", "slovak": "sk", "slovene": "sl", "turkish": "tr"}
BY_ENCODING = {"big5": "zh", "gb2312": "zh", "euc-jp": "ja", "shift_jis": "ja", "euc-kr": "ko", "tis-620": "th"}
"""Files whose language is not named are in that of their encoding."""
SAMPLES, LENGTH = 200, 60


def encoding_rows() -> Iterator[Row]:
    """A file is right when it becomes the same text as by its true encoding, so that supersets count."""
    right, spent, files = 0, 0.0, list(cases("chardet-corpus"))
    for case in files:
        data = _data(case)
        began = time.process_time()
        name = convert.encoding(data)
        spent += time.process_time() - began
        right += _same(data, name, case["encoding"])
    yield counted("encodings: chardet-corpus", right, len(files))
    yield milliseconds("encodings: ms a file", 1000 * spent / len(files))
    yield _prescans()
    yield _standard()
    yield _pages()


def language_rows() -> Iterator[Row]:
    """Short texts in English, and files in the languages of the corpus, by their words alone."""
    from gossamer.convert.language import language

    texts = _english()
    began = time.process_time()
    right = sum(language(text) == "en" for text in texts)
    spent = time.process_time() - began
    yield counted("language: 60 characters of English", right, len(texts))
    right = total = 0
    for case in cases("chardet-corpus"):
        if code := CODES.get(case.get("language") or "") or BY_ENCODING.get(case["encoding"]):
            text = decode(_data(case), encoding_named(case["encoding"]) or case["encoding"])
            kind = "text/plain" if ".txt" in case["file"] else "text/html"
            right += convert.document(text.encode(), f"{kind};charset=utf-8").language == code
            total += 1
    yield counted("language: labelled corpora", right, total)
    yield milliseconds("language: ms a text", 1000 * spent / len(texts))


def _data(case: dict[str, Any]) -> bytes:
    return unpacked(folder("chardet-corpus") / case["file"])


def _same(data: bytes, ours: str, true: str) -> bool:
    """By Python's decoders for the truth, and for ours both Python's and the standard's."""
    meant = _folded(data.decode(true, "ignore"))
    try:
        return meant == _folded(data.decode(ours, "ignore"))
    except LookupError:
        return meant == _folded(decode(data, ours))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lstrip("\ufeff")


def _prescans() -> Row:
    found = [
        convert.encoding(base64.b64decode(case["data_base64"])).lower() == case["encoding"].lower()
        for case in cases("html5lib-encoding")
    ]
    return counted("encodings: html5lib-encoding", sum(found), len(found))


def _standard() -> Row:
    """Labels, and all bytes beyond ASCII of the encodings that have one byte for each character."""
    labels = json.loads((folder("wpt-encoding") / "labels.json").read_text("utf-8"))
    found = [encoding_named(label) == name for label, name in labels.items()]
    for case in cases("wpt-encoding", "single-byte.jsonl"):
        points = ("\ufffd" if point is None else chr(point) for point in case["bytes_128_255_codepoints"])
        found.append(decode(bytes(range(128, 256)), case["encoding"]) == "".join(points))
    return counted("encodings: wpt-encoding", sum(found), len(found))


def _pages() -> Row:
    home = folder("wpt-charset-pages")
    found = [
        (convert.encoding((home / case["file"]).read_bytes()) == "windows-1251") is case["is_windows_1251"]
        for case in json.loads((home / "cases.json").read_text("utf-8"))
    ]
    return counted("encodings: wpt-charset-pages", sum(found), len(found))


def _english() -> list[str]:
    """From the middle of abstracts, spread over the collection."""
    texts = [" ".join(case["text"].split()) for case in cases("ir-cranfield", "docs.jsonl")]
    long = [text for text in texts if len(text) > 4 * LENGTH]
    chosen = long[:: len(long) // SAMPLES][:SAMPLES]
    return [text[len(text) // 2 :][:LENGTH] for text in chosen]
