"""The demo's tools, a file each: what a tool does, and how the scripted model speaks of it."""
