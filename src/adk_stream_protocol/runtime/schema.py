"""Reads a tool's declared parameters: their order, and what is wrong with given arguments."""

from typing import Any

from google.adk.tools.base_tool import BaseTool
from jsonschema import Draft202012Validator, SchemaError


def parameters_of(tool: BaseTool) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments; an empty one where it declares none."""
    declaration = tool._get_declaration()  # pyright: ignore[reportPrivateUsage]
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


def argument_order(tool: BaseTool) -> tuple[str, ...]:
    """The names of the arguments, as declared."""
    return tuple(parameters_of(tool).get("properties", {}))


def argument_fault(tool: BaseTool, arguments: dict[str, Any]) -> str | None:
    """What is wrong with arguments, or None."""
    try:
        faults = Draft202012Validator(parameters_of(tool)).iter_errors(arguments)
        fault = next(iter(faults), None)
    except SchemaError:
        return None
    return None if fault is None else f"{fault.json_path}: {fault.message}"[:300]
