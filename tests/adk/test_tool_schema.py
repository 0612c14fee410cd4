"""What a tool declares of its arguments: their order, and what does not fit."""

from math import inf, nan
from typing import Any

import pytest
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from adk_stream_protocol import ClientTool
from adk_stream_protocol.adk.tool_schema import Schemas

SCHEMA = {
    "type": "object",
    "properties": {"recipient": {"type": "string"}, "amount": {"type": "number"}},
    "required": ["amount"],
}


def pay(recipient: str, amount: int, currency: str = "USD") -> None:
    """Pay."""


class Declared(BaseTool):
    """A tool with a declaration of the test's own."""

    def __init__(self, declaration: types.FunctionDeclaration | None) -> None:
        super().__init__(name="declared", description="")
        self.looks = 0
        self._declaration = declaration

    def _get_declaration(self) -> types.FunctionDeclaration | None:
        self.looks += 1
        return self._declaration


def declared(**fields: Any) -> Declared:
    return Declared(types.FunctionDeclaration(name="declared", **fields))


def test_arguments_stand_in_the_order_of_their_declaration() -> None:
    assert Schemas().order(FunctionTool(pay)) == ("recipient", "amount", "currency")
    assert Schemas().order(ClientTool("pay", "", parameters=SCHEMA)) == ("recipient", "amount")


def test_what_does_not_fit_is_named_with_its_place() -> None:
    tool = ClientTool("pay", "", parameters=SCHEMA)
    assert Schemas().fault(tool, {"amount": 5}) is None
    assert Schemas().fault(tool, {"amount": "5"}) == "$.amount: '5' is not of type 'number'"
    assert Schemas().fault(tool, {}) == "$: 'amount' is a required property"


@pytest.mark.parametrize("number", [nan, inf, -inf])
@pytest.mark.parametrize("tool", [ClientTool("pay", "", parameters=SCHEMA), ClientTool("any", "")])
def test_a_number_that_is_none_is_a_fault(tool: ClientTool, number: float) -> None:
    assert Schemas().fault(tool, {"amount": number}) == "$.amount: a finite number is expected"
    nested = {"amount": 5, "lines": [{"price": 1.0}, {"price": number}]}
    assert Schemas().fault(tool, nested) == "$.lines[1].price: a finite number is expected"


@pytest.mark.parametrize("arguments", [{"to": "\ud800"}, {"to": ["a", "b\udfff"]}, {"\ud800": 1}])
def test_half_of_a_character_is_a_fault(arguments: Any) -> None:
    fault = Schemas().fault(ClientTool("any", ""), arguments) or ""
    assert fault.endswith(": valid Unicode is expected") and fault.isprintable()


def test_a_long_fault_is_cut() -> None:
    tool = ClientTool("pay", "", parameters=SCHEMA)
    assert len(Schemas().fault(tool, {"amount": "5" * 1000}) or "") == 300


def test_a_schema_of_the_model_api_is_read_too() -> None:
    amount = types.Schema(
        type=types.Type.OBJECT, properties={"amount": types.Schema(type=types.Type.NUMBER)}
    )
    assert Schemas().order(declared(parameters=amount)) == ("amount",)
    assert Schemas().fault(declared(parameters=amount), {"amount": "5"}) is not None


@pytest.mark.parametrize(
    "tool", [Declared(None), declared(), declared(parameters_json_schema=True)]
)
def test_without_a_schema_everything_fits(tool: Declared) -> None:
    assert Schemas().order(tool) == () and Schemas().fault(tool, {"any": 1}) is None


def test_a_schema_that_is_none_stops_nobody() -> None:
    tool = declared(parameters_json_schema={"properties": {"a": {"$ref": "#/nowhere/at/all"}}})
    assert Schemas().order(tool) == ("a",)


def test_a_declaration_is_looked_at_once() -> None:
    schemas, tool = Schemas(), declared(parameters_json_schema=SCHEMA)
    for _ in range(3):
        schemas.order(tool)
        schemas.fault(tool, {})
    assert tool.looks == 1
