"""May a form be sent? Only one that asks for something and changes nothing, as far as its words tell.

Sent by GET alone, which promises to be safe (RFC 9110, section 9.2.1). Many pages break that promise: so a form is left
alone whose address, fields or words speak of deleting, buying, subscribing, writing or logging in, in the languages of
most of the web. To leave a good form out costs some pages; to send a bad one may cost somebody their data.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias

from gossamer.convert.html.forms import Control, Form
from gossamer.urls import keys

Wanted: TypeAlias = Literal["off", "search", "all"]

TEXT = frozenset({"text", "search", "", "tel", "url", "number"})
"""Kinds of fields into which one writes."""
_KNOWN = TEXT | {"hidden", "select", "radio", "checkbox", "submit", "image", "button", "reset", "range"}
_CHANGING = (
    # to delete and change
    r"delet|remov|destroy|erase|purge|\bedits?\b|updat|upload|publish|approve|revok|reset~password|drop~table|truncate",
    r"l[öo]sch|entfern|bearbeit|[äa]ndern|supprim|effac|modifi|elimin|borrar|apagar|excluir|cancell|verwijder|usu[nń]",
    r"удал|измен|删除|修改|削除|編集|삭제|حذف",
    # to buy and pay
    r"\bbuy|purchas|check~out|\bcart\b|basket|add~to~(?:cart|bag)|\bpay\b|payment|donat|place~order|order~(?:now|form)",
    r"\bbid\b|bestell|kaufen|warenkorb|bezahl|spende|achet|panier|commander|comprar|carrito|pedido|pagar|acquist",
    r"carrello|afrekenen|winkelwagen|zam[oó]w|koszyk|купить|корзин|заказ|购买|购物车|结算|購入|カート|注文|구매|장바구니",
    # to subscribe, join and book
    r"subscri|newsletter|sign~up|register|registr|\bjoin\b|enrol|abonn|anmeld|eintragen|inscri|suscrib|assin(?:ar|e)",
    r"iscri|aanmeld|zapis|подпис|регистр|订阅|注册|登録|購読|구독|가입|book~now|reserv|appointment|termin~buch|réserv",
    # to write and speak
    r"comment|kommentar|\brepl(?:y|ies)|message|feedback|contact|kontakt|contato|guest~book|write~a~review|report~abuse",
    r"\bvot(?:e|ing)|abstimm|\blike~button|\bshare\b|\bsend|envoyer|enviar|absenden|\binvia|verstuur|\binvite|\bpoll\b",
    r"rate~this|отправ|发送|评论|送信|コメント|댓글",
    # to log in and out, and to steer machines
    r"passw|log~in\b|sign~in\b|log~out|sign~out|log~off|kennwort|contrase|mot~de~passe|senha|парол|密码|\badmin\b",
    r"\binstall|shut~down|restart|reboot|run~(?:now|job|command)|execut|\bexec\b|\bsudo|transfer|withdraw",
)
"""Words and beginnings of words; where a `~` stands there may be a space."""
_ORDERS = (
    r"delet\w*|del|rm|remove|erase|purge|wipe|kill|ban|unban|block|unblock|clear|drop|destroy|cancel|disable|enable"
    r"|activate|deactivate|rename|grant|deny|revoke|terminate|lock|unlock|approve|reject|trigger|toggle|undo|merge|flush"
    r"|rotate|deploy|hapus|sil|kaldir|usun|poista"
)
"""What somebody is told to do with something, as a word of its own."""
_WRITES = r"save|create|add|insert|edit|update|assign"
_PRESSED = r"apply now|accept|confirm|follow|unfollow|start|stop|close|open|set|put|post|move|change|mark|fire|launch"
_SENDS = re.compile(rf"(?:^|\W)(?:{_ORDERS}|{_WRITES})(?:$|\W)", re.IGNORECASE)
"""In an address, or in what is sent along."""
_BUTTON = re.compile(rf"\W*(?:{_ORDERS}|{_WRITES}|{_PRESSED})(?:$|\W)", re.IGNORECASE)
_OPTION = re.compile(rf"\W*(?:{_ORDERS})(?:$|\W)", re.IGNORECASE)
"""At its beginning: `Delete` is one, `Recently added` is none."""
_CHANGES = re.compile("|".join(_CHANGING).replace("~", " ?"), re.IGNORECASE)
_PERSONAL = re.compile(
    r"e ?mail|phone|\biban|card ?(?:no|num)|cvv|\bpin\b|birth|address1|street|zip ?code|captcha", re.IGNORECASE
)
_ONCE = re.compile(r"csrf|xsrf|token|nonce|session|\bsid\b|authenticity|viewstate|captcha", re.IGNORECASE)
_APART = str.maketrans({"_": " ", "-": " "})
"""Between words of a name, so that each of them is one."""


def refusal(form: Form, page: str, wanted: Wanted) -> str:
    """Why a form is not sent; empty when it is."""
    if form.method != "get":
        return "it is not sent by GET"
    if form.files:
        return "it sends files"
    if keys.origin(form.action).partition("//")[2] != keys.origin(page).partition("//")[2]:
        return f"it is sent to another host, {keys.host(form.action)}"
    if form.action.startswith("http:") and page.startswith("https:"):
        return "it leads from https to http"
    if form.overruled:
        return "a button or a script of it sends it in another way"
    if reason := _harm(form):
        return reason
    free = free_fields(form)
    chosen = [control for control in form.controls if is_choice(control)]
    if not free and not chosen:
        return "there is nothing to fill in"
    if wanted != "all" and len(free) > 1:
        return "it has more than one field for words, which only --forms all fills in"
    if wanted != "all" and any(control.kind in ("radio", "checkbox") and control.name for control in form.controls):
        return "it has boxes or buttons to choose from, which only --forms all fills in"
    return ""


def free_fields(form: Form) -> list[Control]:
    """The fields into which one writes."""
    return [control for control in form.controls if control.kind in TEXT and control.name]


def is_choice(control: Control) -> bool:
    """Has it values of its own to choose from?"""
    return control.kind in ("select", "radio") and bool(control.name) and len(control.options) > 1


def _plain(text: str) -> str:
    """As it is read, whatever it is written with: in one form of each letter, and without what cannot be seen."""
    shown = unicodedata.normalize("NFKC", text)
    return "".join(each for each in shown if unicodedata.category(each) != "Cf").translate(_APART)


def _ordered(form: Form, sends: list[tuple[str, str]], buttons: list[str]) -> str:
    """Does a word of it tell somebody to do something?"""
    for where, text in sends:
        if found := _SENDS.search(_plain(text).replace("/", " ")):
            says = "says" if where == "address" else "say"
            return f"its {where} {says} that it changes something: {found[0].strip(' ?&=.')}"
    for label in buttons:
        if found := _BUTTON.match(_plain(label)):
            return f"its button says that it changes something: {found[0].strip()}"
    for value, label in (each for control in form.controls for each in control.options):
        if found := _OPTION.match(_plain(label)) or _OPTION.match(_plain(value)):
            return f"one of its options says that it changes something: {found[0].strip()}"
    return ""


def _harm(form: Form) -> str:
    for control in form.controls:
        if control.kind not in _KNOWN:
            return f"it has a field for {control.kind if control.kind != 'textarea' else 'long text'}"
        if control.kind == "hidden" and _ONCE.search(control.name) and control.value:
            return f"its field {control.name} holds only once, so its address could not be repeated"
    path = form.action.split("/", 3)[3] if form.action.count("/") > 2 else ""
    told = [("address", path), ("words", form.words)]
    told += [("fields", f"{control.name} {control.label}") for control in form.controls]
    fixed = [control for control in form.controls if control.kind in ("hidden", "submit", "image")]
    told += [("fields", control.value) for control in fixed]
    sends = [("address", path), *(("fields", control.value) for control in fixed)]
    buttons = [control.label for control in fixed if control.kind != "hidden"]
    if reason := _ordered(form, sends, buttons):
        return reason
    for where, text in told:
        plain = _plain(text)
        says = "says" if where == "address" else "say"
        if found := _CHANGES.search(plain):
            return f"its {where} {says} that it changes something: {found[0].strip()}"
        if where == "fields" and (found := _PERSONAL.search(plain)):
            return f"it asks for something personal: {found[0].strip()}"
    return ""
