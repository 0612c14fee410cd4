"""Files: data URLs to ADK blobs and back, with the media types and sizes we take."""

import base64
import re
from urllib.parse import urlsplit

from google.genai import types

from adk_stream_protocol.convert.pictures import is_picture, pixels_of
from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.limits import DEFAULT_LIMITS, Limits
from adk_stream_protocol.protocol.chunks import AnyChunk, File

_UNKNOWN = "application/octet-stream"
ALLOWED_TYPES = re.compile(
    r"(image/(png|jpeg|gif|webp|heic|heif)|audio/[\w.+-]+|video/[\w.+-]+|text/[\w.+-]+"
    r"|application/(pdf|json))"
)
_SMALLEST_PICTURE = 24
"""Bytes without which nothing can be decoded: no bomb is that small."""
_DATA_URL = re.compile(r"data:([^;,]{0,128})((?:;[^;,]{0,128}){0,8}?)(;base64)?,", re.ASCII)


def to_part(
    url: str, media_type: str | None, path: str, limits: Limits = DEFAULT_LIMITS
) -> types.Part:
    """Turn a file part of a user message into ADK content."""
    if url.startswith("https://"):
        _check_host(url, path, limits)
        return types.Part.from_uri(file_uri=url, mime_type=_allowed(media_type or "", path))
    head = _DATA_URL.match(url)
    if not head or not head[3]:
        raise BadRequest(f"{path}.url: a base64 data URL is expected")
    mime_type = _allowed(media_type or head[1], path)
    if len(url) - head.end() > limits.file * 4 // 3 + 4:
        raise BadRequest(f"{path}.url: the file is larger than {limits.file} bytes")
    try:
        data = base64.b64decode(url[head.end() :], validate=True)
    except ValueError:
        raise BadRequest(f"{path}.url: not base64") from None
    if mime_type.startswith("image/"):
        _check_picture(data, mime_type, path, limits)
    return types.Part.from_bytes(data=data, mime_type=mime_type)


def _check_host(url: str, path: str, limits: Limits) -> None:
    """Raise BadRequest for an address that the model should not fetch from.

    Whoever runs the model would fetch it, from inside their network. Only what the application
    names is passed on.
    """
    try:
        address = urlsplit(url)
        host, port = address.hostname, address.port
    except ValueError:
        raise BadRequest(f"{path}.url: not an address") from None
    is_plain = port in (None, 443) and "@" not in address.netloc and len(url) <= 2_048
    if host is None or host not in limits.file_hosts or not is_plain:
        raise BadRequest(
            f"{path}.url: files of this address are not accepted; send the file itself"
        )


def _check_picture(data: bytes, media_type: str, path: str, limits: Limits) -> None:
    if not is_picture(data, media_type):
        raise BadRequest(f"{path}.url: the file is not {media_type}")
    pixels = pixels_of(data)
    if pixels is None and len(data) > _SMALLEST_PICTURE:
        raise BadRequest(f"{path}.url: the picture does not say how large it is")
    if pixels and pixels > limits.pixels:
        raise BadRequest(f"{path}.url: the picture has more than {limits.pixels} pixels")


def _allowed(media_type: str, path: str) -> str:
    if not ALLOWED_TYPES.fullmatch(media_type):
        raise BadRequest(f"{path}.mediaType: {media_type[:64]!r} is not accepted")
    return media_type


def to_url(blob: types.Blob) -> str:
    """Convert a blob of the model to a data URL."""
    data = base64.b64encode(blob.data or b"").decode("ascii")
    return f"data:{blob.mime_type or _UNKNOWN};base64,{data}"


def files_of(part: types.Part) -> list[AnyChunk]:
    """Convert a file or image of the model to a chunk; leave out what a browser cannot fetch."""
    if (blob := part.inline_data) and blob.data:
        return [File(url=to_url(blob), media_type=blob.mime_type or _UNKNOWN)]
    if (file := part.file_data) and (file.file_uri or "").startswith("http"):
        return [File(url=file.file_uri or "", media_type=file.mime_type or _UNKNOWN)]
    return []
