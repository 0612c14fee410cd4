"""The scripted model behind a live connection, as the Live API of Gemini would speak."""
