"""What the scripted model does: actions, the directives for them, and what a test teaches it."""
