"""A server in the place of the Gemini service, which plays the model's side of a scenario."""
