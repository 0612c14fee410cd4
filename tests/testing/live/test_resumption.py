"""Handles: old and new ones lead to their dialogue, as long as it is kept."""

import pytest
from google.adk.models.llm_request import LlmRequest
from google.genai import errors

from adk_stream_protocol.testing.live.config import LiveConfig
from adk_stream_protocol.testing.live.dialogue import Dialogue
from adk_stream_protocol.testing.live.resumption import Dialogues

CONFIG = LiveConfig.of(LlmRequest(), calls_at_once=True, parallel_calls=None)


def test_every_handle_leads_to_its_dialogue() -> None:
    dialogues, dialogue = Dialogues(), Dialogue(CONFIG)
    handles = [dialogues.handle_for(dialogue) for _ in range(2)]
    assert handles[0] != handles[1]
    assert [dialogues.find(handle) for handle in handles] == [dialogue, dialogue]


def test_the_oldest_that_nobody_holds_is_forgotten() -> None:
    dialogues = Dialogues(most=1)
    held = Dialogue(CONFIG)
    handles = [dialogues.handle_for(held), dialogues.handle_for(Dialogue(CONFIG))]
    dialogues.handle_for(Dialogue(CONFIG))
    assert dialogues.find(handles[0]) is held
    with pytest.raises(errors.APIError, match="session not found"):
        dialogues.find(handles[1])
