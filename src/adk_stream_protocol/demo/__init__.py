"""The demo: an agent with one tool of each kind, its web server and the `adk-stream` command."""
