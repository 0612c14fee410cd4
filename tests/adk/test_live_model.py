"""A model's live variant is of the model's own class in all that ADK and its author can see."""

from typing import Any

from google.adk.agents.llm_agent import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.google_llm import Gemini
from pydantic import ConfigDict, PrivateAttr

from adk_stream_protocol.adk.live_model import live_copy, live_variant


class OwnModel(Gemini):
    """A model of an application's own."""

    model_config = ConfigDict(extra="allow")
    region: str = "here"
    _count: int = PrivateAttr(default=0)

    def count(self) -> int:
        self._count += 1
        return self._count


def own_model() -> tuple[OwnModel, dict[str, Any]]:
    options: dict[str, Any] = {"http_options": {}}
    extra: dict[str, Any] = {"note": "extra"}
    model = OwnModel(model="gemini-x", client_kwargs=options, region="there", **extra)
    assert model.count() == 1
    return model, options


def test_it_keeps_what_the_model_has() -> None:
    model, options = own_model()
    variant = live_variant(model)
    assert isinstance(variant, OwnModel)
    assert variant.model_dump() == model.model_dump()
    assert variant.model_fields_set == model.model_fields_set
    assert variant.model_extra == {"note": "extra"} and variant.client_kwargs == options
    assert variant.count() == 2


def test_adk_takes_it_for_what_it_is() -> None:
    variant = live_variant(Gemini(model="gemini-x"))
    assert isinstance(variant, Gemini) and type(variant).__name__ == "Gemini"
    assert type(variant).connect is not BaseLlm.connect


def test_the_model_stays_as_it_was() -> None:
    model, _ = own_model()
    kept = model.model_copy()
    variant = live_variant(model)
    assert isinstance(variant, OwnModel)
    variant.region = "elsewhere"
    assert model.region == "there" and type(model) is OwnModel and model == kept


def test_every_agent_of_a_tree_that_names_a_model_has_a_variant() -> None:
    child = LlmAgent(name="child", model="gemini-c")
    heir = LlmAgent(name="heir")
    root = LlmAgent(name="root", model="gemini-r", sub_agents=[child, heir])
    copy = live_copy(root, None)
    assert isinstance(copy, LlmAgent)
    models = [agent.model for agent in (copy, *copy.sub_agents) if isinstance(agent, LlmAgent)]
    assert [getattr(model, "model", model) for model in models] == ["gemini-r", "gemini-c", ""]
    assert root.model == "gemini-r" and child.model == "gemini-c"
