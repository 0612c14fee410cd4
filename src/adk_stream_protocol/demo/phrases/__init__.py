"""What the demo teaches the scripted model: the user's requests, and its own words for them."""
