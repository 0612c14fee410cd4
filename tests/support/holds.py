"""Answers of the demo's model that stop in the middle until the test lets them go on."""

import httpx

WHOLE = "1 2 3 1 2 "


def held(name: str, rest: str = "/say 2") -> str:
    """A message whose answer is `1 2 3 `, and the rest of it once the name is released."""
    return f"/say 3\n/hold {name}\n{rest}"


def release(url: str, name: str) -> None:
    """Let the answers of a server go on that are held by this name."""
    answer = httpx.post(f"{url}/api/chat", json=released(name), timeout=60, trust_env=False)
    assert answer.status_code == 200, answer.text


def released(name: str) -> dict[str, object]:
    """The body of a request, in a chat of its own, that releases a name."""
    part = {"type": "text", "text": f"/release {name}"}
    return {"messages": [{"id": "u", "role": "user", "parts": [part]}]}
