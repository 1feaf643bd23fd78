"""Which links end a session? By their address or by what they are called, in the languages of most of the web."""

from __future__ import annotations

import pytest

from gossamer.urls.signing_out import signs_out


@pytest.mark.parametrize(
    "path",
    [
        "logout",
        "logout/",
        "log-out",
        "log_out",
        "user/logoff",
        "Logout.aspx?ReturnUrl=%2F",
        "sign-out",
        "users/sign_out",
        "wp-login.php?action=logout&_wpnonce=1",
        "index.php?page=signout",
        "auth/doLogout",
        "sessions/destroy",
        "account/endSession",
        "abmelden",
        "d%C3%A9connexion",
        "se-deconnecter",
        "cerrar-sesion",
        "uitloggen",
        "logga-ut",
        "wyloguj",
        "odhl%C3%A1sit",
        "%D0%B2%D1%8B%D1%85%D0%BE%D0%B4",
        "oturumu-kapat",
        "index.php?do=logout#x",
    ],
)
def test_addresses_that_log_out(path: str) -> None:
    assert signs_out(f"https://example.org/{path}")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "login",
        "docs/how-to-log-out-of-everything",
        "blog/the-great-logout-of-2024",
        "signal/output",
        "sessions/today",
        "lookout",
        "about?topic=catalogoutline",
        "sair/de/casa",
    ],
)
def test_addresses_that_do_not(path: str) -> None:
    assert not signs_out(f"https://example.org/{path}")


@pytest.mark.parametrize(
    "anchor",
    [
        "Log out",
        " Logout ",
        "LOG OFF",
        "Sign out (Ada Lovelace)",
        "Log out ada@example.org",
        "Log out of Ada Lovelace",
        "Abmelden",
        "Se déconnecter",
        "Déconnexion",
        "Cerrar sesión",
        "Sair",
        "Esci",
        "Uitloggen",
        "Logga ut",
        "Wyloguj się",
        "Odhlásit se",
        "Kijelentkezés",
        "Çıkış yap",
        "Выход",
        "Выйти",
        "Вихід",
        "Αποσύνδεση",
        "تسجيل الخروج",
        "退出登录",
        "ログアウト",
        "로그아웃",
        "Đăng xuất",
    ],
)
def test_names_of_links_that_log_out(anchor: str) -> None:
    assert signs_out("https://example.org/x?a=1", anchor)


@pytest.mark.parametrize(
    "anchor",
    ["", "Log in", "How to log out", "Signs outside", "Sign out sheets for school libraries", "Out"],
)
def test_names_of_links_that_do_not(anchor: str) -> None:
    assert not signs_out("https://example.org/x", anchor)
