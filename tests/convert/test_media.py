"""Files of a user's message, and files of the model's."""

import base64

import pytest
from google.genai import types

from adk_stream_protocol.convert import media
from adk_stream_protocol.errors import BadRequest

PIXEL = base64.b64encode(b"\x89PNG").decode()


def fault_of(url: str, media_type: str | None = None) -> str:
    with pytest.raises(BadRequest) as caught:
        media.to_part(url, media_type, "$.p")
    return caught.value.text


@pytest.mark.parametrize(
    ("url", "media_type", "part"),
    [
        (
            f"data:image/png;base64,{PIXEL}",
            None,
            types.Part.from_bytes(data=b"\x89PNG", mime_type="image/png"),
        ),
        (
            f"data:;base64,{PIXEL}",
            "image/webp",
            types.Part.from_bytes(data=b"\x89PNG", mime_type="image/webp"),
        ),
        (
            "data:text/plain;charset=utf-8;base64,aGk=",
            None,
            types.Part.from_bytes(data=b"hi", mime_type="text/plain"),
        ),
        (
            "data:text/plain;base64,",
            "text/plain",
            types.Part.from_bytes(data=b"", mime_type="text/plain"),
        ),
        (
            "https://example.org/a.pdf",
            "application/pdf",
            types.Part.from_uri(file_uri="https://example.org/a.pdf", mime_type="application/pdf"),
        ),
    ],
)
def test_a_file_becomes_adk_content(url: str, media_type: str | None, part: types.Part) -> None:
    assert media.to_part(url, media_type, "$") == part


@pytest.mark.parametrize(
    "url",
    ["", "data:", "data:text/plain,hi", "http://example.org/a", "file:///etc/passwd", "blob:x"],
)
def test_other_addresses_are_refused(url: str) -> None:
    expected = "$.p.url: a base64 data URL or an https address is expected"
    assert fault_of(url, "text/plain") == expected


@pytest.mark.parametrize("data", ["a", "####", "aGk=\n!", "é", "aGk=é"])
def test_what_is_no_base64_is_refused(data: str) -> None:
    assert fault_of(f"data:text/plain;base64,{data}") == "$.p.url: not base64"


@pytest.mark.parametrize(
    "media_type",
    ["application/x-msdownload", "image/svg+xml", "text/", "x image/png", "image/png\n", "video"],
)
def test_a_media_type_that_is_not_on_the_list_is_refused(media_type: str) -> None:
    expected = f"$.p.mediaType: {media_type!r} is not accepted"
    assert fault_of("data:image/png;base64,aGk=", media_type) == expected
    assert fault_of("https://example.org/a", media_type) == expected


def test_an_address_needs_a_media_type() -> None:
    assert fault_of("https://example.org/a") == "$.p.mediaType: '' is not accepted"


def test_a_file_up_to_the_limit_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(media, "MAX_FILE_BYTES", 300)
    url = "data:text/plain;base64," + base64.b64encode(b"x" * 300).decode()
    assert media.to_part(url, None, "$") == types.Part.from_bytes(
        data=b"x" * 300, mime_type="text/plain"
    )


def test_a_larger_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(media, "MAX_FILE_BYTES", 300)
    url = "data:text/plain;base64," + base64.b64encode(b"x" * 310).decode()
    assert fault_of(url) == "$.p.url: the file is larger than 300 bytes"


@pytest.mark.parametrize(
    ("blob", "url"),
    [
        (types.Blob(data=b"hi", mime_type="image/png"), "data:image/png;base64,aGk="),
        (types.Blob(data=b"hi"), "data:application/octet-stream;base64,aGk="),
        (types.Blob(mime_type="image/png"), "data:image/png;base64,"),
    ],
)
def test_a_blob_becomes_a_data_url(blob: types.Blob, url: str) -> None:
    assert media.to_url(blob) == url
