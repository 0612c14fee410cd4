"""Pictures are told by their first bytes, whatever else those hold."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_stream_protocol.convert.pictures import is_picture, media_type_of, pixels_of

WIDTH, HEIGHT = 300, 200


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF" + bytes(4) + b"WEBP" + kind + bytes(4) + body


PICTURES = {
    "png": b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", WIDTH, HEIGHT),
    "gif": b"GIF89a" + struct.pack("<HH", WIDTH, HEIGHT),
    "jpeg": b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc2\0\x11\x08" + struct.pack(">HH", HEIGHT, WIDTH),
    "webp": webp(b"VP8 ", bytes(6) + struct.pack("<HH", WIDTH, HEIGHT)),
    "webp lossless": webp(
        b"VP8L", b"/" + struct.pack("<I", WIDTH - 1 | (HEIGHT - 1) << 14) + bytes(5)
    ),
    "webp extended": webp(
        b"VP8X",
        bytes(4) + (WIDTH - 1).to_bytes(3, "little") + (HEIGHT - 1).to_bytes(3, "little"),
    ),
    "heif": bytes(4)
    + b"ftypheic"
    + b"ispe"
    + struct.pack(">III", 0, 10, 10)
    + b"ispe"
    + struct.pack(">III", 0, WIDTH, HEIGHT),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_known_with_its_size(name: str) -> None:
    data = PICTURES[name]
    assert media_type_of(data) == f"image/{name.partition(' ')[0]}"
    assert pixels_of(data) == WIDTH * HEIGHT


@pytest.mark.parametrize("data", [b"", b"<svg/>", b"MZ", b"RIFF1234WAVE", b"1234ftypmp42"])
def test_what_is_no_picture_has_no_type_and_no_size(data: bytes) -> None:
    assert media_type_of(data) is None and pixels_of(data) is None


def test_heic_and_heif_are_one_container() -> None:
    assert is_picture(PICTURES["heif"], "image/heic") and is_picture(PICTURES["heif"], "image/heif")
    assert not is_picture(PICTURES["png"], "image/jpeg")


@given(st.sampled_from(list(PICTURES.values())), st.integers(0, 60), st.binary(max_size=200))
def test_no_bytes_make_it_fail(picture: bytes, kept: int, tail: bytes) -> None:
    assert (pixels_of(picture[:kept] + tail) or 0) >= 0
