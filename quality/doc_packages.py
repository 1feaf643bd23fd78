"""How do documentation packages of Debian become a web? Each is a made host, and its files are the pages.

    python quality/doc_packages.py download       get the packages with apt, once, and unpack them
    python quality/doc_packages.py crawl DIR      crawl them into a collection, without a network

`--cache DIR` says where the packages lie. Only HTML is served: the sources of pages that lie beside many of them, and
the books as one file, would be right answers to every question, and nobody has judged them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from hashlib import sha256
from itertools import chain
from pathlib import Path
from shutil import rmtree
from urllib.parse import unquote, urlsplit

from material import Missing

import gossamer
from gossamer.collection import Outside
from gossamer.model import Capture, Headers, Kind, Visit
from gossamer.testing import VirtualClock

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gossamer-quality"
BEGAN = 1_767_225_600.0
"""All pages are of one moment, so that none is fresher than another."""
_NOT_BUILT_BY = {"cli", "search"}
"""Rooms of the program that change nothing in a collection."""


@dataclass(frozen=True)
class Site:
    """One package as a host."""

    package: str
    root: str
    """The folder of its pages."""
    entries: tuple[str, ...] = ("index.html",)
    """Where a crawl starts."""
    left_out: tuple[str, ...] = ()
    """Patterns of pages that are not served: those that hold a whole book, and most translations."""

    @property
    def host(self) -> str:
        return f"{self.package.replace('.', '-')}.test"

    @property
    def home(self) -> str:
        return f"http://{self.host}/"


SITES = (
    Site(
        "apache2-doc",
        "usr/share/doc/apache2-doc/manual",
        ("en/index.html",),
        tuple(f"{language}/*" for language in ("da", "es", "ja", "ko", "pt-br", "ru", "tr", "zh-cn")),
    ),
    Site("bind9-doc", "usr/share/doc/bind9-doc/arm"),
    Site(
        "debian-policy",
        "usr/share/doc/debian-policy",
        (
            *("policy.html/index.html", "perl-policy.html/index.html", "menu-policy.html/index.html"),
            *("copyright-format-1.0.html", "debconf_specification.html", "autopkgtest.html", "README.html"),
            "fhs/fhs-3.0.html",
        ),
    ),
    Site("debian-reference-en", "usr/share/debian-reference", ("index.en.html",)),
    Site("developers-reference", "usr/share/developers-reference", left_out=("developers-reference.html",)),
    Site("git-doc", "usr/share/doc/git-doc"),
    Site("libgtk-3-doc", "usr/share/gtk-doc/html", ("gtk3/index.html", "gdk3/index.html")),
    Site("libsfml-doc", "usr/share/doc/libsfml-dev/html"),
    Site(
        "lilypond-doc-html-de",
        "usr/share/doc/lilypond/html/Documentation",
        tuple(f"{part}/index.de.html" for part in ("web", "learning", "notation", "usage", "extending")),
        ("*-big-page.de.html",),
    ),
    Site("nim-doc", "usr/share/doc/nim/html", ("manual.html", "lib.html", "docs.html", "overview.html")),
    Site("postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html"),
    Site("python-django-doc", "usr/share/doc/python-django-doc/html"),
    Site("python-sqlalchemy-doc", "usr/share/doc/python-sqlalchemy-doc/html"),
    Site("python3.11-doc", "usr/share/doc/python3.11/html"),
    Site("qtmultimedia5-doc-html", "usr/share/qt5/doc/qtmultimedia", ("qtmultimedia-index.html",)),
    Site(
        "r-doc-html",
        "usr/share/R/doc/manual",
        tuple(f"R-{book}.html" for book in ("FAQ", "admin", "data", "exts", "intro", "ints", "lang")),
    ),
    Site("sqlite3-doc", "usr/share/doc/sqlite3"),
)


class DocsWeb:
    """The unpacked packages as a web."""

    def __init__(self, cache: Path = CACHE, sites: Iterable[Site] = SITES) -> None:
        self._cache = cache
        self._sites = {site.host: site for site in sites}

    @property
    def seeds(self) -> list[str]:
        """Where a crawl starts."""
        return [f"{site.home}{entry}" for site in self._sites.values() for entry in site.entries]

    def require(self) -> None:
        """Missing, unless every package is here."""
        absent = [site.package for site in self._sites.values() if not self._folder(site).is_dir()]
        if absent:
            get = f"`python quality/doc_packages.py download --cache {self._cache}` gets them"
            raise Missing(f"{len(absent)} of {len(self._sites)} documentation packages are not in {self._cache}; {get}")

    def file(self, url: str) -> Path | None:
        """The file that is served at an address; a folder if its name came without the last slash."""
        parts = urlsplit(url)
        site = self._sites.get(parts.netloc)
        path = unquote(parts.path).lstrip("/")
        if site is None or any(fnmatch(path, pattern) for pattern in site.left_out):
            return None
        found = self._folder(site) / site.root / path / ("index.html" if parts.path.endswith("/") else "")
        inside = found.resolve().is_relative_to(self._folder(site).resolve())
        served = found.is_dir() or (found.suffix in (".html", ".htm") and found.is_file())
        return found if inside and served else None

    def digest(self, url: str) -> str:
        """The same for addresses that serve the same bytes; the address itself if nothing is served."""
        found = self.file(url)
        return sha256(found.read_bytes()).hexdigest() if found and found.is_file() else url

    async def fetch(self, visit: Visit) -> Capture:
        """The answer of this web."""
        found = self.file(visit.url) if visit.kind is Kind.PAGE else None
        if found is None:
            return _answer(visit, 404)
        if found.is_dir():
            return _answer(visit, 301, (("location", f"{visit.url}/"),))
        return _answer(visit, 200, (("content-type", "text/html"),), found.read_bytes())

    def _folder(self, site: Site) -> Path:
        return self._cache / "unpacked" / site.package


def _answer(visit: Visit, status: int, headers: Headers = (), body: bytes = b"") -> Capture:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    head = f"HTTP/1.1 {status} Made\r\n{lines}\r\n".encode()
    return Capture(visit, BEGAN, 0.01, status, headers, b"GET / HTTP/1.1\r\n\r\n", head, body, body)


def download(cache: Path = CACHE, sites: Iterable[Site] = SITES) -> None:
    """Get what is not there yet, and unpack it. A package that is half unpacked is unpacked again."""
    debs = cache / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    for site in sites:
        target, partial = cache / "unpacked" / site.package, cache / "unpacked" / f"{site.package}.partial"
        if target.is_dir():
            continue
        if not any(debs.glob(f"{site.package}_*.deb")):
            done(["apt-get", "download", site.package], debs)
        rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        done(["dpkg-deb", "-x", max(debs.glob(f"{site.package}_*.deb")).name, str(partial.resolve())], debs)
        partial.rename(target)


def done(command: list[str], place: Path) -> None:
    """Run a command of Debian, or say what is missing."""
    try:
        subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Missing(f"{error}; this needs apt and dpkg of Debian 12, and lists of `apt-get update`") from None


def crawl(web: DocsWeb, place: Path) -> gossamer.Collection:
    """A new collection of all that can be reached; on a clock of its own, so that politeness costs no time."""
    web.require()
    collection, clock = gossamer.open(place), VirtualClock()
    clock.run(collection.crawl_async(*web.seeds, scope="host", outside=Outside(clock, web.fetch)))
    return collection


def crawled(cache: Path) -> gossamer.Collection:
    """The collection of all sites, crawled anew when the program that makes it has changed."""
    place, stamp = cache / "web", cache / "web.made-by"
    web, program = DocsWeb(cache), _program()
    web.require()
    if place.is_dir() and stamp.exists() and stamp.read_text("utf-8") == program:
        return gossamer.open(place)
    stamp.unlink(missing_ok=True)
    rmtree(place, ignore_errors=True)
    collection = crawl(web, place)
    stamp.write_text(program, "utf-8")
    return collection


def _program() -> str:
    """A digest of what makes a collection of what."""
    top = Path(gossamer.__file__).parent
    files = (path for path in sorted(top.rglob("*")) if path.is_file() and path.suffix not in (".pyc", ".so"))
    made_by = (path for path in files if path.relative_to(top).parts[0] not in _NOT_BUILT_BY)
    content = (path.read_bytes() for path in made_by)
    return sha256(b"\0".join(chain([repr(SITES).encode()], content))).hexdigest()


def main(arguments: list[str]) -> int:
    """Do one of the two."""
    parser = argparse.ArgumentParser(description="Documentation packages of Debian as a web.")
    parser.add_argument("verb", choices=("download", "crawl"))
    parser.add_argument("place", nargs="?", type=Path, help="the new collection")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"where the packages lie (default {CACHE})")
    asked = parser.parse_args(arguments)
    if asked.verb == "crawl" and (asked.place is None or asked.place.exists()):
        parser.error("crawl needs the name of a directory that does not exist yet")
    try:
        if asked.verb == "download":
            download(asked.cache)
            return 0
        with crawl(DocsWeb(asked.cache), asked.place) as collection:
            print(f"{collection.status().pages} pages in {asked.place}")
    except Missing as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
