"""Plugins of an application see every event, in both modes, also those that the gate is spared."""

from google.adk.agents import LlmAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.apps.app import App
from google.adk.events.event import Event
from google.adk.plugins.base_plugin import BasePlugin

from tests.support.polite_model import polite_model
from tests.support.servers.in_process import serving


class LiveSocket(BasePlugin):
    """Writes down what passes, and may put something else in its place."""

    def __init__(self, instead: str | None = None) -> None:
        super().__init__("listener")
        self.partial: list[str] = []
        self.whole: list[str] = []
        self._instead = instead

    async def on_event_callback(
        self, *, invocation_context: InvocationContext, event: Event
    ) -> Event | None:
        parts = (event.content and event.content.parts) or []
        texts = [part.text for part in parts if part.text]
        (self.partial if event.partial else self.whole).extend(texts)
        if self._instead and parts and event.partial:
            changed = event.model_copy(deep=True)
            assert changed.content and changed.content.parts
            changed.content.parts[0].text = self._instead
            return changed
        return None


def shop(*plugins: BasePlugin) -> App:
    return App(
        name="shop",
        root_agent=LlmAgent(name="clerk", model=polite_model()),
        plugins=list(plugins),
    )


async def test_an_applications_plugin_sees_the_pieces_of_a_stream() -> None:
    listener = LiveSocket()
    async with serving(shop(listener)) as served:
        async with served.socket() as client:
            assert (await client.say("hello")).said == "Hello! What can I do for you?"
        assert "".join(listener.partial) == "Hello! What can I do for you?"
        assert len(listener.partial) > 1 and listener.whole
        listener.partial.clear()
        reply = await served.say("hello", chat="d")
        assert "".join(listener.partial) == reply.said


async def test_what_an_applications_plugin_puts_in_place_of_a_piece_is_sent() -> None:
    async with serving(shop(LiveSocket(instead="* "))) as served:
        async with served.socket() as client:
            assert set((await client.say("hello")).said.split()) >= {"*"}
