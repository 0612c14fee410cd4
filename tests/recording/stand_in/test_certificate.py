"""The certificate of a local server: for this machine, for a while, and like no other."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509

from adk_stream_protocol.recording.stand_in.certificate import make_certificate


def loaded(folder: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(make_certificate(folder)[0].read_bytes())


def test_it_is_for_this_machine_and_for_a_while(tmp_path: Path) -> None:
    made = loaded(tmp_path)
    names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.IPAddress) == [ip_address("127.0.0.1")]
    now = datetime.now(UTC)
    assert made.not_valid_before_utc < now < made.not_valid_after_utc < now + timedelta(days=2)


def test_it_vouches_for_itself(tmp_path: Path) -> None:
    made = loaded(tmp_path)
    made.verify_directly_issued_by(made)
    assert made.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_a_server_can_use_it_and_a_client_can_trust_it(tmp_path: Path) -> None:
    public, private = make_certificate(tmp_path)
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(public, private)
    trusting = ssl.create_default_context(cafile=str(public))
    assert trusting.cert_store_stats()["x509_ca"] >= 1


def test_no_two_have_one_name(tmp_path: Path) -> None:
    """Of two trusted certificates with one name, OpenSSL looks at the first only."""
    assert loaded(tmp_path).subject != loaded(tmp_path).subject
