"""What a picture is and how large, told by its first bytes. Nothing is decoded."""

import struct

_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The segments of a JPEG file that say how large the picture is."""
_HEIF_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1", b"heif")


def media_type_of(data: bytes) -> str | None:
    """Return the media type of a picture; None if it is none that we know."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:8] == b"ftyp" and data[8:12] in _HEIF_BRANDS:
        return "image/heif"
    return None


def is_picture(data: bytes, media_type: str) -> bool:
    """Return whether the bytes begin as a picture of this media type does."""
    # Both names stand for one container, and programs mix them up.
    return media_type_of(data) == {"image/heic": "image/heif"}.get(media_type, media_type)


def pixels_of(data: bytes) -> int | None:
    """Return how many pixels a picture has; None if it does not say so where it should."""
    try:
        match media_type_of(data):
            case "image/png":
                width, height = struct.unpack(">4xII", data[12:24])
            case "image/gif":
                width, height = struct.unpack("<HH", data[6:10])
            case "image/jpeg":
                width, height = _jpeg_size(data)
            case "image/webp":
                width, height = _webp_size(data)
            case "image/heif":
                width, height = _heif_size(data)
            case _:
                return None
    except (struct.error, IndexError, ValueError):
        return None
    return width * height


def _jpeg_size(data: bytes) -> tuple[int, int]:
    at = 2
    while data[at] == 0xFF:
        kind = data[at + 1]
        if kind == 0xFF:  # padding
            at += 1
            continue
        length, height, width = struct.unpack(">HxHH", data[at + 2 : at + 9])
        if kind in _JPEG_SIZES:
            return width, height
        at += 2 + max(length, 2)
    raise ValueError("a segment is expected")


def _webp_size(data: bytes) -> tuple[int, int]:
    kind, body = data[12:16], data[20:30]
    if kind == b"VP8X":
        return _number(body[4:7]) + 1, _number(body[7:10]) + 1
    if kind == b"VP8L":
        bits = _number(body[1:5])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack("<HH", body[6:10])
    return width & 0x3FFF, height & 0x3FFF


def _heif_size(data: bytes) -> tuple[int, int]:
    """Return the largest of the sizes that its items have."""
    found: list[tuple[int, int]] = []
    at = data.find(b"ispe")
    while at >= 0 and len(found) < 1_000:
        found.append(struct.unpack(">II", data[at + 8 : at + 16]))
        at = data.find(b"ispe", at + 4)
    return max(found, key=lambda size: size[0] * size[1])


def _number(raw: bytes) -> int:
    return int.from_bytes(raw, "little")
