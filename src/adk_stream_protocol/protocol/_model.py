"""The base of everything that crosses the wire: camelCase, absent instead of null."""

import msgspec


class Model(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True):
    """A message part as the AI SDK spells it."""


class Chunk(Model, tag_field="type"):
    """One JSON object of a UI message stream."""
