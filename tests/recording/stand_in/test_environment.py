"""google-genai is led elsewhere through its own variables, which are put back."""

import os
from pathlib import Path

import certifi
import pytest

from adk_stream_protocol.recording.stand_in.environment import leading_to, trusted_file

CHANGED = ("GOOGLE_GEMINI_BASE_URL", "SSL_CERT_FILE", "NO_PROXY", "GOOGLE_GENAI_USE_VERTEXAI")


def test_the_variables_are_set_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = tmp_path / "certificate.pem"
    certificate.write_text("ours", encoding="utf-8")
    for name in CHANGED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "example.org")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "false")
    before = dict(os.environ)
    with leading_to("https://127.0.0.1:1", certificate, GOOGLE_API_KEY="key"):
        assert os.environ["GOOGLE_GEMINI_BASE_URL"] == "https://127.0.0.1:1"
        assert os.environ["NO_PROXY"] == "example.org,127.0.0.1"
        assert os.environ["GOOGLE_API_KEY"] == "key"
        assert "GOOGLE_GENAI_USE_VERTEXAI" not in os.environ
        trusted = Path(trusted_file()).read_bytes()
    assert trusted == Path(certifi.where()).read_bytes() + b"\nours"
    assert dict(os.environ) == before


def test_they_are_put_back_after_a_failure(tmp_path: Path) -> None:
    certificate = tmp_path / "certificate.pem"
    certificate.touch()
    before = dict(os.environ)
    with pytest.raises(ZeroDivisionError), leading_to("https://127.0.0.1:1", certificate):
        _ = 1 / 0
    assert dict(os.environ) == before
