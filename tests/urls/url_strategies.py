"""Addresses as the web has them: mostly plain, sometimes broken, sometimes hostile."""

from __future__ import annotations

from hypothesis import strategies as st

from gossamer.errors import InvalidURL
from gossamer.urls import normalize

HOSTS = [
    "example.com", "www.example.com", "WWW.Example.COM", "www2.example.com", "www-x.example.com", "example.co.uk",
    "www.www.com", "www.co.uk", "localhost", "a_b.example.com", "bücher.example", "xn--bcher-kva.example",
    "example.com.", "a..b", "a,b.example.com", "a)b.example.com", "a+b.example.com", "example+.com", "1.2.3.4",
    "0x7f.1", "017.0.0.1", "3279880203", "[::1]", "[2001:DB8::1]", "ex%61mple.com", "a.0x", ".",
]  # fmt: skip
SEGMENTS = [
    "", "a", "b", "A b", ".", "..", "%2e", "%2E.", "%7Ea", "%7e", "%2f", "%C3%A9", "é", "%", "%4", "%%41", "%4%31",
    "a:b", "a|b", "a'b", 'a"b', "index.html", "Default.aspx", "x;jsessionid=1", "..;sid=1", ".;phpsessid=2",
    "(S(4hqa0555fwsecu455xqckv45))", "\\", "a\tb", "\ud800", "[x]", "a^b", "{}", "1.2.3.4",
]  # fmt: skip
PARAMETERS = [
    "", "a", "a=1", "b=2", "a=%7E", "utm_source=x", "UTM_Medium=y", "gclid=1", "sid=2", "PHPSESSID=3", "=", "q='x'",
    "q=a b", "q=é", "q=%zz", "u=http://a.example/../b?c", "?", "|", "a=%2526",
]  # fmt: skip

hosts = st.sampled_from(HOSTS) | st.from_regex(r"[a-z0-9-]{1,5}(\.[a-z0-9-]{1,5}){0,3}", fullmatch=True)
segments = st.sampled_from(SEGMENTS) | st.text(max_size=6)
paths = st.lists(segments, max_size=6).map("/".join)
queries = st.lists(st.sampled_from(PARAMETERS) | st.text(max_size=6), max_size=5).map("&".join)
tails = st.builds(
    "{}{}{}".format,
    paths,
    st.just("") | queries.map("?{}".format),
    st.sampled_from(["", "", "#", "#x", "#a b", "#\ud800"]),
)
absolute = st.builds(
    "{}{}{}{}/{}".format,
    st.sampled_from(["http://", "https://", "HTTPS://", " http://", "http:/"]),
    st.sampled_from(["", "", "", "user@", "user:p%41ss@"]),
    hosts,
    st.sampled_from(["", "", ":80", ":443", ":8080", ":"]),
    tails,
)
relative = st.builds(
    "{}{}".format, st.sampled_from(["", "", "/", "//", "./", "../", "?", "#", "//example.org/"]), tails
)
hrefs = absolute | relative | st.text(max_size=12) | st.sampled_from(["mailto:a@b.example", "javascript:void(0)"])


def canonical_or_none(url: str, base: str | None = None) -> str | None:
    """The canonical form, or None where there is none."""
    try:
        return normalize(url, base)
    except InvalidURL:
        return None


canonical = absolute.map(canonical_or_none).filter(lambda url: url is not None)
