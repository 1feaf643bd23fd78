"""Each number of libcurl has one meaning, and what a server has a say in cannot harm a terminal."""

from __future__ import annotations

import pycurl
import pytest

from gossamer.fetch import Limits
from gossamer.fetch.transfer import explain
from gossamer.model import Failure, Fault

MEANT = {
    Fault.PROTOCOL: [pycurl.E_UNSUPPORTED_PROTOCOL, pycurl.E_URL_MALFORMAT, 8, pycurl.E_HTTP2, 12_345],
    Fault.CONNECT: [
        pycurl.E_COULDNT_RESOLVE_PROXY,
        pycurl.E_COULDNT_CONNECT,
        pycurl.E_INTERFACE_FAILED,
        97,  # CURLE_PROXY, which pycurl has no name for
    ],
    Fault.DNS: [pycurl.E_COULDNT_RESOLVE_HOST],
    Fault.INCOMPLETE: [pycurl.E_PARTIAL_FILE],
    Fault.BLOCKED_ADDRESS: [pycurl.E_ABORTED_BY_CALLBACK],
    Fault.RESET: [pycurl.E_GOT_NOTHING, pycurl.E_SEND_ERROR, pycurl.E_RECV_ERROR],
    Fault.TLS: [
        pycurl.E_SSL_CONNECT_ERROR,
        pycurl.E_SSL_CIPHER,
        pycurl.E_PEER_FAILED_VERIFICATION,
        pycurl.E_SSL_ENGINE_INITFAILED,
        pycurl.E_SSL_CACERT_BADFILE,
        pycurl.E_SSL_SHUTDOWN_FAILED,
        pycurl.E_SSL_ISSUER_ERROR,
        pycurl.E_SSL_PINNEDPUBKEYNOTMATCH,
        pycurl.E_SSL_INVALIDCERTSTATUS,
        98,  # CURLE_SSL_CLIENTCERT
    ],
    Fault.HEADERS_TOO_LARGE: [100],  # CURLE_TOO_LARGE
    Fault.TIMEOUT: [pycurl.E_OPERATION_TIMEDOUT],
}
LIMITS = Limits(connect=7.0, total=77.5)


def explained(code: int, message: str = "words", *, asked: bool = True) -> Failure:
    return explain(code, message, asked=asked, limits=LIMITS)


@pytest.mark.parametrize(("fault", "codes"), MEANT.items())
def test_a_number_of_libcurl_means_one_fault(fault: Fault, codes: list[int]) -> None:
    assert [explained(code).fault for code in codes] == [fault] * len(codes)


def test_before_the_request_is_sent_there_was_no_connection() -> None:
    assert str(explained(pycurl.E_OPERATION_TIMEDOUT, asked=False)) == "timeout: no connection within 7 s"
    assert str(explained(pycurl.E_OPERATION_TIMEDOUT)) == "timeout: not finished within 77.5 s"
    assert explained(pycurl.E_RECV_ERROR, asked=False).fault is Fault.CONNECT
    assert explained(pycurl.E_SEND_ERROR, asked=False).fault is Fault.RESET


def test_words_are_kept_short_and_printable() -> None:
    assert explained(52, "a\x1b[2J\nb").detail == "a?[2J?b"
    assert explained(52, "x" * 201).detail == "x" * 200
    assert explained(52, "").detail == "libcurl error 52"
