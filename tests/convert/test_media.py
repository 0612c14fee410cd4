"""Files of a user's message, and files of the model's."""

import base64

import pytest
from google.genai import types

from adk_stream_protocol.convert import media
from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.limits import Limits

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0"
PIXEL = base64.b64encode(PNG).decode()
LIMITS = Limits(file=300, pixels=100, file_hosts=frozenset({"example.org"}))


def fault_of(url: str, media_type: str | None = None) -> str:
    with pytest.raises(BadRequest) as caught:
        media.to_part(url, media_type, "$.p", LIMITS)
    return caught.value.text


@pytest.mark.parametrize(
    ("url", "media_type", "part"),
    [
        (
            f"data:image/png;base64,{PIXEL}",
            None,
            types.Part.from_bytes(data=PNG, mime_type="image/png"),
        ),
        (
            f"data:;base64,{PIXEL}",
            "image/png",
            types.Part.from_bytes(data=PNG, mime_type="image/png"),
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
    assert media.to_part(url, media_type, "$", LIMITS) == part


@pytest.mark.parametrize(
    "url",
    ["", "data:", "data:text/plain,hi", "http://example.org/a", "file:///etc/passwd", "blob:x"],
)
def test_other_addresses_are_refused(url: str) -> None:
    expected = "$.p.url: a base64 data URL is expected"
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


@pytest.mark.parametrize(
    "url",
    [
        "https://metadata.google.internal/computeMetadata/v1/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://localhost/",
        "https://example.org.attacker.test/a",
        "https://example.org@attacker.test/a",
        "https://attacker.test@example.org/a",
        "https://example.org:8443/a",
        "https://example.org:x/a",
        "https://[/a",
        "https:///a",
        "https://example.org/" + "a" * 3_000,
    ],
)
def test_an_address_that_the_application_does_not_name_is_refused(url: str) -> None:
    assert fault_of(url, "text/plain").startswith("$.p.url: ")


@pytest.mark.parametrize("media_type", ["image/jpeg", "image/webp", "image/gif", "image/heic"])
def test_a_picture_that_is_something_else_is_refused(media_type: str) -> None:
    expected = f"$.p.url: the file is not {media_type}"
    assert fault_of(f"data:;base64,{PIXEL}", media_type) == expected


def test_a_picture_that_does_not_say_its_size_is_refused() -> None:
    broken = base64.b64encode(b"\xff\xd8\xff" + b"\0" * 40).decode()
    expected = "$.p.url: the picture does not say how large it is"
    assert fault_of(f"data:image/jpeg;base64,{broken}") == expected


def test_a_picture_with_too_many_pixels_is_refused() -> None:
    large = PNG.replace(b"IHDR\0\0\0\1\0\0\0\1", b"IHDR\0\0\0\x65\0\0\0\1")
    url = "data:image/png;base64," + base64.b64encode(large).decode()
    assert fault_of(url) == "$.p.url: the picture has more than 100 pixels"


def test_a_file_up_to_the_limit_is_taken() -> None:
    url = "data:text/plain;base64," + base64.b64encode(b"x" * 300).decode()
    assert media.to_part(url, None, "$", LIMITS) == types.Part.from_bytes(
        data=b"x" * 300, mime_type="text/plain"
    )


def test_a_larger_file_is_refused() -> None:
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
