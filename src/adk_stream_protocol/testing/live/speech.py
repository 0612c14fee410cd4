"""Speech without a synthesiser or a recogniser.

What the model says sounds as one short tone per delta. What a test says to the model is the UTF-8
text of it, carried as if it were audio; real sound is no text, so it is heard as nothing.
"""

import math
import struct
from functools import cache

from google.genai import types

_RATE = 24_000
_MILLISECONDS = 40
_HERTZ = 440
_VOLUME = 2_000
# A microphone that is never silent must not fill the memory.
_LONGEST = 65_536
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r")


@cache
def tone() -> types.Blob:
    """Make a soft tone that starts and ends in silence, as Gemini sends sound."""
    count = _RATE * _MILLISECONDS // 1000
    swell = (math.sin(math.pi * n / count) * _VOLUME for n in range(count))
    wave = (math.sin(2 * math.pi * _HERTZ * n / _RATE) for n in range(count))
    samples = (round(loud * high) for loud, high in zip(swell, wave, strict=True))
    return types.Blob(mime_type=f"audio/pcm;rate={_RATE}", data=struct.pack(f"<{count}h", *samples))


class Ear:
    """Collects what is said until the user has finished."""

    def __init__(self) -> None:
        self._heard = b""

    def hear(self, sound: bytes) -> bool:
        """Add a piece of sound. Return whether an utterance begins with it."""
        if sound.translate(None, _CONTROLS) != sound or not sound:
            return False
        begins = not self._heard
        if len(self._heard) + len(sound) <= _LONGEST:
            self._heard += sound
        return begins

    def finish(self) -> str:
        """Return what was said; nothing if it was no text."""
        heard, self._heard = self._heard, b""
        try:
            return heard.decode().strip()
        except UnicodeDecodeError:
            return ""
