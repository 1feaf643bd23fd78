"""May we connect to this address?

The web can point a crawler at the machine it runs on, at the network around it, or at the
service that hands out its cloud credentials. So the rule is by address, never by name, and it is
asked on every DNS answer and again when a socket opens or is used once more.

The tables are the IANA special-purpose registries (RFC 6890 and its successors) as of 2026, kept
here because the answers of `ipaddress` change with the Python version. We are stricter than the
registries in one way: outside 2000::/3 and the NAT64 prefix no IPv6 address is let through.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from gossamer.errors import UsageError

_RESERVED_4 = tuple(
    (IPv4Network(network), reason)
    for network, reason in (
        ("0.0.0.0/8", "the unspecified network"),
        ("10.0.0.0/8", "a private address"),
        ("100.64.0.0/10", "a carrier's private address"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "a private address"),
        ("192.0.0.0/24", "kept for protocols"),
        ("192.0.2.0/24", "kept for documentation"),
        ("192.88.99.0/24", "a retired 6to4 relay"),
        ("192.168.0.0/16", "a private address"),
        ("198.18.0.0/15", "kept for benchmarks"),
        ("198.51.100.0/24", "kept for documentation"),
        ("203.0.113.0/24", "kept for documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)

_RESERVED_6 = tuple(
    (IPv6Network(network), reason)
    for network, reason in (
        ("::1/128", "loopback"),
        ("::/96", "a retired form of IPv4"),
        ("64:ff9b:1::/48", "a local translation of IPv4"),
        ("100::/64", "a black hole"),
        ("2001::/32", "a Teredo tunnel"),
        ("2001::/23", "kept for protocols"),
        ("2001:db8::/32", "kept for documentation"),
        ("3fff::/20", "kept for documentation"),
        ("5f00::/16", "kept for segment routing"),
        ("fc00::/7", "a private address"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "a retired private address"),
        ("ff00::/8", "multicast"),
    )
)

_GLOBAL_6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_6TO4 = IPv6Network("2002::/16")
_ENDS_IN_4 = (_NAT64, IPv6Network("64:ff9b:1::/48"), IPv6Network("::/96"))
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})

_METADATA = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254",  # AWS, Azure, Google and most others
        "169.254.170.2",  # AWS containers
        "169.254.170.23",  # AWS Kubernetes
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",  # Google
        "100.100.100.200",  # Alibaba
        "168.63.129.16",  # Azure: a public address with a private meaning
        "192.0.0.192",  # Oracle
    )
)

_REMEMBERED = 10_000


class Guard:
    """Refuses every address that is not public, but for the ranges opened one by one.

    A metadata service stays refused inside an opened range; only its own /32 or /128 opens it.
    """

    def __init__(self, allow: Iterable[str] = ()) -> None:
        self._allowed = tuple(_range(text) for text in allow)
        self._named = {net.network_address for net in self._allowed if net.num_addresses == 1}
        self._known: dict[str, str | None] = {}

    def refusal(self, address: str) -> str | None:
        """Why an address is refused; None when it is public or was opened."""
        if address not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[address] = self._judge(address)
        return self._known[address]

    def _judge(self, address: str) -> str | None:
        try:
            ip = ip_address(address.partition("%")[0])
        except ValueError:
            return "not an address"
        ip = getattr(ip, "ipv4_mapped", None) or ip
        carried = tuple(_carried(ip))
        if any(each in _METADATA and each not in self._named for each in (ip, *carried)):
            return "a metadata service"
        if any(ip in network for network in self._allowed):
            return None
        return _reserved(ip) or next(filter(None, map(self._behind, carried)), None)

    def _behind(self, carried: IPv4Address) -> str | None:
        reason = self._judge(str(carried))
        return f"a way to {carried}, {reason}" if reason else None


def _range(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise UsageError(
            f"{text!r} is not a range of addresses ({error}); write it like 10.0.0.0/8 or ::1/128"
        ) from None


def _carried(ip: IPv4Address | IPv6Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses that an IPv6 address leads to or may lead to."""
    if isinstance(ip, IPv4Address):
        return
    bits = int(ip)
    if any(ip in network for network in _ENDS_IN_4) or (bits >> 32) & 0xFFFFFFFF in _ISATAP:
        yield IPv4Address(bits & 0xFFFFFFFF)
    if ip in _6TO4:
        yield IPv4Address((bits >> 80) & 0xFFFFFFFF)


def _reserved(ip: IPv4Address | IPv6Address) -> str | None:
    table = _RESERVED_4 if isinstance(ip, IPv4Address) else _RESERVED_6
    for network, reason in table:
        if ip in network:
            return reason
    if isinstance(ip, IPv6Address) and ip not in _GLOBAL_6 and ip not in _NAT64:
        return "not a global address"
    return None
