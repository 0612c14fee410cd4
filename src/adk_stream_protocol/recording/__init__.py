"""Chats with Gemini in data files: recorded from a real model, replayed without one.

`scenario` is the shape of a file, `recorder` and `tapes` write one, `player` plays it against an
app, and `stand_in` is the server that takes Gemini's place meanwhile.
"""

from adk_stream_protocol.recording.player.replay import replay

__all__ = ["replay"]
