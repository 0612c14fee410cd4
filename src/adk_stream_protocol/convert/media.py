"""Files: data URLs to ADK blobs and back, with the media types and sizes we take."""

import base64
import re

from google.genai import types

from adk_stream_protocol.errors import BadRequest
from adk_stream_protocol.protocol.chunks import AnyChunk, File

_UNKNOWN = "application/octet-stream"
MAX_FILE_BYTES = 20 * 1024 * 1024
ALLOWED_TYPES = re.compile(
    r"(image/(png|jpeg|gif|webp|heic|heif)|audio/[\w.+-]+|video/[\w.+-]+|text/[\w.+-]+"
    r"|application/(pdf|json))"
)
_DATA_URL = re.compile(r"data:([^;,]*)((?:;[^;,]*)*?)(;base64)?,", re.ASCII)


def to_part(url: str, media_type: str | None, path: str) -> types.Part:
    """Convert a file part of a user message to ADK content."""
    if url.startswith("https://"):
        return types.Part.from_uri(file_uri=url, mime_type=_allowed(media_type or "", path))
    head = _DATA_URL.match(url)
    if not head or not head[3]:
        raise BadRequest(f"{path}.url: a base64 data URL or an https address is expected")
    mime_type = _allowed(media_type or head[1], path)
    if len(url) - head.end() > MAX_FILE_BYTES * 4 // 3 + 4:
        raise BadRequest(f"{path}.url: the file is larger than {MAX_FILE_BYTES} bytes")
    try:
        data = base64.b64decode(url[head.end() :], validate=True)
    except ValueError:
        raise BadRequest(f"{path}.url: not base64") from None
    return types.Part.from_bytes(data=data, mime_type=mime_type)


def _allowed(media_type: str, path: str) -> str:
    if not ALLOWED_TYPES.fullmatch(media_type):
        raise BadRequest(f"{path}.mediaType: {media_type!r} is not accepted")
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
