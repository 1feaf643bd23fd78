"""The language of a text is told offline, from a few words, and not at all from too few."""

from __future__ import annotations

import gzip
import json
import logging
import random
import sys

import pytest

from gossamer.convert import document, short_text
from gossamer.convert.charset.decode import decode
from gossamer.convert.charset.labels import encoding_named
from gossamer.convert.language import language
from reference import reference

SENTENCES = {
    "de": "Am Abend gingen wir langsam nach Hause, denn es wurde schon dunkel.",
    "fr": "Le soir, nous sommes rentrés à la maison parce qu'il faisait déjà nuit.",
    "es": "Por la noche volvimos a casa porque ya estaba muy oscuro en la calle.",
    "it": "La sera siamo tornati a casa perché era già buio per la strada.",
    "pt": "À noite voltamos para casa porque já estava muito escuro na rua.",
    "nl": "In de avond gingen we naar huis omdat het buiten al donker werd.",
    "pl": "Wieczorem wróciliśmy do domu, ponieważ na ulicy było już ciemno.",
    "ru": "Вечером мы вернулись домой, потому что на улице уже стемнело.",
    "uk": "Увечері ми повернулися додому, бо на вулиці вже стемніло.",
    "el": "Το βράδυ γυρίσαμε στο σπίτι γιατί είχε ήδη σκοτεινιάσει.",
    "he": "בערב חזרנו הביתה כי כבר היה חשוך מאוד ברחוב.",
    "ar": "عدنا إلى البيت في المساء لأن الظلام كان قد حل.",
    "hi": "शाम को हम घर लौट आए क्योंकि बाहर अंधेरा हो चुका था।",
    "th": "ตอนเย็นเรากลับบ้านเพราะข้างนอกมืดแล้ว",
    "ja": "夕方、外はもう暗くなっていたので、私たちは家に帰りました。",
    "ko": "저녁에 밖이 이미 어두워져서 우리는 집으로 돌아왔습니다.",
    "zh": "晚上外面已经很黑了，所以我们就回家了。",
    "tr": "Akşam hava karardığı için yavaş yavaş eve döndük.",
    "fi": "Illalla palasimme kotiin, koska ulkona oli jo pimeää.",
    "hu": "Este hazamentünk, mert az utcán már nagyon sötét volt.",
}
RIGHT_AT_LEAST = 198
LANGUAGES = {"bulgarian": "bg", "russian": "ru", "greek": "el", "hebrew": "he", "hungarian": "hu", "czech": "cs"}
LANGUAGES |= {"polish": "pl", "slovak": "sk", "slovene": "sl", "turkish": "tr"}
ENCODINGS = {
    "big5": "zh",
    "gb2312": "zh",
    "euc-jp": "ja",
    "shift_jis": "ja",
    "euc-kr": "ko",
    "tis-620": "th",
    "koi8-r": "ru",
}


@pytest.mark.parametrize(("code", "text"), SENTENCES.items())
def test_one_sentence_is_enough(code: str, text: str) -> None:
    assert language(text) == code
    assert language(text.upper()) == code


def test_both_ways_to_write_chinese_are_one_language() -> None:
    assert language("晚上外面已經很黑了，所以我們就回家了。") == "zh"


@pytest.mark.parametrize("text", ["", " \n\t", "ok", "Home", "12345 67890 " * 99, "--- *** ---", "日本", "\0\ufffd"])
def test_too_little_is_no_language(text: str) -> None:
    assert language(text) is None


def test_sixty_characters_of_english_are_english() -> None:
    lines = (reference("ir-cranfield") / "docs.jsonl").read_text("utf-8").splitlines()
    pages = json.loads((reference("article-extraction-benchmark") / "ground-truth.json").read_text("utf-8")).values()
    bodies = [json.loads(line)["text"] for line in lines] + 9 * [page["articleBody"] for page in pages]
    texts = [" ".join(body.lower().split()) for body in bodies]
    english = [text for text in texts if len(text) > 400 and text.count(" the ") > len(text) / 300]
    chance = random.Random(20240501)
    starts = [(text, chance.randrange(len(text) - 60)) for text in chance.sample(english, 200)]
    right = sum(language(text[start : start + 60]) == "en" for text, start in starts)
    assert right >= RIGHT_AT_LEAST


def test_the_labelled_corpus_is_told_by_its_words() -> None:
    folder = reference("chardet-corpus")
    right, wrong = 0, []
    for case in map(json.loads, (folder / "cases.jsonl").read_text().splitlines()):
        meant = LANGUAGES.get(case.get("language") or "") or ENCODINGS.get(case["encoding"])
        if meant is None:
            continue
        data = gzip.decompress((folder / case["file"]).read_bytes())
        text = decode(data, encoding_named(case["encoding"]) or case["encoding"])
        media_type = "text/plain" if ".txt" in case["file"] else "text/html"
        found = document(text.encode(), f"{media_type};charset=utf-8").language
        right += found == meant
        wrong += [(case["file"], found)] if found != meant else []
    assert right >= 0.98 * (right + len(wrong)), wrong


FEW_WORDS = {
    "af": "Verwyder die geselekteerde lêers",
    "ca": "Obre un fitxer nou",
    "cy": "Agor y ffeil hon",
    "de": "Ordner konnte nicht geöffnet werden",
    "et": "Faili avamine ebaõnnestus",
    "ga": "Níorbh fhéidir an comhad a oscailt",
    "hu": "A mappa nem található",
    "kk": "Файлды ашу мүмкін емес",
    "lv": "Neizdevās atvērt failu",
    "sv": "Kunde inte öppna mappen",
    "ug": "ھۆججەتنى ئاچالمىدى",
    "vi": "Không thể mở tập tin",
}


@pytest.mark.parametrize(("code", "text"), FEW_WORDS.items())
def test_a_few_words_are_enough_for_most_languages(code: str, text: str) -> None:
    assert language(text) == code
    assert language(f"{text}!  (3)") == code


def test_a_language_that_only_the_larger_model_knows_is_told() -> None:
    text = "Ang dakbayan usa sa labing dako sa kabisay-an"
    assert "ceb" not in short_text.chances(text)
    assert language(text) == "ceb"


def test_chances_of_short_texts_add_up() -> None:
    found = short_text.chances("Save the file as")
    assert max(found, key=lambda code: found[code]) == "en"
    assert sum(found.values()) == pytest.approx(1)
    assert short_text.chances("") == short_text.chances("\U000f1234") == {}


def test_no_run_of_letters_goes_beyond_its_text() -> None:
    """Many texts are read at once when the model learns; each must have the runs that it has alone."""
    texts = [short_text.only_letters(text) for text in ("Obre un fitxer", "x", "نص قصير", "")]
    found, places = short_text.hashes((short_text.APART * short_text.LONGEST).join([*texts, ""]))
    start = 0
    for text in texts:
        own = found[(places >= start) & (places < start + len(text))]
        assert sorted(own.tolist()) == sorted(short_text.hashes(text)[0].tolist())
        start += len(text) + short_text.LONGEST


def test_what_a_page_claims_decides_only_where_its_words_do_not() -> None:
    danish_or_norwegian = "Vi skal spise sammen i dag"
    assert {language(danish_or_norwegian, "da"), language(danish_or_norwegian, "nb-NO")} == {"da", "no"}
    page = document(f'<html lang="en-US"><p>{SENTENCES["de"]}</p>'.encode(), "text/html;charset=utf-8")
    assert page.language == "de"
    assert document(b'<html lang="de"><p>Hi</p>').language is None


def test_the_text_counts_and_not_what_is_around_it() -> None:
    around = "".join(
        f"<li>{word}</li>" for word in ("Home", "News", "Sport", "Weather", "Shop", "Travel", "Culture", "Radio")
    )
    page = document(f"<ul>{around}</ul><p>{SENTENCES['fr']}</p>".encode(), "text/html;charset=utf-8")
    assert page.language == "fr"


def test_a_text_in_another_script_is_not_in_the_language_of_its_long_english_lines() -> None:
    notice = "This is the notice that a publisher has put before the text, and it is longer than all other lines."
    story = "\n".join(["夕方、外はもう暗くなっていたので、私たちは家に帰りました。"] * 12)
    assert language(f"{notice}\n{notice}\n{story}\n{notice}") == "ja"
    assert language(f"{notice}\n{notice}\n夕方、外はもう暗く。\n{notice}") == "en"


def test_nothing_is_downloaded_or_logged(caplog: pytest.LogCaptureFixture) -> None:
    handlers = list(logging.getLogger().handlers)
    language(SENTENCES["de"])
    assert "robust_downloader" not in sys.modules
    assert logging.getLogger().handlers == handlers
    assert caplog.records == []
