"""Leads google-genai to another address than Google's: nothing but the environment is changed."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import certifi

BASE_URL = "GOOGLE_GEMINI_BASE_URL"
TRUST = "SSL_CERT_FILE"
VERTEX = ("GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE")


def trusted_file() -> str:
    """Find the certificates that google-genai trusts as things are."""
    return os.environ.get(TRUST) or certifi.where()


def trust_also(certificate: Path) -> Path:
    """Write a file with what is trusted already and this certificate, beside it."""
    bundle = certificate.with_name("trusted.pem")
    bundle.write_bytes(Path(trusted_file()).read_bytes() + b"\n" + certificate.read_bytes())
    return bundle


@contextmanager
def leading_to(url: str, certificate: Path, **more: str) -> Generator[None]:
    """Let clients made in this block reach the server at this address."""
    local = ",".join(filter(None, [os.environ.get("NO_PROXY"), "127.0.0.1"]))
    changed = {BASE_URL: url, TRUST: str(trust_also(certificate)), "NO_PROXY": local, **more}
    before = {name: os.environ.get(name) for name in (*changed, *VERTEX)}
    os.environ.update(changed)
    for name in VERTEX:  # for some of its readers any value means yes
        os.environ.pop(name, None)
    try:
        yield
    finally:
        for name, value in before.items():
            _restore(name, value)


def _restore(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
