"""Gemini on the wire, without Gemini: data files of what it says, and a server that plays them."""

from adk_stream_protocol.recording.replay_file import replay

__all__ = ["replay"]
