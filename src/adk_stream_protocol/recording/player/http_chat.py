"""Plays a scenario over HTTP: posts what the client posts, reads what comes back."""

import json

import httpx

from adk_stream_protocol.recording.scenario.matching import Json, Names
from adk_stream_protocol.recording.scenario.scenario import Scenario, Turn
from adk_stream_protocol.recording.stand_in.play import Play
from adk_stream_protocol.recording.stand_in.server import GeminiServer


class HttpChat:
    """One chat with a served agent."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        scenario: Scenario,
        gemini: GeminiServer,
        chat_id: str = "chat",
    ) -> None:
        self._client = client
        self._id = chat_id
        self._path = f"{scenario.path}?approvals={scenario.approvals}"
        self._gemini = gemini
        self.names = Names()

    async def play(self, turn: Turn) -> tuple[list[Json], Play]:
        """Post the client's message: the chunks of the answer, and what the model was asked."""
        play = self._gemini.play(Play(self.names, exchanges=turn.model))
        body = {"id": self._id, **self.names.fill(turn.client)}
        answer = await self._client.post(self._path, json=body)
        if turn.status != 200:
            self._check_refusal(turn, answer)
        else:
            assert answer.status_code == 200, f"{answer.status_code}: {answer.text}"
        play.finish()
        return _chunks(answer) if turn.status == 200 else [], play

    def _check_refusal(self, turn: Turn, answer: httpx.Response) -> None:
        expected = {"status": turn.status, "refusal": turn.refusal}
        actual = {"status": answer.status_code, "refusal": answer.text}
        found = self.names.differences(expected, actual, "answer")
        assert not found, "\n".join(found)


def _chunks(answer: httpx.Response) -> list[Json]:
    """Return the chunks of a stream that ended as it should."""
    assert answer.text.endswith("data: [DONE]\n\n"), answer.text[-200:]
    lines = [line for line in answer.text.split("\n\n") if line.startswith("data: {")]
    return [json.loads(line.removeprefix("data: ")) for line in lines]
