"""The user of the demo: a bearer name, else a signed cookie, else `local`."""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from starlette.requests import HTTPConnection

from adk_stream_protocol.demo.cannot_start import CannotStart, reason_of

COOKIE = "adk_stream_user"
_SHORTEST_KEY = 16


def load_secret(state: Path) -> bytes:
    """Load the key that signs the demo's cookies, kept in the state folder."""
    path = state / "cookie.key"
    try:
        key = _read_or_make(path)
    except OSError as error:
        raise CannotStart(
            f"the key file {path} cannot be read or written ({reason_of(error)});"
            " make its folder writable, or name another one with --state"
        ) from None
    if len(key) < _SHORTEST_KEY:
        raise CannotStart(
            f"the key file {path} is empty or too short, so that anybody could sign cookies;"
            " delete it, and the next start makes a new one"
        )
    return key


def _read_or_make(path: Path) -> bytes:
    if not path.exists():
        fresh = path.with_name(f"{path.name}-{secrets.token_hex(4)}")
        fresh.touch(mode=0o600)
        fresh.write_bytes(secrets.token_bytes(32))
        with suppress(FileExistsError):  # workers that start together must not read half a key
            path.hardlink_to(fresh)
        fresh.unlink()
    path.chmod(0o600)
    return path.read_bytes()


def sign(name: str, secret: bytes) -> str:
    """Make a cookie value that nobody else can make."""
    return f"{name}.{hmac.new(secret, name.encode(), hashlib.sha256).hexdigest()}"


def demo_identify(users: Iterable[str], secret: bytes) -> Callable[[HTTPConnection], str | None]:
    """Make an `identify` for the demo. A wrong bearer or a forged cookie is nobody."""
    names = frozenset(users)

    def identify(connection: HTTPConnection) -> str | None:
        scheme, _, token = connection.headers.get("authorization", "").partition(" ")
        if scheme:
            return token if scheme.lower() == "bearer" and token in names else None
        if cookie := connection.cookies.get(COOKIE):
            name = cookie.rpartition(".")[0]
            is_ours = hmac.compare_digest(cookie.encode(), sign(name, secret).encode())
            return name if name and is_ours else None
        return "local"

    return identify
