"""The Gemini server itself: who finds it, and what it says when a script does not fit."""

import ssl
from pathlib import Path

import httpx
import pytest
from google.adk.models.google_llm import Gemini
from google.adk.models.llm_request import LlmRequest
from google.genai import types
from google.genai.errors import ClientError

from adk_stream_protocol.demo.recorded_app import closing_model
from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.scenario.scenario import Exchange, Step
from adk_stream_protocol.recording.stand_in.play import Play
from adk_stream_protocol.recording.stand_in.server import API_KEY, GeminiServer
from tests.support.gemini.live_run import LiveRun
from tests.support.gemini.live_scenario import Action, LiveScenario

MODEL = "gemini-2.5-flash"
LIVE_MODEL = "gemini-3.1-flash-live-preview"
ASKED: Json = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
HELLO: Json = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hello."}]}}]}


async def ask(model: Gemini, text: str, stream: bool = True) -> list[str | None]:
    content = types.Content(role="user", parts=[types.Part(text=text)])
    request = LlmRequest(model=model.model, contents=[content])
    async with closing_model(model):
        answers = [one async for one in model.generate_content_async(request, stream=stream)]
    return [one.content.parts[0].text for one in answers if one.content and one.content.parts]


async def test_the_environment_alone_leads_here(gemini: GeminiServer) -> None:
    play = gemini.play(Play(Names(), exchanges=[Exchange(ASKED, frames=[HELLO])]))
    assert await ask(Gemini(model=MODEL), "Hi") == ["Hello.", "Hello."]
    play.finish()
    called = {key: play.received[0][key] for key in ("version", "model", "method")}
    assert called == {"version": "v1beta", "model": MODEL, "method": "streamGenerateContent"}


async def test_a_base_url_leads_here(
    gemini_server: GeminiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(gemini_server.certificate))
    play = gemini_server.play(Play(Names(), exchanges=[Exchange(ASKED, body=HELLO)]))
    model = Gemini(model=MODEL, base_url=gemini_server.url, client_kwargs={"api_key": API_KEY})
    assert await ask(model, "Hi", stream=False) == ["Hello."]
    play.finish()
    assert play.received[0]["method"] == "generateContent"


async def test_nobody_else_trusts_it(gemini: GeminiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    gemini.play(Play(Names()))
    # Which one depends on the HTTP client that google-genai finds.
    refusals = (httpx.ConnectError, ssl.SSLCertVerificationError)
    with pytest.raises(refusals, match="certificate verify failed"):
        await ask(Gemini(model=MODEL), "Hi")


async def test_a_request_without_the_key_is_refused(gemini: GeminiServer) -> None:
    play = gemini.play(Play(Names(), exchanges=[Exchange(ASKED, frames=[HELLO])]))
    model = Gemini(model=MODEL, client_kwargs={"api_key": "another"})
    with pytest.raises(ClientError, match="the API key is missing"):
        await ask(model, "Hi")
    assert play.received == []


async def test_a_request_that_does_not_fit_is_named(gemini: GeminiServer) -> None:
    play = gemini.play(Play(Names(), exchanges=[Exchange(ASKED, frames=[HELLO])]))
    with pytest.raises(ClientError, match="the request is not what the script expects"):
        await ask(Gemini(model=MODEL), "Bye")
    with pytest.raises(AssertionError, match="text: expected 'Hi', got 'Bye'"):
        play.finish()


async def test_a_request_too_many_is_named(gemini: GeminiServer) -> None:
    play = gemini.play(Play(Names()))
    with pytest.raises(ClientError, match="a request that the script does not have"):
        await ask(Gemini(model=MODEL), "Hi")
    with pytest.raises(AssertionError, match="a request that the script does not have"):
        play.finish()


def test_what_the_model_was_not_asked_is_named() -> None:
    with pytest.raises(AssertionError, match="the model was not asked"):
        Play(Names(), exchanges=[Exchange(ASKED, frames=[HELLO])]).finish()
    with pytest.raises(AssertionError, match="no connection was made"):
        Play(Names(), connections=[[]]).finish()


def live(*steps: Step, user: list[Action]) -> LiveScenario:
    ready = [Step(expect={"setup": {}}), Step(send={"setupComplete": {}})]
    return LiveScenario("", LIVE_MODEL, [[*ready, *steps]], user)


async def play_live(scenario: LiveScenario, gemini: GeminiServer, state: Path) -> Play:
    play = gemini.play(Play(Names(), connections=scenario.connections))
    await LiveRun(scenario, play, state).perform(scenario)
    return play


async def test_the_live_socket_has_its_own_version(gemini: GeminiServer, tmp_path: Path) -> None:
    done = Step(send={"serverContent": {"turnComplete": True}})
    user = [Action(until={"turnComplete": True}), Action(close=True)]
    play = await play_live(live(done, user=user), gemini, tmp_path)
    play.finish()
    assert play.received[0] == {"version": "v1alpha"}


async def test_a_frame_that_does_not_fit_is_named(gemini: GeminiServer, tmp_path: Path) -> None:
    asked = Step(expect={"realtime_input": {"text": "Hi"}})
    user = [Action(say="Bye"), Action(until={"turnComplete": True})]
    with pytest.raises(AssertionError, match="text: expected 'Hi', got 'Bye'"):
        await play_live(live(asked, user=user), gemini, tmp_path)


async def test_a_frame_too_many_is_named(gemini: GeminiServer, tmp_path: Path) -> None:
    user = [Action(say="Bye"), Action(until={"turnComplete": True})]
    with pytest.raises(AssertionError, match="a frame that the script does not have"):
        await play_live(live(user=user), gemini, tmp_path)


async def test_an_end_too_early_is_named(gemini: GeminiServer, tmp_path: Path) -> None:
    asked = Step(expect={"realtime_input": {"text": "Hi"}})
    play = await play_live(live(asked, user=[Action(close=True)]), gemini, tmp_path)
    with pytest.raises(AssertionError, match="the connection ended before"):
        play.finish()
