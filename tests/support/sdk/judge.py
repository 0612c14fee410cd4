"""The Node process that holds the SDKs: one JSON request in, one JSON answer out."""

import json
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

FOLDER = Path(__file__).parents[2] / "sdk"


class Judge:
    """A running `judge.mjs`. One page is open at a time; a new one replaces it."""

    def __init__(self) -> None:
        assert (FOLDER / "node_modules").is_dir(), "run `npm --prefix tests/sdk ci` first"
        self._process = subprocess.Popen(
            ["node", FOLDER / "judge.mjs"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        """The answer to a request; what goes wrong in Node fails the test."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin and stdout
        stdin.write(json.dumps(request) + "\n")
        stdin.flush()
        line = stdout.readline()
        assert line, "the judge has ended"
        answer: dict[str, Any] = json.loads(line)
        assert "failure" not in answer, answer["failure"]
        return answer

    def __enter__(self) -> "Judge":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.communicate(timeout=60)
