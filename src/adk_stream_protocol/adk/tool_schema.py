"""Reads a tool's declared parameters: their order, and what is wrong with given arguments."""

import re
from collections.abc import Iterator
from math import isfinite
from typing import Any, cast
from weakref import WeakKeyDictionary

from google.adk.models.llm_request import LlmRequest
from google.adk.tools.base_tool import BaseTool
from google.genai import types
from jsonschema import Draft202012Validator, SchemaError

_HALF_PAIR = re.compile("[\ud800-\udfff]")


class Schemas:
    """The parameter schemas of the tools seen so far. ADK builds a declaration anew per look."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[BaseTool, Draft202012Validator] = WeakKeyDictionary()

    def order(self, tool: BaseTool) -> tuple[str, ...]:
        """Return the names of the arguments in the order of their declaration."""
        schema: Any = self._validator(tool).schema
        return tuple(schema.get("properties", {}))

    def fault(self, tool: BaseTool, arguments: dict[str, Any]) -> str | None:
        """Say what is wrong with arguments, or return None."""
        if unshowable := _unshowable(arguments, "$"):
            return unshowable
        try:
            fault = next(iter(self._validator(tool).iter_errors(arguments)), None)
        except SchemaError:
            return None
        return None if fault is None else f"{fault.json_path}: {fault.message}"[:300]

    def _validator(self, tool: BaseTool) -> Draft202012Validator:
        validator = self._known.get(tool)
        if validator is None:
            validator = self._known[tool] = Draft202012Validator(_parameters_of(tool))
        return validator


def _unshowable(value: Any, path: str) -> str | None:
    """Find what no client could show as it is: a NaN, an infinity, or half of a character."""
    match value:
        case float():
            return None if isfinite(value) else f"{path}: a finite number is expected"
        case str():
            return f"{path}: valid Unicode is expected" if _HALF_PAIR.search(value) else None
        case dict():
            named = cast(dict[Any, Any], value).items()
            inside = [(f"{path}.{name}", part) for pair in named for name, part in _both(pair)]
        case list():
            inside = [(f"{path}[{at}]", item) for at, item in enumerate(cast(list[Any], value))]
        case _:
            return None
    return next((found for place, item in inside if (found := _unshowable(item, place))), None)


def _both(pair: tuple[Any, Any]) -> Iterator[tuple[str, Any]]:
    """Return the key of an entry and its value, each with the name of its place."""
    name = str(pair[0]).encode("utf-8", "replace").decode()
    yield name, pair[0]
    yield name, pair[1]


def _parameters_of(tool: BaseTool) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments; an empty one where it declares none."""
    declaration = _declaration_of(tool)
    if declaration is None:
        return {}
    if declaration.parameters_json_schema is not None:
        schema: Any = declaration.parameters_json_schema
        return schema if isinstance(schema, dict) else {}
    if declaration.parameters is None:
        return {}
    return declaration.parameters.json_schema.model_dump(
        mode="json", by_alias=True, exclude_none=True
    )


def _declaration_of(tool: BaseTool) -> types.FunctionDeclaration | None:
    """Return what the model is told of a tool: what the tool adds to a request."""
    request = LlmRequest()
    request.append_tools([tool])
    for added in request.config.tools or []:
        if isinstance(added, types.Tool) and added.function_declarations:
            return added.function_declarations[0]
    return None
