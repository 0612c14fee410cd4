"""An MCP server on stdio with one tool, which notes in a file what it was paid."""

import sys
from pathlib import Path

from mcp.server import MCPServer

server = MCPServer("till")


@server.tool()
def pay(amount: int, recipient: str = "Bob") -> dict[str, int]:
    """Pay."""
    with Path(sys.argv[1]).open("a") as book:
        book.write(f"{amount}\n")
    if amount == 13:
        raise RuntimeError("the till is superstitious")
    return {"paid": amount}


if __name__ == "__main__":
    server.run()
