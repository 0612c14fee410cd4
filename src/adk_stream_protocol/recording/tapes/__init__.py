"""From a tape of what was heard, over HTTP or a socket, to a scenario that can be played."""
