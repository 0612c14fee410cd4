"""The words of the model, put together as the content it will remember."""

from google.genai import types


class Draft:
    """Parts as they come; neighbouring texts of one kind become one part."""

    def __init__(self) -> None:
        self._parts: list[types.Part] = []
        self._pieces: list[str] = []
        self._thought: bool | None = None

    def add(self, part: types.Part) -> None:
        """Add the next part."""
        if part.text is None or part.thought != self._thought:
            self._join()
        if part.text is None:
            self._parts.append(part)
        else:
            self._thought = part.thought
            self._pieces.append(part.text)

    def finish(self) -> types.Content | None:
        """Return the whole, if anything was said."""
        self._join()
        parts, self._parts = self._parts, []
        return types.Content(role="model", parts=parts) if parts else None

    def _join(self) -> None:
        if self._pieces:
            text = "".join(self._pieces)
            self._parts.append(types.Part(text=text, thought=self._thought))
            self._pieces.clear()
