"""The user of the demo: a bearer name, else a signed cookie, else `local`."""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from starlette.requests import HTTPConnection

COOKIE = "adk_stream_user"


def load_secret(state: Path) -> bytes:
    """Load the key that signs the demo's cookies, kept in the state folder."""
    path = state / "cookie.key"
    if not path.exists():
        fresh = state / f"cookie.key-{secrets.token_hex(4)}"
        fresh.touch(mode=0o600)
        fresh.write_bytes(secrets.token_bytes(32))
        with suppress(FileExistsError):  # workers that start together must not read half a key
            path.hardlink_to(fresh)
        fresh.unlink()
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
