"""Does a link end the session of whoever follows it? By the words of its address, and by what it is called.

A crawler that is logged in and follows "Log out" reads the rest of the site as a stranger. No site says in a way that
machines read which link that is, so the words are looked for, in the languages in which most of the web is written. A
page that is only about logging out (`/docs/how-to-log-out`) has other words around them and is read.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from urllib.parse import unquote_plus

from gossamer.model import URL

_PHRASES = (
    # English, then by language: de, fr, es, pt, it, nl, da and no, sv, fi, pl, cs and sk, hu, ro, hr and sl
    "log out|log off|sign out|sign off|end session|close session|log me out|sign me out",
    "abmelden|ausloggen|abmeldung|logout",
    "deconnexion|se deconnecter|deconnecter|me deconnecter|fermer la session",
    "cerrar sesion|cerrar la sesion|desconectar|desconectarse|salir de la sesion",
    "sair|terminar sessao|encerrar sessao|fazer logout|desconectar-se",
    "esci|disconnetti|disconnettiti|scollegati|chiudi sessione",
    "uitloggen|afmelden|log uit|meld af",
    "log ud|logg ut|log af|logg av|logg deg ut",
    "logga ut|logga av",
    "kirjaudu ulos|uloskirjautuminen",
    "wyloguj|wyloguj sie|wylogowanie",
    "odhlasit|odhlasit se|odhlasit sa|odhlaseni",
    "kijelentkezes|kilepes",
    "deconectare|iesire din cont",
    "odjava|odjavi se|odjavi me",
    # Turkish, Vietnamese, Indonesian, Greek, Russian and Ukrainian, Hebrew, Arabic, Persian, Chinese, Japanese, Korean
    "cikis|cikis yap|oturumu kapat|dang xuat|keluar|aposyndesi|αποσυνδεση|εξοδος",
    "выход|выити|вынти|выйти|вихід|вийти|завершить сеанс",
    "התנתק|התנתקות|יציאה|تسجيل الخروج|خروج",
    "退出|退出登录|登出|注销|登录退出|ログアウト|サインアウト|로그아웃",
)
_ALONE = re.compile(
    r"(?:log|sign)(?:out|off)|signmeout|logmeout|(?:end|close|destroy|kill)session|sessions?(?:destroy|end)"
)
_BEFORE = (
    "(?:do|user|users|auth|account|member|members|my|perform|process|oauth|oauth2|sso|cas|saml|admin|wp|ajax|site)?"
)
_AFTER = "(?:user|now|page|all|action|success|process|redirect|request|do|php|aspx?|jsp|html?|cgi|action)?"
_MARKS = re.compile("[\u0300-\u036f]")
_PARTS = re.compile(r"[/?&=;,.:#!()]+")
_WORDS_MOST = 3
"""Words that may follow in what a link is called: "Log out (Ada Lovelace)"."""


@lru_cache(maxsize=1)
def _spoken() -> frozenset[str]:
    return frozenset(_plain(phrase) for phrases in _PHRASES for phrase in phrases.split("|"))


@lru_cache(maxsize=1)
def _written() -> re.Pattern[str]:
    """What a part of an address is, without what stands between its words."""
    words = {phrase.replace(" ", "").replace("-", "") for phrase in _spoken()} - {"sair", "esci", "salir", "keluar"}
    return re.compile(f"{_BEFORE}(?:{_ALONE.pattern}|{'|'.join(sorted(words))}){_AFTER}")


def signs_out(url: URL, anchor: str = "") -> bool:
    """Would following this link, which is called so, end a session?"""
    return _is_called_so(anchor) or any(_written().fullmatch(part) for part in _parts(url))


def _is_called_so(anchor: str) -> bool:
    words = _plain(anchor[:200]).split()
    return any(" ".join(words[:count]) in _spoken() for count in range(1, 5) if len(words) - count <= _WORDS_MOST)


def _parts(url: URL) -> list[str]:
    """What stands between the slashes and the like of an address, without hyphens."""
    path = url.split("/", 3)[3] if url.count("/") > 2 else ""
    parts = _PARTS.split(_plain(unquote_plus(path)))
    pairs = [first + second for first, second in pairwise(parts) if first.startswith("session")]
    return [part.replace("-", "").replace("_", "").replace(" ", "") for part in (*parts, *pairs)]


def _plain(text: str) -> str:
    """In small letters and without accents; what stands around words is cut off."""
    folded = _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold())).replace("\u0131", "i").replace("đ", "d")
    return " ".join(re.sub(r"[^\w/?&=;,.:#!()-]+", " ", unicodedata.normalize("NFC", folded)).strip(" .:!()").split())
