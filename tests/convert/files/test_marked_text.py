"""Text in light markup languages, subtitles, calendars, settings and programs is read for what it is."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from gossamer.convert import document
from gossamer.convert.document import read_here
from gossamer.convert.files.formats import READERS
from gossamer.convert.files.text import inline, tex_macros
from gossamer.convert.source import Source
from gossamer.convert.type.mime import MimeType, type_by_name
from gossamer.model import Page

HERE = "https://example.org/docs/"
RST = """
==========
The Manual
==========

:Author: Ada
:Date: 2001-09-09

Install
=======

Use **pip** or *uv*, see `the docs <https://a.example/docs>`_ and Home_.
Then::

    x < 1

.. _Home: https://home.example/

- one
  more

  - inner

.. note:: Be careful.
.. include:: /etc/passwd
.. raw:: html

   <b>raw</b>

.. code-block:: python

   def f(): ...

=====  ====
Name   Age
=====  ====
Anna   7
=====  ====
"""
ORG = """#+TITLE: Notes
#+AUTHOR: Ada
#+DATE: <2001-09-09 Sun>
* TODO First :tag:
:PROPERTIES:
:ID: x
:END:
Some *bold* and [[https://a.example/][a link]].
- one
  - inner
#+BEGIN_SRC python
print(1)
#+END_SRC
| a | b |
|---+---|
| 1 | 2 |
# a remark
"""
ASCIIDOC = """= The Guide
Ada Lovelace <ada@example.org>
:revdate: 2001-09-09

With *bold*, see https://a.example/[the site].

== First

* one
** inner

include::/etc/passwd[]

[source,ruby]
----
puts 1
----

|===
|Name |Age

|Anna |7
|===
"""
TEX = r"""% remark
\documentclass{article}
\newcommand{\heron}[1]{hidden}
\title{On \emph{Herons}}
\author{Ada L\'{o}ve}
\date{2001-09-09}
\begin{document}
\section{Intro}\label{x}
Text with $x^2$, \textbf{bold} and \href{https://a.example/}{a site}\input{/etc/passwd}. % remark

\begin{itemize}
\item one
  \begin{enumerate}
  \item inner
  \end{enumerate}
\end{itemize}
\begin{verbatim}
\raw
\end{verbatim}
\begin{tabular}{l|p{3cm}} Name & Age \\ Anna & 7 \\ \end{tabular}
\end{document}
"""
SRT = (
    "1\n00:00:01,000 --> 00:00:02,000\n<i>Hello</i> there.\n\n2\n00:00:02,500 --> 00:00:04,000\nHow are you?\n\n"
    "3\n00:01:00,000 --> 00:01:02,000\nLater.\n"
)
VTT = "WEBVTT\n\nNOTE hidden\n\n00:01.000 --> 00:02.000\n<v Ada>Hi &amp; bye\n"
CALENDAR = (
    "BEGIN:VCALENDAR\r\nX-WR-CALNAME:Talks\r\nBEGIN:VEVENT\r\nSUMMARY:On her\r\n ons\\, again\r\nUID:hidden\r\n"
    "DTSTART:20010909T014640Z\r\nDESCRIPTION:See https://a.example/x\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
CARD = "BEGIN:VCARD\nFN:Ada Lovelace\nORG:Engine;Dept\nADR:;;1 Main St;London;;;UK\nURL:https://a.example/\nEND:VCARD\n"
YAML = """%YAML 1.2
---
title: My app  # remark
tasks:
  - name: one
    url: https://a.example/
text: |
  line 1
  line 2
copy: &a [1, 2]
"""


def said(text: str, name: str = "", media_type: str | None = None) -> Page:
    page = document(text.encode(), media_type, HERE + name)
    assert page.problem == ""
    assert page.content == page.text
    return page


def test_restructured_text() -> None:
    page = said(RST)
    assert (page.media_type, page.title, page.author, page.published) == ("text/x-rst", "The Manual", "Ada", 999993600)
    assert [link.url for link in page.links] == ["https://a.example/docs", "https://home.example/"]
    assert "<h2>Install</h2>\n<p>Use <strong>pip</strong> or <em>uv</em>, see <a " in page.html
    assert "<pre>x &lt; 1</pre>\n<ul>\n<li>one more\n<ul>\n<li>inner\n</li></ul>\n</li></ul>\n" in page.html
    assert '<p>Be careful.</p>\n<pre lang="python">def f(): ...</pre>' in page.html
    assert page.html.endswith("<tr><th>Name</th><th>Age</th></tr>\n<tr><td>Anna</td><td>7</td></tr>\n</table>")
    assert "raw" not in page.text


def test_org() -> None:
    page = said(ORG)
    assert (page.media_type, page.title, page.author, page.published) == ("text/org", "Notes", "Ada", 999993600)
    assert page.html == (
        '<h1>First</h1>\n<p>Some <strong>bold</strong> and <a href="https://a.example/">a link</a>.</p>\n'
        "<ul>\n<li>one\n<ul>\n<li>inner\n</li></ul>\n</li></ul>\n"
        '<pre lang="python">print(1)</pre>\n'
        "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>"
    )


def test_asciidoc() -> None:
    page = said(ASCIIDOC)
    assert (page.media_type, page.title, page.author) == ("text/asciidoc", "The Guide", "Ada Lovelace")
    assert page.html == (
        '<h1>The Guide</h1>\n<p>With <strong>bold</strong>, see <a href="https://a.example/">the site</a>.</p>\n'
        "<h2>First</h2>\n<ul>\n<li>one\n<ul>\n<li>inner\n</li></ul>\n</li></ul>\n"
        '<pre lang="ruby">puts 1</pre>\n'
        "<table>\n<tr><th>Name</th><th>Age</th></tr>\n<tr><td>Anna</td><td>7</td></tr>\n</table>"
    )


def test_tex() -> None:
    page = said(TEX)
    about = (page.media_type, page.title, page.author, page.published)
    assert about == ("application/x-tex", "On Herons", "Ada Lóve", 999993600)
    assert page.html == (
        "<h2>Intro</h2>\n<p>Text with <math>x^2</math>, <strong>bold</strong> and "
        '<a href="https://a.example/">a site</a>.</p>\n'
        "<ul>\n<li>one\n<ol>\n<li>inner\n</li></ol>\n</li></ul>\n<pre>\\raw</pre>\n"
        "<table>\n<tr><td>Name</td><td>Age</td></tr>\n<tr><td>Anna</td><td>7</td></tr>\n</table>"
    )


def test_cells_of_tex_that_take_columns_or_rows() -> None:
    table = (
        r"\begin{tabular}{|l|c|c|} Method & \multicolumn{2}{c|}{Accuracy} \\ \multirow{2}{*}{Ours} & 0.9 & 0.8 \\"
        r" \multirow[t]{2}*{\textbf{His}} & \multicolumn{1}{>{\bfseries}c}{a {b}} & 2 \\ \end{tabular}"
    )
    page = said(table, "a.tex")
    assert page.text == "Method\tAccuracy\nOurs\t0.9\t0.8\nHis\ta b\t2"
    assert "<td>Accuracy</td><td></td>" in page.html
    colour = said(r"\definecolor{a}{rgb}{1,0,0} Some \textcolor{red}{words}.", "a.tex")
    assert colour.text == "Some words."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"\newcommand{\sys}{Gossamer} Our \sys{} is good.", "Our Gossamer is good."),
        (r"\newcommand*\sys{Gossamer\xspace}Our \sys is good.", "Our Gossamer is good."),
        (r"\def\sys{a \emph{fine} \other}\def\other{web \{x\}}Our \sys, \other.", "Our a fine web {x}, web {x}."),
        (r"\newcommand{\a}{x}\providecommand{\a}{y}\providecommand{\b}{z}\a{} \b", "x z"),
        (r"\newcommand{\a}{x}\renewcommand{\a}{y}It is \a.", "It is y."),
        (r"\def\sys{Heron}\begin{document}A \sys.\end{document}", "A Heron."),
        (r"\newcommand{\one}[1]{hidden #1}A \one{word}.", "A word."),
        (r"\renewcommand{\section}{\@startsection{a}{1}}\section{Herons} wade", "Herons\nwade"),
        (r"\newcommand{\be}{\begin{itemize}\item}\newcommand{\ee}{\end{itemize}}\be one \ee two", "one\ntwo"),
    ],
)
def test_macros_of_tex_stand_for_their_words(text: str, words: str) -> None:
    assert said(text, "a.tex").text == words


def test_macros_of_tex_that_grow_without_end_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tex_macros, "EXPANDED_MOST", 1 << 16)
    tex = MimeType("application", "x-tex")
    names = [f"x{letter}" for letter in "abcdefghijklmnop"]
    grown = "".join(f"\\def\\{one}{{" + f"\\{other} " * 300 + "}" for one, other in pairwise(names))
    page = read_here(Source((grown + r"\def\xp{heron }\xa{} end").encode(), tex, HERE))
    assert 100 < page.text.count("heron") < tex_macros.EXPANDED_MOST // 4
    assert page.text.endswith(" end")
    assert read_here(Source(rb"\def\x{y \x}\x{} end", tex, HERE)).text.endswith("y end")


def test_subtitles_are_what_is_said() -> None:
    assert said(SRT).html == "<p>Hello there. How are you?</p>\n<p>Later.</p>"
    assert said(VTT).html == "<p>Ada: Hi &amp; bye</p>"


def test_calendars_and_cards() -> None:
    page = said(CALENDAR)
    assert (page.media_type, page.title) == ("text/calendar", "Talks")
    assert page.text == "On herons, again\nBegins: 2001-09-09 01:46\nSee https://a.example/x"
    page = said(CARD)
    assert (page.title, [link.url for link in page.links]) == ("Ada Lovelace", ["https://a.example/"])
    assert "Organization: Engine, Dept\nAddress: 1 Main St, London, UK\n" in page.text


def test_settings_are_outlines() -> None:
    page = said('title = "T"\n[a]\nday = 2001-09-09\n', "x.toml")
    assert (page.media_type, page.title, page.text) == ("application/toml", "T", "title: T\na\nday: 2001-09-09")
    page = said(YAML)
    assert (page.media_type, page.title) == ("application/yaml", "My app")
    assert page.text == "title: My app\ntasks\nname: one\nurl: https://a.example/\ntext: line 1 line 2\ncopy: [1, 2]"
    assert "<li>tasks\n<ul>\n<li>name: one" in page.html


def test_what_is_no_toml_stays_as_it_is() -> None:
    page = document(b"just words", None, HERE + "x.toml")
    assert (page.text, page.problem.startswith("not TOML: ")) == ("just words", True)
    deep = document(b"a." * 5_000 + b"a = 1", None, HERE + "x.toml")
    assert deep.problem == "nested too deeply to be read; it was taken for text"


def test_programs_are_code_under_the_name_of_their_file() -> None:
    page = said("# A remark\ndef find_heron(): ...\n", "src/birds.py?raw=1", "text/plain")
    assert (page.media_type, page.title) == ("text/x-python", "birds.py")
    assert page.html == '<pre lang="python"># A remark\ndef find_heron(): ...</pre>'
    assert said("#!/bin/sh\necho 1\n").html == '<pre lang="shell">#!/bin/sh\necho 1</pre>'
    assert said("var a = 1 < 2", "a.js", "text/javascript").html == '<pre lang="javascript">var a = 1 &lt; 2</pre>'


@pytest.mark.parametrize(
    ("text", "name", "media_type", "kind"),
    [
        ("Just words: a list.\n\n- one\n- two\n", "", None, "text/plain"),
        ("A title\n=======\n\nWords.\n", "", None, "text/plain"),
        ("= a sum\nof words\n", "", None, "text/plain"),
        ("key: value\nother: value\nthird: x\n", "", None, "text/plain"),
        ("We use \\section in TeX.\n", "", None, "text/plain"),
        ("BEGIN: the meeting\n", "", None, "text/plain"),
        (RST, "", "text/plain", "text/plain"),
        (TEX, "", "text/plain", "text/plain"),
        ("<!DOCTYPE html><p>x", "a.rst", "text/html", "text/html"),
        ("<!DOCTYPE html><p>x", "a.py", None, "text/html"),
        ("Words of a script", "answer.php", "text/plain", "text/plain"),
    ],
)
def test_ordinary_text_stays_what_it_is(text: str, name: str, media_type: str | None, kind: str) -> None:
    assert document(text.encode(), media_type, HERE + name).media_type == kind


def test_a_film_is_no_program_though_its_name_ends_like_one() -> None:
    film = b"\x47\x40\x00\x10\x00" * 100
    assert document(film, "application/octet-stream", HERE + "a.ts").media_type == "application/octet-stream"
    assert document(film, type_by_name("a.ts")).media_type == "application/octet-stream"


def test_endings_have_readers() -> None:
    for ending in ("rst", "adoc", "org", "tex", "srt", "vtt", "ics", "vcf", "toml", "yml", "py", "c", "rs", "sql"):
        assert type_by_name(f"a.{ending}") in READERS


SAMPLES = {
    "text/x-rst": RST,
    "text/org": ORG,
    "text/asciidoc": ASCIIDOC,
    "application/x-tex": TEX,
    "application/x-subrip": SRT,
    "text/vtt": VTT,
    "text/calendar": CALENDAR,
    "text/vcard": CARD,
    "application/yaml": YAML,
    "application/toml": 'a = 1\n[b.c]\nd = ["x", {e = 1.5}]\n',
}


def test_long_markup_is_cut_at_a_line_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inline, "LENGTH_MOST", 30)
    page = read_here(Source(b"* One\n\n- a *heron* wades\n- an *owl* sits\n", MimeType("text", "org"), HERE))
    assert page.text == "One\na heron wades\n- an *owl* sits"
    assert page.problem == (
        "only the first 25 of 41 characters were read as what they are; the rest was taken for text"
    )


def test_many_subtitles_are_read_and_too_many_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    cue = "{0}\n00:00:01,000 --> 00:00:02,000\nheron{0}\n\n"
    text = "".join(map(cue.format, range(30_000))).encode()
    assert len(text) > inline.LENGTH_MOST
    page = read_here(Source(text, MimeType("application", "x-subrip"), HERE))
    assert (page.text.split(), page.problem) == ([f"heron{number}" for number in range(30_000)], "")
    monkeypatch.setattr(inline, "RECORDS_MOST", 100)
    cut = read_here(Source(text, MimeType("application", "x-subrip"), HERE))
    assert cut.text == "heron0 heron1"
    assert cut.problem == f"only the first 82 of {len(text):,} characters were read"


def test_the_picture_of_a_card_is_passed_over_whatever_its_size() -> None:
    picture = "\n ".join(["A" * 75] * 20_000)
    page = said(f"BEGIN:VCARD\nFN:Ada\nPHOTO;ENCODING=b:{picture}\nEMAIL:a@a.example\nEND:VCARD\n", "a.vcf")
    assert (page.text, page.problem) == ("Ada\nMail: a@a.example", "")


@pytest.mark.parametrize("media_type", SAMPLES)
def test_spoilt_text_is_read_without_an_accident(media_type: str) -> None:
    draw, sample = random.Random(26), SAMPLES[media_type]
    signs = "".join(sorted(set(sample))) + "\\{}[]|`*_=:-\n\t \0\ud7ff"
    kind = MimeType(*media_type.split("/"))
    for _ in range(150):
        text = list(sample)
        for _ in range(draw.choice((1, 8, 64))):
            at = draw.randrange(len(text))
            text[at : at + draw.choice((0, 1, 1, 30))] = draw.choice(signs) * draw.choice((1, 1, 2, 40))
        page = read_here(Source("".join(text).encode(), kind, HERE))
        assert len(page.html) < 40 * len(text) + 1_000
        assert page.text or page.problem


@pytest.mark.parametrize("media_type", SAMPLES)
@pytest.mark.parametrize("sign", ["{", "\\begin{equation}", "- ", "`<", "[[", "|===\n", "a.", ":a:\n", "\n", "*a"])
def test_many_of_a_sign_do_no_harm(media_type: str, sign: str) -> None:
    page = read_here(Source(sign.encode() * 20_000, MimeType(*media_type.split("/")), HERE))
    assert page.text or page.problem
