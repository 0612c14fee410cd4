"""Plays a scenario against an app: does what the client did, compares or keeps what comes."""
