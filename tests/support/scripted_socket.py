"""A server's end of a socket whose frames the test has written beforehand."""

import json

from adk_stream_protocol.recording.scenario.matching import Json


class ScriptedSocket:
    """Keeps what it is sent; gives out what it was given, one by one."""

    def __init__(self, *answers: Json | str) -> None:
        self._answers = list(answers)
        self.sent: list[Json] = []

    async def send(self, frame: Json) -> None:
        self.sent.append(frame)

    async def receive(self) -> Json:
        return json.loads(await self.receive_text())

    async def receive_text(self) -> str:
        answer = self._answers.pop(0)
        return answer if isinstance(answer, str) else json.dumps(answer)
