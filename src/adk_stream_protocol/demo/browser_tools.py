"""The two tools that the demo's page runs: one needs a person's consent, one does not."""

from adk_stream_protocol.adk.client_tool import ClientTool

TRACKS = 3


def get_location() -> ClientTool:
    """The Geolocation API of the browser."""
    return ClientTool(
        "get_location",
        "Get the current position of the user.",
        output={
            "type": "object",
            "properties": {
                "latitude": {"type": "number", "minimum": -90, "maximum": 90},
                "longitude": {"type": "number", "minimum": -180, "maximum": 180},
                "accuracy": {"type": "number", "minimum": 0},
                "timestamp": {"type": "number"},
            },
            "required": ["latitude", "longitude", "accuracy", "timestamp"],
        },
        approval=True,
    )


def change_bgm() -> ClientTool:
    """The music of the page."""
    track = {"type": "integer", "minimum": 1, "maximum": TRACKS}
    return ClientTool(
        "change_bgm",
        f"Change the background music to a track from 1 to {TRACKS}.",
        parameters={"type": "object", "properties": {"track": track}, "required": ["track"]},
        output={
            "type": "object",
            "properties": {"success": {"type": "boolean"}, "track": {"type": "integer"}},
            "required": ["success", "track"],
        },
    )
