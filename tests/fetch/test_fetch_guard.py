"""Addresses that are not public are refused, however they are wrapped."""

from __future__ import annotations

import random
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import UsageError
from gossamer.fetch import Guard

REFUSED = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254
169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1
192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
239.255.255.255 240.0.0.1 255.255.255.255 100.100.100.200 168.63.129.16
:: ::1 ::2 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1
64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::8.8.8.8 64:ff9b:1::127.0.0.1
100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:db8::1
2002:7f00:1:: 2002:a00:1::1 2002:a9fe:a9fe:: 2002:c0a8:101::1 2600::5efe:10.0.0.1 2600::200:5efe:127.0.0.1
3fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fd12:3456::1 fe80::1 fe80::1%eth0 febf::1 fec0::1
ff00::1 ff02::1 ff0e::1
"""

PUBLIC = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 169.253.255.255
169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.1 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
2600::1 2a00:1450:4001:800::200e 2001:4860:4860::8888 2002:808:808::1 64:ff9b::8.8.8.8 ::ffff:8.8.8.8
2600::5efe:8.8.8.8 3ffe::1
"""


@pytest.mark.parametrize("address", REFUSED.split())
def test_what_is_not_public_is_refused(address: str) -> None:
    assert Guard().refusal(address)


@pytest.mark.parametrize("address", PUBLIC.split())
def test_what_is_public_is_admitted(address: str) -> None:
    assert Guard().refusal(address) is None


@pytest.mark.parametrize(
    "text", ["", "localhost", "127.1", "0177.0.0.1", "1.2.3.4.5", "2130706433", "::g", "8.8.8.8/32"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    assert Guard().refusal(text) == "not an address"


@given(st.ip_addresses())
def test_the_guard_is_never_more_generous_than_the_registries(ip: IPv4Address | IPv6Address) -> None:
    carries_ipv4 = int(ip) >> 32 in (0xFFFF, 0x64FF9B << 64) and ip.version == 6  # judged by what it carries
    if not carries_ipv4 and (not ip.is_global or ip.is_multicast or ip.is_reserved):
        assert Guard().refusal(str(ip))


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_is_judged_alike_in_every_wrapping(ip: IPv4Address) -> None:
    guard, bits = Guard(), int(ip)
    refused = guard.refusal(str(ip)) is not None
    for wrapped in (
        0xFFFF << 32 | bits,
        0x64FF9B << 96 | bits,
        0x2002 << 112 | bits << 80,
        0x2600 << 112 | 0x5EFE << 32 | bits,
    ):
        assert (guard.refusal(str(IPv6Address(wrapped))) is not None) == refused
    for never in (bits, 0x64FF9B0001 << 80 | bits, 0x20010000 << 96 | bits):
        assert guard.refusal(str(IPv6Address(never)))


def test_an_opened_range_opens_nothing_else() -> None:
    guard = Guard(["10.1.0.0/16", "fd00:1::/32"])
    assert guard.refusal("10.1.2.3") is None
    assert guard.refusal("::ffff:10.1.2.3") is None
    assert guard.refusal("64:ff9b::10.1.2.3") is None
    assert guard.refusal("fd00:1::7") is None
    assert guard.refusal("10.2.0.1")
    assert guard.refusal("127.0.0.1")
    assert guard.refusal("fd00:2::7")


METADATA = [
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
]


@pytest.mark.parametrize("address", METADATA)
def test_a_metadata_service_must_be_opened_by_its_own_address(address: str) -> None:
    wide = Guard(["0.0.0.0/0", "::/0", "169.254.0.0/16", "fd00:ec2::/32", "fd20:ce::/32"])
    assert wide.refusal(address) == "a metadata service"
    assert wide.refusal("127.0.0.1") is None
    assert Guard([address]).refusal(address) is None
    assert Guard([f"{ip_address(address)}/{ip_address(address).max_prefixlen}"]).refusal(address) is None


@pytest.mark.parametrize(
    "wrapping",
    [
        "::ffff:169.254.169.254",
        "::169.254.169.254",
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::169.254.169.254",
        "2002:a9fe:a9fe::1",
        "2002:a9fe:aa17::1",
        "64:ff9b::169.254.170.23",
        "2001:db8::5efe:169.254.169.254",
        "2001:db8::200:5efe:169.254.169.254",
    ],
)
def test_a_wrapped_metadata_service_stays_refused_in_an_opened_range(wrapping: str) -> None:
    assert Guard(["::/0", "0.0.0.0/0"]).refusal(wrapping) == "a metadata service"


@pytest.mark.parametrize("text", ["", "10.0.0.0/33", "10.0.0.1/8", "localhost", "10.*", "::1/129", "10.0.0.0-10.0.0.9"])
def test_a_malformed_range_is_refused_with_the_cure(text: str) -> None:
    with pytest.raises(UsageError, match=r"write it like 10\.0\.0\.0/8"):
        Guard([text])


def test_memory_is_bounded_over_many_addresses() -> None:
    guard, numbers = Guard(), random.Random(1)
    for _ in range(30_000):
        guard.refusal(str(IPv4Address(numbers.getrandbits(32))))
    assert len(guard._known) <= 10_000


@pytest.mark.parametrize("address", ["2600:0:0:1:0:5efe:10.0.0.1", "2600:ffff:ffff:ffff:200:5efe:10.0.0.1"])
def test_an_address_in_a_tunnel_is_found_in_any_network(address: str) -> None:
    assert Guard().refusal(address) == "a way to 10.0.0.1, a private address"
    assert Guard().refusal(address.replace("5efe", "5eff")) is None


def test_an_address_is_judged_once_as_long_as_it_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.fetch.guard._REMEMBERED", 2)
    guard, judged = Guard(), list[str]()
    judge = guard._judge
    monkeypatch.setattr(guard, "_judge", lambda address: judged.append(address) or judge(address))
    for address in ("8.8.8.8", "10.0.0.1", "8.8.8.8", "10.0.0.1", "9.9.9.9", "9.9.9.9", "8.8.8.8"):
        guard.refusal(address)
    assert judged == ["8.8.8.8", "10.0.0.1", "9.9.9.9", "8.8.8.8"]


def test_a_range_of_one_address_is_that_address_and_a_range_of_two_is_none() -> None:
    assert Guard(["169.254.169.254/32"]).refusal("169.254.169.254") is None
    assert Guard(["169.254.169.254/31"]).refusal("169.254.169.254") == "a metadata service"
