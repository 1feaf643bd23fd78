"""Which settings are there? Each once, with its default, what it does, what it may be, and its option.

The plan, the command line and the table in docs/settings.md are made from this list or held to it by a test. Nothing is
imported here: a command that prints its help loads no crawler.
"""

from __future__ import annotations

from typing import Any, NamedTuple

LARGEST = (1 << 63) - 1
"""The largest number of TOML."""
LONGEST = 31_536_000
"""The longest rest and the longest wait: a year of seconds. No later date can be kept, and timers overflow."""
METHODS = ("learned", "density", "plateau")
"""How main content is found: the names of what `convert/content` has."""
FRESH, FAR, POLITE, NETWORK, FILES = "how fresh", "how far", "how politely", "network", "which files"
"""The groups of options."""


class Option(NamedTuple):
    """How a setting is given on the command line. `{}` in the text is its default."""

    flag: str
    group: str
    text: str
    metavar: str | None = None


class Setting(NamedTuple):
    """What may be asked for."""

    default: Any
    text: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float = LARGEST
    option: Option | None = None
    unit: str = ""
    """`s`, `B`, `/day` or `B/day`: on the command line and in plan.toml it may be written as 2h, 10G or 500/hour."""
    with_commas: bool = False
    """A list whose texts have no commas: with `set` it may be written as a,b."""
    opens: str = ""
    """What a stranger's plan would do with it that this user may not want, in words: it is asked about."""


SETTINGS: dict[str, Setting] = {
    "seeds": Setting((), "Where the crawl starts. Without a scheme https is tried first, then http."),
    "folders": Setting(
        (),
        "Files and folders that are read in the place of the web: file:/// is this machine, others are as s3://.",
        opens="reads files of this machine, or with your keys elsewhere",
    ),
    "hidden": Setting(
        False,
        "Also read files and folders whose names begin with a dot.",
        option=Option("--hidden", FILES, "also files and folders whose names begin with a dot"),
    ),
    "ignore_files": Setting(
        True,
        "Leave out what .gitignore and .ignore files name.",
        option=Option("--no-ignore-files", FILES, "also what .gitignore and .ignore files leave out"),
    ),
    "scope": Setting(
        "host",
        "How far it goes from the seeds.",
        choices=("page", "path", "host", "domain", "any"),
        option=Option(
            "--scope",
            FAR,
            "page: the seeds alone; path: what is below their directories; host: their hosts (where none is named);"
            " domain: all hosts of their sites; any: wherever links lead",
        ),
    ),
    "include": Setting(
        (),
        "Only addresses in which one of these RE2 patterns is found.",
        option=Option(
            "--include", FAR, "only addresses in which this RE2 pattern is found, like /news/; repeatable", metavar="RE"
        ),
    ),
    "exclude": Setting(
        (),
        "No addresses in which one of these RE2 patterns is found.",
        option=Option(
            "--exclude",
            FAR,
            "no addresses in which this RE2 pattern is found, like '\\.pdf$'; repeatable",
            metavar="RE",
        ),
    ),
    "suffixes": Setting(
        (),
        "Names to treat as public suffixes: what is below them is a site.",
        with_commas=True,
        option=Option(
            "--suffix",
            FAR,
            "treat NAME as a public suffix, so that what is directly below it is a site; repeatable",
            metavar="NAME",
        ),
    ),
    "depth": Setting(
        20,
        "Maximum number of links between a seed and a page.",
        least=0,
        option=Option("--depth", FAR, "most links from a seed ({})", metavar="N"),
    ),
    "pages": Setting(
        0,
        "Stop at so many pages in the collection; 0 for no limit.",
        least=0,
        option=Option("--pages", FAR, "stop at N pages in the collection (0: no limit)", metavar="N"),
    ),
    "bytes": Setting(
        0,
        "Ask for no more once so many bytes were fetched into the collection; 0 for no limit.",
        least=0,
        option=Option(
            "--bytes",
            FAR,
            "ask for no more once SIZE was fetched, like 500M or 10G; what is under way is finished",
            metavar="SIZE",
        ),
        unit="B",
    ),
    "time": Setting(
        0.0,
        "Stop each crawl after so many seconds; 0 for no limit.",
        least=0,
        option=Option(
            "--time", FAR, "stop this crawl, and each later one, after TIME, like 30m or 1h30m", metavar="TIME"
        ),
        unit="s",
    ),
    "budget": Setting(
        0.0,
        "Visits a day of `gossamer watch`; 0: one for each page, and new pages without a limit.",
        least=0,
        most=1_000_000_000,
        option=Option(
            "--budget",
            FRESH,
            "at most N visits, like 10000/day or 500/hour; max: what politeness lets (one revisit of each page a day)",
            metavar="N",
        ),
        unit="/day",
    ),
    "budget_bytes": Setting(
        0,
        "Maximum bytes per day that servers may send to `gossamer watch`; 0: no limit.",
        least=0,
        option=Option(
            "--budget-bytes", FRESH, "at most SIZE a day, like 500M, 2G/day or 50M/hour (no limit)", metavar="SIZE"
        ),
        unit="B/day",
    ),
    "goal": Setting(
        "age",
        "What `gossamer watch` is best at: that no copy gets old, or that as many as possible are up to date.",
        choices=("age", "freshness"),
        option=Option(
            "--goal",
            FRESH,
            "age: no page goes unvisited for long; freshness: as many pages as possible are up to date ({})",
        ),
    ),
    "revisit_policy": Setting(
        "learning",
        "By which rule `gossamer watch` comes back to pages; the others are there to compare with.",
        choices=("learning", "azar", "lambdacrawl", "uniform", "proportional", "nutch"),
        option=Option("--revisit-policy", FRESH, "when to come back, as `simulate` names the ways ({})"),
    ),
    "keep": Setting(
        "all",
        "Which old versions of pages `gossamer watch` and `prune` keep: all, last 5, or 90 days. The newest always.",
        option=Option("--keep", FRESH, "which old versions stay, like 'last 5' or '90 days' (all)", metavar="RULE"),
    ),
    "pages_per_host": Setting(
        0,
        "Maximum pages of one host; 0 for no limit.",
        least=0,
        option=Option("--pages-per-host", FAR, "most pages of one host (0: no limit)", metavar="N"),
    ),
    "order": Setting(
        "breadth",
        "Which pages of a host come first.",
        choices=("breadth", "importance", "depth", "random"),
        option=Option("--order", FAR, "which pages of a host first: as found, most linked, deepest, or mixed ({})"),
    ),
    "topic": Setting(
        "",
        "The file or folder that describes what the crawl is about: pages on topic come first.",
        option=Option(
            "--topic",
            FAR,
            "pages on a topic first, which this file or folder describes",
            metavar="PATH",
        ),
        opens="reads a file of this machine, whose words are kept in the collection",
    ),
    "topic_learn": Setting(
        False,
        "Learn more of the topic from pages that are surely on it.",
        option=Option("--topic-learn", FAR, "learn more of the topic from pages that are surely on it"),
    ),
    "on_page": Setting(
        "",
        "The function that is called with each page and may give fields, as module:function or /path/file.py:function.",
        option=Option(
            "--on-page",
            FAR,
            "call a function with each page and keep the fields that it gives, as module:function or file.py:function",
            metavar="NAME",
        ),
        opens="runs a function of Python",
    ),
    "forms": Setting(
        "off",
        "Fill in search forms, to reach what no link leads to: those with one field for words and some to choose from,"
        " or all that are sent by GET and change nothing.",
        choices=("off", "search", "all"),
        option=Option("--forms", FAR, "fill in search forms, to reach what no link leads to ({})"),
    ),
    "form_budget": Setting(500, "Maximum requests for the answers of one form.", least=1),
    "archive": Setting(
        False,
        "Keep all that a replay needs: requisites, and pictures, sound and film that links lead to.",
        option=Option(
            "--archive", FAR, "keep all that a replay needs: requisites, and pictures and film that links lead to"
        ),
    ),
    "requisites": Setting(
        False,
        "Keep what pages need to look as they do: images, styles, scripts, fonts, frames; from other hosts too.",
        option=Option(
            "--requisites",
            FAR,
            "keep what pages need to look as they do: images, styles, scripts, fonts, frames; from other hosts too",
        ),
    ),
    "requisite_delay": Setting(
        0.5,
        "Minimum seconds between two requests to a host for what pages need; ip_delay applies too.",
        least=0,
        most=LONGEST,
        unit="s",
    ),
    "requisite_bytes": Setting(
        32 << 20,
        "Maximum bytes of anything that a page needs, decoded; at most 128 MiB.",
        least=1,
        most=128 << 20,
        unit="B",
    ),
    "requisites_per_host": Setting(
        100_000, "Most that one crawl asks of a host because pages need it; 0 for no limit.", least=0
    ),
    "requisites_robots": Setting(
        "obey",
        "What robots.txt forbids of what pages need: obey leaves it out, own asks for it at the hosts of the seeds."
        " That is for sites that you may archive whole.",
        choices=("obey", "own"),
    ),
    "site_orders": Setting({}, "Another order for the pages of a site."),
    "sitemaps": Setting(
        "auto",
        "Read sitemaps: auto leaves them when depth is limited or only the seeds are wanted.",
        choices=("auto", "always", "never"),
        option=Option("--sitemaps", FAR, "read sitemaps ({})"),
    ),
    "url_length": Setting(2_048, "Longest address, in bytes.", least=16),
    "path_segments": Setting(20, "Maximum path segments of an address.", least=1),
    "url_rules": Setting(
        (),
        "Further rules of the table in docs/addresses.md, for all sites.",
        with_commas=True,
        option=Option("--url-rule", FAR, "a further rule for addresses", metavar="NAME"),
    ),
    "site_rules": Setting({}, "Further rules by site."),
    "delay": Setting(
        1.0,
        "Minimum seconds between two requests to a host; 0 turns it off.",
        least=0,
        most=LONGEST,
        option=Option(
            "--delay",
            POLITE,
            "least seconds between two requests to a host ({}) or IP address; a slow host gets 10 x its answer time;"
            " 0: no gap",
            metavar="S",
        ),
        unit="s",
    ),
    "ip_delay": Setting(
        0.5,
        "Minimum seconds between two requests to an IP address; the same as delay where that is set alone.",
        least=0,
        most=LONGEST,
        unit="s",
    ),
    "delay_factor": Setting(10.0, "A host rests this many times the time its answers take.", least=0),
    "delay_longest": Setting(
        30.0, "Longest rest that slow answers alone can ask for.", least=0, most=LONGEST, unit="s"
    ),
    "crawl_delay_longest": Setting(300.0, "Longest Crawl-delay to obey.", least=0, most=LONGEST, unit="s"),
    "per_host": Setting(
        1,
        "Requests a host may have at once.",
        least=1,
        option=Option("--per-host", POLITE, "requests one host may have at once ({})", metavar="N"),
    ),
    "bandwidth": Setting(
        0,
        "Maximum bytes per second for each request; 0 for no limit.",
        least=0,
        option=Option("--bandwidth", POLITE, "most bytes per second for each request", metavar="BYTES"),
        unit="B",
    ),
    "patience": Setting(
        90.0,
        "Seconds that a crawl with nothing else to do waits for retries and paused hosts.",
        least=0,
        option=Option(
            "--patience", POLITE, "seconds to wait at the end for retries and paused hosts ({})", metavar="S"
        ),
        unit="s",
    ),
    "workers": Setting(
        128,
        "Visits under way at once in each shard; those that take longer than 5 s do not count, up to as many again.",
        least=1,
        option=Option("--workers", NETWORK, "visits under way at once, in each shard ({})", metavar="N"),
    ),
    "shards": Setting(
        0,
        "Processes that share the work, each with its own sites, at most 1024; fixed by the first crawl."
        " 0: one for each core.",
        least=0,
        most=1024,
        option=Option("--shards", NETWORK, "processes for a new collection (one for each core)", metavar="N"),
    ),
    "store": Setting(
        "",
        "Where checkpoints of all shards are also kept, so that disks may be lost: a folder, or s3://BUCKET/PATH.",
        option=Option(
            "--store", NETWORK, "keep checkpoints in a shared folder or s3://BUCKET/PATH: a disk may be lost", "PLACE"
        ),
        opens="writes all that is kept to another place, and reads it from there",
    ),
    "checkpoint_seconds": Setting(
        60.0,
        "Seconds between two checkpoints, where there is a store: what is fetched again at most when a disk is lost.",
        least=0.1,
        unit="s",
    ),
    "engine": Setting(
        "local",
        "What carries the shards: `local` processes, `ray` (the cluster that RAY_ADDRESS names), or ray://HOST:PORT.",
        option=Option(
            "--engine", NETWORK, "on a Ray cluster: ray, which RAY_ADDRESS names, or ray://HOST:PORT ({})", "NAME"
        ),
        opens="gives the work to other machines",
    ),
    "lease": Setting(
        10.0,
        "Seconds without a word after which a node of a cluster asks for nothing more; a quarter later others go on.",
        least=1,
        most=3_600,
        unit="s",
    ),
    "node_disk": Setting(
        "",
        "Folder for shards on the disk of each node of a cluster. Without one: ~/.cache/gossamer/nodes.",
        opens="writes to a folder outside of the collection",
    ),
    "contact": Setting(
        "",
        "Mail address or web page of whoever runs the crawl; part of the agent string.",
        option=Option("--contact", POLITE, "your mail address or web page, which sites will see", metavar="WHO"),
    ),
    "allow_addresses": Setting(
        (),
        "Address ranges that are opened, as 10.1.0.0/16.",
        with_commas=True,
        option=Option(
            "--allow-address",
            NETWORK,
            "allow a private address or range, as 127.0.0.1 or 10.0.0.0/8; repeatable",
            metavar="CIDR",
        ),
        opens="opens your own network",
    ),
    "names": Setting(
        "servers",
        "Who resolves host names: the name servers, or the system, which may know names that they do not.",
        choices=("servers", "system"),
    ),
    "proxy": Setting(
        "",
        "Proxy for all requests, as http://host:port.",
        option=Option("--proxy", NETWORK, "send all requests through this proxy", metavar="URL"),
        opens="sends all requests elsewhere",
    ),
    "logins": Setting(
        {},
        "What else is sent to a site: header fields, cookies, passwords. The plan says where they are, not what."
        ' As `"example.org" = ["auth me $PASSWORD", "cookie /home/me/cookies.txt"]` under `[logins]`.',
        opens="sends what is in your environment and files",
    ),
    "ca_file": Setting(
        "",
        "File of certificate authorities to trust instead of the system's.",
        option=Option("--ca-file", NETWORK, "certificate authorities to trust instead of the system's", metavar="FILE"),
        opens="believes other certificates",
    ),
    "head": Setting(
        "unknown",
        "HEAD before GET: for addresses that look like unwanted types, for all, or never.",
        choices=("never", "unknown", "always"),
        option=Option("--head", NETWORK, "HEAD before GET ({})"),
    ),
    "render": Setting(
        "never",
        "Have a browser run the scripts of pages before they are read: never, where that brings more, or always.",
        choices=("never", "auto", "always"),
        option=Option("--render", NETWORK, "run the scripts of pages in a browser; auto: where it brings more ({})"),
        opens="runs the scripts of pages in a browser",
    ),
    "screenshots": Setting(
        False,
        "Keep a picture of each page that a browser renders; with render = always, of every page.",
        option=Option("--screenshots", NETWORK, "keep a picture of each page that a browser renders"),
    ),
    "connect_seconds": Setting(10.0, "Longest wait for a connection.", least=0.1, most=LONGEST, unit="s"),
    "first_byte_seconds": Setting(20.0, "Longest wait for the first byte.", least=0.1, most=LONGEST, unit="s"),
    "idle_seconds": Setting(20.0, "Longest silence within an answer.", least=0.1, most=LONGEST, unit="s"),
    "total_seconds": Setting(120.0, "Longest time for one answer.", least=0.1, most=LONGEST, unit="s"),
    "html_bytes": Setting(
        5 << 20, "Maximum bytes of an HTML page, decoded; at most 32 MiB.", least=1, most=32 << 20, unit="B"
    ),
    "text_bytes": Setting(
        10 << 20, "Maximum bytes of other text, decoded; at most 32 MiB.", least=1, most=32 << 20, unit="B"
    ),
    "document_bytes": Setting(
        64 << 20, "Maximum bytes of any other document, decoded; at most 128 MiB.", least=1, most=128 << 20, unit="B"
    ),
    "memory": Setting(
        96 << 20,
        "Bytes of answers that are held in memory at once, over all shards; what is over waits.",
        least=1 << 20,
        unit="B",
    ),
    "document_seconds": Setting(
        20.0, "Maximum seconds of CPU for reading a document that is not HTML.", least=0.1, most=LONGEST, unit="s"
    ),
    "document_memory": Setting(
        256 << 20, "Maximum bytes of memory for reading such a document.", least=16 << 20, unit="B"
    ),
    "content": Setting(METHODS[0], "How the main content of a page is found.", choices=METHODS),
    "build": Setting(
        True,
        "Make texts, index and graph as the crawl goes; otherwise `gossamer build` does.",
        option=Option("--no-build", FAR, "only collect: leave texts, index and graph to a later `build`"),
    ),
    "title_weight": Setting(0.3, "What a word in the title counts against one in the text.", least=0),
    "headings_weight": Setting(0.25, "The same for headings.", least=0),
    "address_weight": Setting(0.15, "The same for the address.", least=0),
    "anchors_weight": Setting(4.0, "The same for what others call a page.", least=0),
    "phrase_weight": Setting(0.4, "What words that stand next to each other add to the score.", least=0),
    "rank_weight": Setting(1.5, "The most that links to a page add to its score.", least=0),
    "fresh_weight": Setting(0.3, "The most that being new adds to the score of a page.", least=0),
    "expansion_weight": Setting(0.6, "What telling words of the first answers to a long question count.", least=0),
    "cluster_weight": Setting(
        0.8, "What the answers like it count for an answer to a long question, beside its own words.", least=0, most=1
    ),
    "warc_bytes": Setting(1 << 30, "A new WARC file is begun at this size.", least=1 << 16, unit="B"),
    "disk_pause": Setting(2 << 30, "Pause while fewer bytes than this are free on the disk.", least=0, unit="B"),
    "disk_pause_share": Setting(0.05, "Pause while less than this share of the disk is free.", least=0, most=1),
    "disk_stop": Setting(512 << 20, "Stop when fewer bytes than this are free on the disk.", least=0, unit="B"),
}


def meant(said: str) -> str | None:
    """The setting that goes by a name: its own, or that of its option. None where there is none, and of an option that
    switches a setting off."""
    name = said.lstrip("-").replace("-", "_")
    return name if name in SETTINGS else _BY_OPTION.get(name)


_BY_OPTION = {
    each.option.flag.lstrip("-").replace("-", "_"): name
    for name, each in SETTINGS.items()
    if each.option and not each.option.flag.startswith("--no-")
}
