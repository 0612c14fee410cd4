"""The data files under fixtures/wire.

`http` holds chats over HTTP, `socket` chats over the live socket, `envelope` such chats in the
older dialect, `mixed` chats that change between HTTP and the socket, `live` runs of ADK alone,
without this package: what ADK does with a frame is recorded there. 2.5 and 3.1 are the two families
of live models, which ADK treats differently.
"""

from pathlib import Path

WIRE = Path(__file__).parents[3] / "fixtures" / "wire"


def files(folder: str) -> list[Path]:
    """All scenarios of a kind."""
    return sorted((WIRE / folder).glob("*.json"))
