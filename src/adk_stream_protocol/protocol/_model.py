"""The base of everything that crosses the wire: camelCase, absent instead of null."""

import msgspec


class Model(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True):
    """A message part as the AI SDK spells it."""


class Chunk(Model, tag_field="type", gc=False):
    """One JSON object of a UI message stream.

    The garbage collector need not look at it: what it holds never leads back to it.
    """
