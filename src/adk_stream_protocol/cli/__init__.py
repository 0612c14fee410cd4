"""The `adk-stream` command, a file per sub-command."""
