"""What do programs say in a hundred languages? Strings of Debian's packages, in which translators wrote them.

Compiled catalogues of gettext (`.mo`) pair what the program says in English with what it says in the language of the
folder that they lie in. Some packages are learnt from, the others only judged by; no string of the second is one of
the first. Their licences are those of free software. Only statistics are kept of them.
"""

from __future__ import annotations

import re
import struct
import subprocess
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from doc_packages import done
from material import Missing

_LEARNT = """
aisleriot ark atril-common ayatana-indicator-datetime ayatana-indicator-session ayatana-webmail baobab brasero-common
budgie-core caja-common calligra-data cheese-common cinnamon-l10n dasher-data deja-dup digikam-data dolphin
engrampa-common eog eom-common epiphany-browser-data evince-common evolution-common evolution-data-server-common
file-roller gcr gdm3 gedit-common gedit-plugins-common gimp-data gnome-calculator gnome-chess gnome-contacts
gnome-control-center-data gnome-desktop3-data gnome-disk-utility gnome-panel-data gnome-power-manager
gnome-session-common gnome-settings-daemon-common gnome-shell-common gnome-sudoku gnome-system-monitor
gnome-system-tools gnome-terminal-data gnucash-common gnumeric-common gucharmap gvfs-common kalarm kate5-data kcalc
kdepim-addons kf5-messagelib-data kget kio kio-extras-data kmahjongg kmail konqueror konsole kpat ktexteditor-data
kwin-data libglib2.0-data libgoa-1.0-common libgtk-3-common libgtk-4-common libgtksourceview-5-common libgtop2-common
libgweather-4-common libkf5configwidgets-data libkf5kdelibs4support-data libkf5khtml-data libkf5newstuff-data
libkf5textwidgets-data libkf5xmlgui-data libnma-common libpam-runtime libxfce4ui-common mate-applets-common
mate-control-center-common mate-panel-common mate-power-manager-common mate-system-monitor-common
mate-terminal-common mate-user-guide mate-utils-common metacity-common mutter-common nautilus-data
network-manager-gnome okular orca parole planner-data plasma-desktop-data plasma-workspace-data pluma-common
policycoreutils powerdevil-data rhythmbox-data seahorse shared-mime-info simple-scan systemsettings thunar-data
totem-common xfce4-panel xfce4-settings xfdesktop4-data yelp
"""
_JUDGED = """
akira asunder audacity-data bookworm command-not-found deluge-common easyssh go-for-it gparted-common gramps gufw
inkscape isomaster krita-l10n libgranite-common libsugarext-data lomiri-calculator-app lomiri-camera-app
lomiri-clock-app lomiri-filemanager-app lomiri-indicator-network lomiri-music-app lomiri-system-settings
lomiri-telephony-service mintstick morph-browser mypaint-data navit-data onboard-common pidgin-data python3-django
python3-django-hyperkitty python3-django-postorius shutter sugar-browse-activity sugar-memorize-activity
sugar-session sugar-terminal-activity sugar-write-activity synaptic terminator transmission-gtk tuxpaint-data vlc-l10n
"""
LEARNT, JUDGED = tuple(_LEARNT.split()), tuple(_JUDGED.split())
_CODES = {"cmn": "zh", "fil": "tl", "in": "id", "iw": "he", "kmr": "ku", "mo": "ro", "nb": "no", "sh": "sr"}
_ODD = ("quot", "shaw", "piglatin", "iqtelif", "be@latin", "uz@cyrillic", "@ije")
"""Variants that play with a language, or write it as few do."""
_DIRT = re.compile(
    r"<[^<>]*>|&[a-zA-Z]+;|https?:\S+|\S+@\S+|%\d*\$?[-+ #0-9.*l]*[a-zA-Z]|%\([^)]*\)\w?|%\d+|\{[^{}]*\}"
    r"|\$\{?\w+\}?|\\[a-z]"
)
"""Markup, addresses, and what a program fills in."""
_MNEMONIC = re.compile(r"[&_](?=\w)")
_LETTER = re.compile(r"[^\W\d_]")
_LETTERS_LEAST = 4


@dataclass(frozen=True)
class Strings:
    """By language, in an order that chance alone decides, and always the same."""

    learnt: Mapping[str, list[str]]
    judged: Mapping[str, list[str]]


def strings(cache: Path, most: int) -> Strings:
    """At most so many of each language. What two languages say alike is left out."""
    learnt, judged = _drawn(_said(cache, LEARNT), most), _drawn(_said(cache, JUDGED), most)
    known = {text for texts in learnt.values() for text in texts}
    return Strings(learnt, {code: [text for text in texts if text not in known] for code, texts in judged.items()})


def download(cache: Path, packages: Iterable[str] = (*LEARNT, *JUDGED)) -> None:
    """Get what is not there yet, and unpack its catalogues."""
    debs = cache / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    for package in packages:
        if not (cache / "catalogues" / package).is_dir():
            if not any(debs.glob(f"{package}_*.deb")):
                done(["apt-get", "download", package], debs)
            _unpack(max(debs.glob(f"{package}_*.deb")), cache / "catalogues" / package)


def _unpack(deb: Path, target: Path) -> None:
    """One that is half unpacked is unpacked again."""
    partial = target.with_name(f"{target.name}.partial")
    partial.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as packed:
        pattern = ["--wildcards", "*/LC_MESSAGES/*.mo"]
        subprocess.run(["tar", "-x", "-C", partial, *pattern], stdin=packed.stdout, check=True)
    partial.rename(target)


def _said(cache: Path, packages: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for package in packages:
        home = cache / "catalogues" / package
        if not home.is_dir():
            raise Missing(f"{home} is missing; `python quality/train_language.py` downloads it with apt")
        for file in sorted(home.rglob("*.mo")):
            tag = file.parent.parent.name
            if not any(odd in tag for odd in _ODD):
                code = re.split("[_@.-]", tag)[0].lower()
                _read(file, found["en"], found[_CODES.get(code, code)])
    return found


def _read(file: Path, english: set[str], other: set[str]) -> None:
    for original, translated in pairs(file.read_bytes()):
        english.add(original)
        if translated != original and english is not other:
            other.add(translated)


def pairs(data: bytes) -> Iterator[tuple[str, str]]:
    """What a catalogue pairs, the first forms only, without what it says of itself."""
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    _, _, count, originals, translations = struct.unpack_from(f"{order}5I", data)
    for number in range(count):
        found = []
        for table in (originals, translations):
            length, start = struct.unpack_from(f"{order}2I", data, table + 8 * number)
            text = data[start : start + length].decode("utf-8", "ignore")
            found.append(text.split("\0", 1)[0].rpartition("\x04")[2])
        if all(found):
            yield found[0], found[1]


def _drawn(said: Mapping[str, set[str]], most: int) -> dict[str, list[str]]:
    count = Counter(text for texts in said.values() for text in texts)
    found = {}
    for code, texts in sorted(said.items()):
        own = [text for text in texts if count[text] == 1]
        order = sorted(own, key=lambda text: (zlib.crc32(text.encode()), text))[: 2 * most]
        clean = dict.fromkeys(map(_clean, order))
        found[code] = [text for text in clean if len(_LETTER.findall(text)) >= _LETTERS_LEAST][:most]
    return found


def _clean(text: str) -> str:
    return " ".join(_MNEMONIC.sub("", _DIRT.sub(" ", text)).split())
