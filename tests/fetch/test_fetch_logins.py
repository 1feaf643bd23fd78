"""Who gets a header, a cookie or a password? The sites that it was given for, and nobody else."""

from __future__ import annotations

import pickle

import pytest

from gossamer.errors import UsageError
from gossamer.fetch.login_table import Sources, check, sent
from gossamer.fetch.logins import Login, Logins, basic, cookies, header, place
from gossamer.fetch.request import Identity, Request, Requests
from gossamer.model import Visit

NOBODY: frozenset[str] = frozenset()


def login_for(*urls: str, suffixes: frozenset[str] = NOBODY, whole: bool = True) -> Logins:
    places = tuple(place(url, suffixes, whole=whole) for url in urls)
    return Logins((Login(places, (("X-Key", "hush"),)),), suffixes)


@pytest.mark.parametrize(
    ("seed", "url", "is_sent"),
    [
        ("https://example.org/", "https://example.org/a?b", True),
        ("https://example.org/", "https://www.example.org/", True),
        ("https://example.org/", "http://example.org/", False),
        ("https://example.org/", "https://example.org:8443/", False),
        ("https://example.org/", "https://example.org.evil.test/", False),
        ("https://example.org/", "https://evilexample.org/", False),
        ("https://example.org/", "https://example.net/", False),
        ("http://example.org/", "http://example.org/a", True),
        ("http://example.org/", "https://example.org/a", True),
        ("http://example.org:8080/", "http://example.org:8080/", True),
        ("http://example.org:8080/", "http://example.org/", False),
        ("https://mine.co.uk/", "https://theirs.co.uk/", False),
        ("https://alice.github.io/", "https://bob.github.io/", False),
        ("http://127.0.0.1:80/", "http://127.0.0.2/", False),
        ("http://[::1]:8080/", "http://[::1]:8080/a", True),
        ("http://localhost/", "http://localhost.evil.test/", False),
    ],
)
def test_a_login_goes_to_its_own_site_and_nowhere_else(seed: str, url: str, is_sent: bool) -> None:
    assert login_for(seed).fields(url) == ((b"X-Key: hush",) if is_sent else ())


def test_the_suffixes_of_a_plan_make_sites_smaller_and_never_larger() -> None:
    narrow = frozenset({"corp.example"})
    assert not login_for("https://wiki.corp.example/", suffixes=narrow).fields("https://evil.corp.example/")
    wide = frozenset({"!co.uk"})  # an exception of the public list, by which co.uk would be somebody's
    assert not login_for("https://mine.co.uk/", suffixes=wide).fields("https://theirs.co.uk/")


def test_a_host_that_a_plan_names_is_only_that_host() -> None:
    login = login_for("https://wiki.example.org/", whole=False)
    assert login.fields("https://wiki.example.org/")
    assert not login.fields("https://www.example.org/")
    assert login_for("https://example.org/", whole=False).fields("https://www.example.org/")


def test_what_is_sent_stands_in_no_record_and_in_no_word_about_it() -> None:
    made = Requests(Identity(), login_for("https://example.org/")).make(Visit("https://example.org/"))
    assert isinstance(made, Request)
    assert made.login == (b"X-Key: hush",)
    assert b"hush" not in made.head
    logins = login_for("https://example.org/")
    assert "hush" not in repr(logins)
    assert pickle.loads(pickle.dumps(logins)) == logins


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding", "Connection", "User-Agent", "From"])
def test_what_the_crawler_says_of_itself_is_its_own(name: str) -> None:
    with pytest.raises(UsageError, match="own; leave it out"):
        header(f"{name}: x")


@pytest.mark.parametrize(
    "line", ["", "X", "X Y: z", ": z", "X:", "X: ", "X: a\r\nHost: b", "X: a\nb", "X: a\0", "X\r\n: a", "X: \u20ac"]
)
def test_a_header_cannot_smuggle_anything_in(line: str) -> None:
    with pytest.raises(UsageError) as caught:
        header(line)
    assert "\r" not in str(caught.value)


def test_a_refused_header_is_not_repeated() -> None:
    with pytest.raises(UsageError) as caught:
        header("Authorization: Bearer hush\r\nX: y")
    assert "hush" not in str(caught.value)


JAR = """# Netscape HTTP Cookie File
# a comment

example.org\tFALSE\t/\tFALSE\t0\tsession\tabc
.example.org\tTRUE\t/app\tTRUE\t4102444800\tapp\tdef
#HttpOnly_.example.org\tTRUE\t/\tFALSE\t4102444800\thidden\tghi
.example.org\tTRUE\t/\tFALSE\t1000\told\tjkl
evil.test\tFALSE\t/\tFALSE\t0\tevil\tmno
example.org\tFALSE\t/\tFALSE\t0\tbad\ta;b
"""


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/", b"Cookie: session=abc; hidden=ghi"),
        ("https://example.org/app", b"Cookie: app=def; session=abc; hidden=ghi"),
        ("https://example.org/app/x?y", b"Cookie: app=def; session=abc; hidden=ghi"),
        ("https://example.org/apple", b"Cookie: session=abc; hidden=ghi"),
        ("https://www.example.org/", b"Cookie: hidden=ghi"),
        ("http://example.org/app", b"Cookie: session=abc; hidden=ghi"),
        ("https://evil.test/", None),
    ],
)
def test_cookies_go_where_their_line_says_and_the_login_holds(url: str, expected: bytes | None) -> None:
    login = Login((place("http://example.org/", NOBODY),), cookies=cookies(JAR, now=2_000_000_000.0))
    assert Logins((login,)).fields(url) == ((expected,) if expected else ())


def test_a_cookie_header_and_a_file_of_cookies_are_one_field() -> None:
    login = Login((place("https://example.org/", NOBODY),), (("Cookie", "a=b"),), cookies(JAR, now=0.0)[1:2])
    assert Logins((login,)).fields("https://example.org/") == (b"Cookie: a=b; session=abc",)


@pytest.mark.parametrize("text", ["not a cookie file", "a\tb\tc\td\te\tf\tg", '{"json": true}'])
def test_what_is_no_file_of_cookies_is_said_to_be_none(text: str) -> None:
    with pytest.raises(UsageError, match=r"not a cookies\.txt"):
        cookies(text, now=0.0)


def test_a_name_and_a_password_are_one_field() -> None:
    assert basic("Aladdin", "open sesame") == ("Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    assert basic("a", "\udcff") == ("Authorization", "Basic YTr/")  # as the environment has it, byte by byte
    for user in ("", "a:b"):
        with pytest.raises(UsageError):
            basic(user, "x")


def test_a_plan_refers_to_secrets() -> None:
    sources = Sources({"TOKEN": "hush"}, {"/key": "quiet\n", "/jar": JAR}.__getitem__, now=2e9)
    assert sent("header X-Key: Bearer $TOKEN", sources).fields == (("X-Key", "Bearer hush"),)
    assert sent("header X-Key: ${TOKEN}s", sources).fields == (("X-Key", "hushs"),)
    assert sent("header X-Key: @/key", sources).fields == (("X-Key", "quiet"),)
    assert sent("auth me @/key", sources).fields == (basic("me", "quiet"),)
    assert len(sent("cookie /jar", sources).cookies) == 4
    with pytest.raises(UsageError, match="needs OTHER of the environment"):
        sent("auth me $OTHER", sources)


@pytest.mark.parametrize(
    "entry",
    ["header X-Key: hush", "auth me hush", "auth me", "cookie", "cookie ", "X: $T", "", "header X-Key hush"],
)
def test_a_plan_holds_no_secret(entry: str) -> None:
    with pytest.raises(UsageError) as caught:
        check(entry)
    assert "hush" not in str(caught.value)


def fits(line: str, url: str, now: float = 0.0) -> bool:
    jar = cookies(line.replace(" ", "\t"), now)
    return bool(Logins((Login((place(url, NOBODY),), cookies=jar),)).fields(url))


@pytest.mark.parametrize(
    ("line", "url", "sent_there"),
    [
        ("example.org FALSE / FALSE 0 a b", "https://www.example.org/", False),
        (".example.org TRUE / FALSE 0 a b", "https://www.example.org/", True),
        (".example.org true / false 0 a b", "https://www.example.org/", True),
        (".example.org TRUE / FALSE 0 a b", "https://example.org/", True),
        (".example.org TRUE / FALSE 0 a b", "https://notexample.org/", False),
        ("0.0.1 TRUE / FALSE 0 a b", "http://127.0.0.1/", False),
        ("example.org FALSE /app/ FALSE 0 a b", "https://example.org/app/x", True),
        ("example.org FALSE /app/ FALSE 0 a b", "https://example.org/app", False),
        ("example.org FALSE / TRUE 0 a b", "http://example.org/", False),
        ("example.org FALSE / TRUE 0 a b", "https://example.org/", True),
    ],
)
def test_a_cookie_is_for_its_host_its_path_and_its_scheme(line: str, url: str, sent_there: bool) -> None:
    assert fits(line, url) is sent_there


@pytest.mark.parametrize(
    ("until", "lasts"), [("0", True), ("-1", True), ("999", False), ("1000", True), ("1000.5", True), ("999.5", False)]
)
def test_a_cookie_lasts_until_its_date_and_one_of_a_session_as_long_as_the_file(until: str, lasts: bool) -> None:
    assert fits(f"example.org FALSE / FALSE {until} a b", "https://example.org/", 1_000.0) is lasts


def test_a_line_without_a_path_is_for_all_paths_and_one_of_several_logins_is_enough() -> None:
    (cookie,) = cookies("example.org\tFALSE\t\tFALSE\t0\ta\tb", 0.0)
    assert cookie.path == "/"
    assert not Logins()
    both = Logins((*login_for("https://a.test/").each, *login_for("https://b.test/", "https://c.test/").each))
    assert both
    assert [bool(both.fields(f"https://{name}.test/")) for name in "abcd"] == [True, True, True, False]


def test_of_two_values_for_one_field_the_last_counts() -> None:
    where = (place("https://a.test/", NOBODY),)
    both = Logins((Login(where, (("X-Key", "first"), ("Y", "1"))), Login(where, (("x-key", "last"),))))
    assert both.fields("https://a.test/") == (b"x-key: last", b"Y: 1")


def test_a_plan_names_forms_and_digests() -> None:
    sources = Sources(
        {"TOKEN": "hush"}, {"/key": "quiet\n"}.__getitem__, now=2e9, keyring=lambda *asked: "/".join(asked)
    )
    (form,) = sent("form https://Example.org/login me $TOKEN", sources).accounts
    assert (form.kind, form.user, form.password, form.url) == ("form", "me", "hush", "https://example.org/login")
    (digest,) = sent("digest me @/key", sources).accounts
    assert (digest.kind, digest.password) == ("digest", "quiet")
    assert "quiet" not in repr(digest)
    (kept,) = sent("digest me %wiki/ada", sources).accounts
    assert kept.password == "wiki/ada"
    (held,) = sent("digest me =$TOKEN @x", sources).accounts
    assert held.password == "$TOKEN @x"
    login = Login((place("https://example.org/", NOBODY),), accounts=(form, digest))
    assert login.account("digest") is digest
    assert Logins((login,)).holds("https://www.example.org/a")
    assert not Logins((login,)).holds("http://example.org/")
    assert "hush" not in repr(Logins((login,)))


@pytest.mark.parametrize(
    "entry",
    ["form", "form nonsense me $X", "form https://a.test/ me hush", "digest me hush"],
)
def test_a_login_that_is_none_or_holds_a_secret_is_refused(entry: str) -> None:
    with pytest.raises(UsageError) as caught:
        check(entry)
    assert "hush" not in str(caught.value)
    check("form https://a.test/ me $X")
    check("form https://a.test/ me =hush", held=True)
    with pytest.raises(UsageError):
        check("form https://a.test/ me =hush")


STEPS = ("open https://A.test/in", "user #name", "password  #word", "click text=Go on", "wait-for .me")


def test_a_login_by_a_browser_is_a_page_and_what_is_done_there() -> None:
    sources = Sources({"TOKEN": "hush"}, {}.__getitem__, now=0.0)
    entry = "\n".join(("browser https://A.test/login me $TOKEN", *(f"  {step}" for step in STEPS), ""))
    check(entry)
    (account,) = sent(entry, sources).accounts
    assert (account.kind, account.user, account.password, account.url) == (
        "browser", "me", "hush", "https://a.test/login",
    )  # fmt: skip
    assert [(each.does, each.what) for each in account.steps] == [
        ("open", "https://a.test/in"),
        ("user", "#name"),
        ("password", "#word"),
        ("click", "text=Go on"),
        ("wait-for", ".me"),
    ]


@pytest.mark.parametrize(
    "steps",
    [
        (),
        STEPS[:-1],
        (*STEPS[:-1], "wait-for"),
        ("look-at .me", *STEPS),
        ("open nonsense", *STEPS),
        ("click .more",) * 26 + STEPS,
    ],
)
def test_steps_that_are_none_or_too_many_are_refused(steps: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        check("\n".join(("browser https://a.test/ me $X", *steps)))
    check("\n".join(("browser https://a.test/ me $X", *("click .more",) * 25, *STEPS)))


def test_a_secret_is_taken_from_where_the_entry_says() -> None:
    files = {"/key": "PRIVATE", "/word": " hush\n"}
    sources = Sources({}, {}.__getitem__, 0.0, files.__getitem__, lambda service, user: f"{service}:{user}")
    (key,) = sent("key me /key", sources).accounts
    assert (key.kind, key.user, key.password) == ("key", "me", "/key")
    with pytest.raises(KeyError):  # it is looked at, so that one that others can read is refused
        sent("key me /none", sources)
    check("key me /key")
    with pytest.raises(UsageError):
        check("key me")
    passwords = [sent(f"digest me {where}", sources).accounts[0].password for where in ("@/word", "%a/b/ada", "%ada")]
    assert passwords == ["hush", "a/b:ada", "ada:ada"]
    with pytest.raises(UsageError, match="the keyring has no password of ada for wiki"):
        sent("digest me %wiki/ada", Sources({}, files.__getitem__, 0.0))
    assert sent("auth me @/word", Sources({}, files.__getitem__, 0.0)).fields == (basic("me", "hush"),)
