"""What the scripted model is given: the dialogue, read as messages and the calls about them."""
