"""The codes of the failures that end a turn."""

CODES = [
    "length",
    "content-filter",
    "error",
    "no-answer",
    "model-busy",
    "model-refused",
    "model-unavailable",
    "internal",
]
