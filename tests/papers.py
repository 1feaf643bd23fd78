"""Certificates of an authority that only a test knows, made by the openssl command."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

_AUTHORITY = """
[ca]
default_ca = ours
[ours]
database = index
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
"""
"""For `openssl ca`, which signs what has expired in all versions; `x509 -days -1` is an error in OpenSSL 3.5."""


class Papers(NamedTuple):
    """An authority, and servers it vouches for or does not."""

    authority: Path
    good: ssl.SSLContext
    expired: ssl.SSLContext
    self_signed: ssl.SSLContext


def made(folder: Path, *names: str) -> Papers:
    """Papers of a server with these names."""
    if not shutil.which("openssl"):
        pytest.skip("the openssl command is not installed")

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    def context(name: str) -> ssl.SSLContext:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
        return tls

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    subject = f"/CN={names[0]}"
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test CA", "-days", "2")
    (folder / "names").write_text(f"subjectAltName={','.join(f'DNS:{name}' for name in names)}\n")
    (folder / "ca.conf").write_text(_AUTHORITY)
    (folder / "index").touch()
    for name, dates in (
        ("good", ["-days", "2"]),
        ("expired", ["-startdate", "240101000000Z", "-enddate", "240102000000Z"]),
    ):
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", subject)
        signed = ["-batch", "-notext", "-config", "ca.conf", "-extfile", "names", *dates]
        openssl("ca", "-in", f"{name}.csr", "-out", f"{name}.pem", *signed)
    openssl("req", "-x509", *key, "-keyout", "self.key", "-out", "self.pem", "-subj", subject, "-days", "2")
    return Papers(folder / "ca.pem", context("good"), context("expired"), context("self"))
