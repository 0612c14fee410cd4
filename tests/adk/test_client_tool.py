"""ClientTool: a schema for the model, none of the work, and a check of what comes back."""

import pytest
from google.adk.agents.base_agent import BaseAgent
from jsonschema import SchemaError

from adk_stream_protocol import ClientTool
from adk_stream_protocol.adk.client_tool import tools_of
from tests.support.conversations.conversation import Conversation
from tests.support.servers.in_process import clerk

PLACE = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


async def test_a_call_pauses_until_the_browser_has_its_result() -> None:
    chat = Conversation(clerk(ClientTool("locate", "Where the user is.")))
    await chat.say("/call locate {}")
    assert [call.name for call in chat.calls()] == ["locate"] and chat.results() == []
    assert "Kyoto" in await chat.give("locate", {"city": "Kyoto"})


def test_a_result_is_held_against_its_schema() -> None:
    tool = ClientTool("locate", "Where the user is.", output=PLACE)
    assert tool.check_output({"city": "Kyoto"}) is None
    assert tool.check_output({"city": 5}) == "$.city: 5 is not of type 'string'"
    assert tool.check_output({}) == "$: 'city' is a required property"


def test_without_a_schema_any_result_will_do() -> None:
    assert ClientTool("locate", "Where the user is.").check_output(None) is None


def test_a_schema_that_is_none_is_refused_where_it_is_written() -> None:
    with pytest.raises(SchemaError):
        ClientTool("locate", "Where?", parameters={"type": "place"})
    with pytest.raises(SchemaError):
        ClientTool("locate", "Where?", output={"type": "place"})


async def test_tools_are_found_with_the_agent_that_has_them() -> None:
    locate = ClientTool("locate", "Where the user is.")
    root = clerk(sub_agents=[clerk(locate, name="scout")])
    assert await tools_of(root, "scout") == {"locate": locate}
    assert await tools_of(root, "clerk") == {}
    assert await tools_of(root, "nobody") == {} and await tools_of(None, "clerk") == {}


async def test_an_agent_without_a_model_has_no_tools() -> None:
    assert await tools_of(BaseAgent(name="line"), "line") == {}
