"""What the model was told, read from its own listing (`/echo`)."""

from collections import Counter
from typing import Any

from tests.support.ways.bodies import Json
from tests.support.ways.clients import Client


def told(client: Client, tool: str) -> list[Json]:
    """The results of a tool's calls, in the order of the calls: exactly one for each."""
    contents: list[Json] = client.context()["contents"]
    parts = [part for content in contents for part in content["parts"]]
    calls: list[Json] = [part["function_call"] for part in parts if "function_call" in part]
    results: list[Json] = [p["function_response"] for p in parts if "function_response" in p]
    assert Counter(one["name"] for one in calls) == Counter(one["name"] for one in results)
    assert "adk_request_confirmation" not in {one["name"] for one in calls}
    by_id = {one["id"]: one["response"] for one in results if one["id"]}
    mine = [one for one in calls if one["name"] == tool]
    if all(one["id"] in by_id for one in mine):  # a live model knows the ids
        return [_plain(by_id[one["id"]]) for one in mine]
    return [_plain(one["response"]) for one in results if one["name"] == tool]


def _plain(response: dict[str, Any]) -> Json:
    return {key: value for key, value in response.items() if key != "transaction_id"}
