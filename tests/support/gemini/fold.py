"""Puts pairs of scenarios into one file each: `python -m tests.support.gemini.fold`.

A pair is `NAME-2.5.json` and `NAME-3.1.json` beside each other, such as two new recordings of one
chat. They become `NAME.json`, which says once what they have in common.
"""

import json
from pathlib import Path

from adk_stream_protocol.recording.scenario.families import FAMILIES, fold
from tests.support.gemini.files import WIRE


def main(folder: Path = WIRE) -> None:
    for path in sorted(folder.rglob(f"*-{FAMILIES[0]}.json")):
        name = path.stem.removesuffix(f"-{FAMILIES[0]}")
        pair = {family: path.with_name(f"{name}-{family}.json") for family in FAMILIES}
        read = {family: json.loads(file.read_text("utf-8")) for family, file in pair.items()}
        text = json.dumps(fold(read), indent=1, ensure_ascii=False)
        path.with_name(f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
        for file in pair.values():
            file.unlink()


if __name__ == "__main__":
    main()
