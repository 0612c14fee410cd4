"""A model for tests and demos: scripted, deterministic, without a key."""

from adk_stream_protocol.testing.scripted_model import ScriptedModel

__all__ = ["ScriptedModel"]
